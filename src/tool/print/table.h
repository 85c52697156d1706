/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables for people: columns that are as wide as their cells.
 */
#ifndef GC_TOOL_PRINT_TABLE_H
#define GC_TOOL_PRINT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GC_TABLE_COLUMNS 11
#define GC_CELL 640 /* bytes */

struct gc_table {
  char (*cells)[GC_TABLE_COLUMNS][GC_CELL];
  size_t rows, columns;
  unsigned right; /* bit i: column i is flush right */
  size_t width;   /* the longest line, if a smaller gap and a divided last cell suffice; 0: any */
  FILE *out;      /* NULL: stdout */
  bool colour;    /* the first row is bold, and cells that is_dim names are dim */
  bool (*is_dim)(size_t column, const char *cell); /* NULL: none */
};

/* Begins a table with a row of titles. right: as in the table. 0, or -1: out of memory. */
int gc_table_start(struct gc_table *table, const char *const *titles, size_t columns,
                   unsigned right);

/* Appends a row of empty cells, valid until the next call. NULL: out of memory. */
char (*gc_table_row(struct gc_table *table))[GC_CELL];

/* Removes the columns with this title of which all cells are empty. */
void gc_table_drop_empty(struct gc_table *table, const char *title);

/* How many of the columns, from the first one on, fit in `width`; at least two. A caller can set
 * `columns` to it, so that no line is too long. */
size_t gc_table_fit(struct gc_table *table, const char *indent);

/* Makes the lines of the table as wide as the terminal, but not wider than GC_TEXT_WIDTH. On a
 * terminal that is narrower, the last columns are left out, and their titles appended to a list. */
void gc_table_narrow(struct gc_table *table, const char *indent, char *left_out, size_t size);

/* Prints a line that names the columns of such a list, unless it is empty. */
void gc_table_print_left_out(const char *left_out);

/* The columns that the others leave for the first one, if no line is longer than `width`. */
size_t gc_table_room(struct gc_table *table, const char *indent);

/* Prints the table and frees its rows. */
void gc_table_print(struct gc_table *table, const char *indent);

/* Like gc_table_print, but no column is left out. If a gc_terminal_width is known and the table does
 * not fit, prints each row as text: its first `keys` cells, then each other one after its title. */
void gc_table_print_all(struct gc_table *table, const char *indent, size_t keys);

#endif
