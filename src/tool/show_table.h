/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as tables for people.
 */
#ifndef GC_TOOL_SHOW_TABLE_H
#define GC_TOOL_SHOW_TABLE_H

#include "record/record.h"
#include "tool/table.h"
#include "tool/tool.h"

/* Prints the record; gpu is the name to print. tool: which elements (--element), and whether in
 * colour. GC_EXIT_DONE, or GC_EXIT_FAILED without memory (printed). */
int gc_show_table(const struct gc_record *record, const char *gpu, const struct gc_tool *tool);

/* Makes the two tables: what each element holds, and how fast it is. Row 0 has the headings; a name
 * is indented by two blanks for each level. A table without values has only row 0. only: a set of
 * kinds, 0: all. 0, and the caller prints the tables or frees their cells; -ENOMEM with none. */
int gc_show_make(const struct gc_record *record, unsigned only, struct gc_table *holds,
                 struct gc_table *fast);

#endif
