/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a record.
 */
#ifndef GC_TOOL_DESCRIBE_TABLE_H
#define GC_TOOL_DESCRIBE_TABLE_H

#include "record/record.h"
#include "tool/print/table.h"

#include <stdbool.h>

/* The column of the first table that has confidences. */
#define GC_SHOW_CONFIDENCE 7

/* Makes the two tables: what each element holds, and how fast it is. Row 0 has the headings; a name
 * is indented by two blanks for each level. Elements have a row in a table if it has a value of
 * them; a table without values has only row 0. only: a set of kinds, 0: all. 0, and the caller
 * prints the tables or frees their cells; -ENOMEM with none. */
int gc_show_make(const struct gc_record *record, unsigned only, struct gc_table *holds,
                 struct gc_table *fast);

/* Whether these tables, or the line about storage, show this property ("Capacity", "Instances");
 * false for what the vendor states. The name need not end with a NUL. */
bool gc_show_tables_have(const char *property, size_t length);

#endif
