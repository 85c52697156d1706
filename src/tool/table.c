/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns are as wide as their cells. Empty cells are printed as "-".
 */
#include "tool/table.h"

#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char (*gc_table_row(struct gc_table *table))[GC_CELL]
{
  void *more = realloc(table->cells, (table->rows + 1) * sizeof *table->cells);

  if (!more)
    return NULL;
  table->cells = more;
  memset(table->cells[table->rows], 0, sizeof *table->cells);
  return table->cells[table->rows++];
}

void gc_table_print(struct gc_table *table, const char *indent)
{
  size_t width[GC_TABLE_COLUMNS] = {0};

  for (size_t row = 0; row < table->rows; row++)
    for (size_t i = 0; i < table->columns; i++) {
      char *cell = table->cells[row][i];
      gc_make_printable(cell); /* a row must stay on one line */
      if (!*cell)
        strcpy(cell, "-");
      if (strlen(cell) > width[i])
        width[i] = strlen(cell);
    }
  for (size_t row = 0; row < table->rows; row++) {
    fputs(indent, stdout);
    for (size_t i = 0; i < table->columns; i++) {
      bool right = table->right >> i & 1, last = i + 1 == table->columns;
      int pad = right ? (int)width[i] : last ? 0 : -(int)width[i];
      printf("%*s%s", pad, table->cells[row][i], last ? "\n" : "  ");
    }
  }
  free(table->cells);
  table->cells = NULL;
  table->rows = 0;
}
