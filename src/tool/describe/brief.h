/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The few lines below the tables of a record.
 */
#ifndef GC_TOOL_DESCRIBE_BRIEF_H
#define GC_TOOL_DESCRIBE_BRIEF_H

#include "record/record.h"

#define GC_BRIEF_LINES 5

/* Prints at most GC_BRIEF_LINES lines: why the record is provisional, which values are missing in
 * the tables, storage, partitions, carve-outs, instances. The last line says how to see more. No
 * line is longer than the terminal; below 80 columns there are more lines. only: a set of kinds, as
 * gc_show_has. left_out: the columns that do not fit. 0, or -1: out of memory. */
int gc_show_brief(const struct gc_record *record, unsigned only, const char *left_out);

#endif
