/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/names.h"

#include "predict/demangle.h"
#include "tool/print/terminal.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP "..."
#define GAP_COLUMNS 3

struct name {
  char *text;
  size_t number;  /* of the row */
  size_t differs; /* the first byte in which it differs from all others */
};

/* Bytes of "f" in "f(int)": up to the parentheses that end the name. */
static size_t without_parameters(const char *name)
{
  const size_t all = strlen(name);
  size_t at = all;
  unsigned open = 0;

  if (!at || name[at - 1] != ')')
    return all;
  do {
    at--;
    open += name[at] == ')';
    open -= name[at] == '(';
  } while (open && at);
  return at ? at : all;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static size_t common(const char *a, const char *b)
{
  size_t length = 0;

  while (a[length] && a[length] == b[length])
    length++;
  return length;
}

/* In sorted names, those before and after a name have most in common with it. */
static void compare(struct name *names, size_t count)
{
  qsort(names, count, sizeof *names, by_text);
  for (size_t i = 1; i < count; i++) {
    const size_t same = common(names[i - 1].text, names[i].text);

    if (names[i - 1].differs < same)
      names[i - 1].differs = same;
    names[i].differs = same;
  }
}

/* Whether the first bytes of a name are another name: C has "f" beside the "f(int)" of C++. */
static bool has_such(const struct name *sorted, size_t i, size_t bytes)
{
  const char *const text = sorted[i].text;

  while (i-- && common(sorted[i].text, text) >= bytes)
    if (!sorted[i].text[bytes])
      return true;
  return false;
}

/* The first bytes of the text, so many columns; gc_terminal_fit divides at blanks. */
static size_t bytes_of(const char *text, size_t columns)
{
  size_t bytes = 0;

  while (text[bytes] && columns--)
    bytes += gc_printable_character(text + bytes);
  return bytes;
}

/* "begin...", or if it differs only behind that, "beg...from there..." */
static void shorten(const char *text, size_t differs, size_t columns, char cell[GC_CELL])
{
  const size_t first = bytes_of(text, columns - GAP_COLUMNS);
  size_t begin, from;

  if (gc_terminal_columns(text) <= columns) {
    snprintf(cell, GC_CELL, "%s", text);
  } else if (differs < first) {
    snprintf(cell, GC_CELL, "%.*s" GAP, (int)first, text);
  } else {
    begin = bytes_of(text, columns / 3);
    columns -= columns / 3 + GAP_COLUMNS;
    /* some of what is before the difference, and more if the rest has room for it */
    from = strlen(text);
    for (size_t left = columns; left && from > begin; left--)
      from = gc_whole_characters(text, from - 1);
    if (from <= differs) {
      snprintf(cell, GC_CELL, "%.*s" GAP "%s", (int)begin, text, text + from);
      return;
    }
    columns -= GAP_COLUMNS;
    from = gc_whole_characters(text, differs);
    for (size_t before = columns / 3; before && from > begin; before--)
      from = gc_whole_characters(text, from - 1);
    snprintf(cell, GC_CELL, "%.*s" GAP "%.*s" GAP, (int)begin, text,
             (int)bytes_of(text + from, columns), text + from);
  }
}

static int demangle(const char *const *names, size_t count, struct name *demangled)
{
  char text[GC_NAME];

  for (size_t i = 0; i < count; i++) {
    gc_demangle(names[i], text, sizeof text);
    demangled[i].number = i;
    demangled[i].text = strdup(*text ? text : "(no name)");
    if (!demangled[i].text)
      return -1;
  }
  return 0;
}

int gc_names_write(const char *const *names, size_t count, size_t columns, struct gc_table *table)
{
  struct name *sorted = calloc(count ? count : 1, sizeof *sorted);
  const int status = sorted ? demangle(names, count, sorted) : -1;

  if (!status) {
    compare(sorted, count);
    for (size_t i = 0; i < count; i++) {
      const size_t shorter = without_parameters(sorted[i].text);

      if (sorted[i].differs <= shorter && !has_such(sorted, i, shorter))
        sorted[i].text[shorter] = '\0';
      shorten(sorted[i].text, sorted[i].differs, columns, table->cells[sorted[i].number + 1][0]);
    }
  }
  for (size_t i = 0; i < count && sorted; i++)
    free(sorted[i].text);
  free(sorted);
  return status;
}
