/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns are as wide as their cells. Empty cells are printed as "-".
 */
#include "tool/print/table.h"

#include "tool/print/terminal.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char (*gc_table_row(struct gc_table *table))[GC_CELL]
{
  void *more = realloc(table->cells, (table->rows + 1) * sizeof *table->cells);

  if (!more)
    return NULL;
  table->cells = more;
  memset(table->cells[table->rows], 0, sizeof *table->cells);
  return table->cells[table->rows++];
}

static void measure(struct gc_table *table, size_t width[GC_TABLE_COLUMNS])
{
  for (size_t row = 0; row < table->rows; row++)
    for (size_t i = 0; i < table->columns; i++) {
      char *cell = table->cells[row][i];
      gc_make_printable(cell); /* a row must stay on one line */
      if (!*cell)
        strcpy(cell, "-");
      if (gc_terminal_columns(cell) > width[i])
        width[i] = gc_terminal_columns(cell);
    }
}

/* The least width of a last column that is flush left: its cells can be divided between words, its
 * heading cannot. */
static size_t least_width(const struct gc_table *table, size_t column)
{
  size_t longest = table->rows ? gc_terminal_columns(table->cells[0][column]) : 0;

  for (size_t row = 1; row < table->rows; row++)
    for (const char *at = table->cells[row][column]; *at; at += strspn(at, " ")) {
      const size_t length = strcspn(at, " ");

      if (length > longest)
        longest = length;
      at += length;
    }
  return longest;
}

int gc_table_start(struct gc_table *table, const char *const *titles, size_t columns,
                   unsigned right)
{
  char(*row)[GC_CELL];

  *table = (struct gc_table){.columns = columns, .right = right};
  if (!(row = gc_table_row(table)))
    return -1;
  for (size_t i = 0; i < columns; i++)
    snprintf(row[i], GC_CELL, "%s", titles[i]);
  return 0;
}

static bool is_empty(const struct gc_table *table, size_t column)
{
  for (size_t row = 1; row < table->rows; row++)
    if (*table->cells[row][column])
      return false;
  return true;
}

void gc_table_drop_empty(struct gc_table *table, const char *title)
{
  for (size_t i = table->rows ? table->columns : 0; i--;) {
    const unsigned before = (1u << i) - 1;

    if (strcmp(table->cells[0][i], title) || !is_empty(table, i))
      continue;
    table->columns--;
    table->right = (table->right & before) | (table->right >> 1 & ~before);
    for (size_t row = 0; row < table->rows; row++)
      memmove(table->cells[row][i], table->cells[row][i + 1],
              (table->columns - i) * sizeof table->cells[row][i]);
  }
}

size_t gc_table_fit(struct gc_table *table, const char *indent)
{
  size_t width[GC_TABLE_COLUMNS] = {0}, before = strlen(indent), fit = 0;

  measure(table, width);
  for (; fit < table->columns; before += width[fit++] + 1) {
    const bool divides = fit + 1 == table->columns && !(table->right >> fit & 1);

    if (before + (divides ? least_width(table, fit) : width[fit]) > table->width)
      break;
  }
  return fit < 2 && table->columns > 1 ? 2 : fit;
}

void gc_table_narrow(struct gc_table *table, const char *indent, char *left_out, size_t size)
{
  const size_t all = table->columns;

  table->width = gc_terminal_text_width();
  if (table->width >= GC_TEXT_WIDTH)
    return;
  table->columns = gc_table_fit(table, indent);
  for (size_t i = table->columns; table->rows > 1 && i < all; i++) {
    const size_t used = strlen(left_out);

    snprintf(left_out + used, size - used, "%s%s", used ? ", " : "", table->cells[0][i]);
  }
}

void gc_table_print_left_out(const char *left_out)
{
  char text[400];

  if (!*left_out)
    return;
  snprintf(text, sizeof text, "  In %zu columns, these do not fit: %s.", gc_terminal_width(),
           left_out);
  gc_terminal_print(text, NULL);
}

size_t gc_table_room(struct gc_table *table, const char *indent)
{
  size_t width[GC_TABLE_COLUMNS] = {0}, others = strlen(indent);

  measure(table, width);
  for (size_t i = 1; i < table->columns; i++)
    others += 1 + width[i];
  return others < table->width ? table->width - others : 0;
}

static const char *style_of(const struct gc_table *table, size_t row, size_t column)
{
  if (!table->colour)
    return NULL;
  if (!row)
    return GC_BOLD;
  return table->is_dim && table->is_dim(column, table->cells[row][column]) ? GC_DIM : NULL;
}

/* The last cell of a row, flush left, which begins in column `before`. Only a heading is never
 * divided. */
static void print_last(const struct gc_table *table, size_t row, const char *style, size_t before)
{
  FILE *out = table->out ? table->out : stdout;
  const char *text = table->cells[row][table->columns - 1];
  const bool divides = row && table->width > before;

  for (bool first = true; first || *text; first = false) {
    const size_t fit = divides ? gc_terminal_fit(text, table->width - before) : strlen(text);

    fprintf(out, "%*s%s%.*s%s\n", first ? 0 : (int)before, "", style ? style : "", (int)fit, text,
            style ? GC_PLAIN : "");
    text += fit;
    text += strspn(text, " ");
  }
}

void gc_table_print(struct gc_table *table, const char *indent)
{
  FILE *out = table->out ? table->out : stdout;
  size_t width[GC_TABLE_COLUMNS] = {0}, total = strlen(indent), gap = 2;

  measure(table, width);
  for (size_t i = 0; i < table->columns; i++)
    total += width[i] + (i ? gap : 0);
  if (table->width && total > table->width)
    gap = 1;
  for (size_t row = 0; row < table->rows; row++) {
    size_t at = strlen(indent);

    fputs(indent, out);
    for (size_t i = 0; i < table->columns; at += width[i++] + gap) {
      const bool right = table->right >> i & 1, last = i + 1 == table->columns;
      const char *cell = table->cells[row][i], *style = style_of(table, row, i);
      const int pad = (int)(width[i] - gc_terminal_columns(cell));

      if (last && !right) {
        print_last(table, row, style, at);
        continue;
      }
      fprintf(out, "%*s%s%s%s", right ? pad : 0, "", style ? style : "", cell,
              style ? GC_PLAIN : "");
      if (last)
        putc('\n', out);
      else
        fprintf(out, "%*s", (right ? 0 : pad) + (int)gap, "");
    }
  }
  free(table->cells);
  table->cells = NULL;
  table->rows = 0;
}

/* "L2Cache ReadGBps  A: 9017  B: 8600" */
static void print_row(const struct gc_table *table, size_t row, const char *indent, size_t keys)
{
  char text[GC_TABLE_COLUMNS * (GC_CELL + 32)];
  size_t used = (size_t)snprintf(text, sizeof text, "%s", indent);

  for (size_t i = 0; i < table->columns; i++) {
    const char *cell = table->cells[row][i], *title = table->cells[0][i];

    if (i < keys)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", cell);
    else if (strcmp(cell, "-"))
      used += (size_t)snprintf(text + used, sizeof text - used, "  %s: %s", title, cell);
  }
  gc_terminal_print(text, NULL);
}

void gc_table_print_all(struct gc_table *table, const char *indent, size_t keys)
{
  table->width = gc_terminal_width();
  if (table->width && gc_table_fit(table, indent) < table->columns) {
    for (size_t row = 1; row < table->rows; row++)
      print_row(table, row, indent, keys);
    table->rows = 0;
  }
  gc_table_print(table, indent);
}
