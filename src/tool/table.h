/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables for people: columns that are as wide as their cells.
 */
#ifndef GC_TOOL_TABLE_H
#define GC_TOOL_TABLE_H

#include <stddef.h>

#define GC_TABLE_COLUMNS 11
#define GC_CELL 640 /* bytes */

struct gc_table {
  char (*cells)[GC_TABLE_COLUMNS][GC_CELL];
  size_t rows, columns;
  unsigned right; /* bit i: column i is flush right */
};

/* Appends a row of empty cells, valid until the next call. NULL: out of memory. */
char (*gc_table_row(struct gc_table *table))[GC_CELL];

/* Prints the table to stdout and frees its rows. */
void gc_table_print(struct gc_table *table, const char *indent);

#endif
