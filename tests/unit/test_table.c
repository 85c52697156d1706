/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables for people: what is divided when they are too wide, and what never is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tool/print/format.h"
#include "tool/print/table.h"
#include "tool/print/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of two columns; the last one is flush left. */
static void make(struct gc_table *table, const char *cell)
{
  static const char *const titles[] = {"ELEMENT", "SHARED WITH"};
  char(*row)[GC_CELL];

  assert_int_equal(gc_table_start(table, titles, 2, 0), 0);
  assert_non_null(row = gc_table_row(table));
  snprintf(row[0], GC_CELL, "L1Cache");
  snprintf(row[1], GC_CELL, "%s", cell);
}

/* What is printed in so many columns. */
static void prints(const char *cell, size_t width, const char *expected)
{
  struct gc_table table;
  char *text = NULL;
  size_t size;

  make(&table, cell);
  assert_non_null(table.out = open_memstream(&text, &size));
  table.width = width;
  gc_table_print(&table, "");
  fclose(table.out);
  assert_string_equal(text, expected);
  free(text);
}

static void a_heading_is_never_divided(void **state)
{
  (void)state;
  prints("L1, Texture", 19, "ELEMENT SHARED WITH\nL1Cache L1, Texture\n");
  prints("L1, Texture", 15, "ELEMENT SHARED WITH\nL1Cache L1,\n        Texture\n");
}

/* No blank is left at the end of a line, and none begins the next one. */
static void a_cell_is_divided_between_words(void **state)
{
  (void)state;
  prints("a b c d e f", 12, "ELEMENT SHARED WITH\nL1Cache a b\n        c d\n        e f\n");
}

/* How many of three columns fit. */
static size_t fits(size_t width)
{
  struct gc_table table;
  size_t fit;

  make(&table, "x");
  table.columns = 3;
  strcpy(table.cells[0][2], "WHY NOT");
  strcpy(table.cells[1][2], "a b c");
  table.width = width;
  fit = gc_table_fit(&table, "");
  free(table.cells);
  return fit;
}

static void a_column_fits_if_its_heading_and_words_do(void **state)
{
  (void)state;
  assert_int_equal(fits(strlen("ELEMENT SHARED WITH WHY NOT")), 3);
  assert_int_equal(fits(strlen("ELEMENT SHARED WITH WHY NO")), 2);
}

static void texts_are_divided_before_blanks_and_after_commas(void **state)
{
  (void)state;
  assert_int_equal(gc_terminal_fit("one two three", 13), 13);
  assert_int_equal(gc_terminal_fit("one two three", 9), 7);
  assert_int_equal(gc_terminal_fit("one two three", 7), 7);
  assert_int_equal(gc_terminal_fit("one   two", 5), 3);
  assert_int_equal(gc_terminal_fit("0x80,0x100", 7), 5);
  assert_int_equal(gc_terminal_fit("words", 3), 3);
  assert_int_equal(gc_terminal_fit("\xc3\xbc\xc3\xbc", 1), 2);
  assert_int_equal(gc_terminal_fit("", 3), 0);
}

static void sizes_have_few_digits(void **state)
{
  static const struct {
    uint64_t bytes;
    const char *text;
  } sizes[] = {{217 * 1024, "217 KiB"},
               {1023, "1023 B"},
               {27892122, "26.60 MiB"},
               {(UINT64_C(1) << 30) * 3 / 2, "1.50 GiB"},
               {150109110272, "139.8 GiB"},
               {UINT64_C(1) << 40, "1 TiB"},
               {(UINT64_C(100) << 30) + 1, "100.0 GiB"}};
  char text[32];

  (void)state;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
    gc_format_bytes(sizes[i].bytes, text, sizeof text);
    assert_string_equal(text, sizes[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_heading_is_never_divided),
      cmocka_unit_test(a_cell_is_divided_between_words),
      cmocka_unit_test(a_column_fits_if_its_heading_and_words_do),
      cmocka_unit_test(texts_are_divided_before_blanks_and_after_commas),
      cmocka_unit_test(sizes_have_few_digits),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
