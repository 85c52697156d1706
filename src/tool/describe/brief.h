/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The few lines below the tables of a record.
 */
#ifndef GC_TOOL_DESCRIBE_BRIEF_H
#define GC_TOOL_DESCRIBE_BRIEF_H

#include "record/record.h"

#include <stdio.h>

#define GC_BRIEF_LINES 5

/* Writes what becomes at most GC_BRIEF_LINES lines with gc_terminal_print: why the record is
 * provisional, partitions, sharing, carve-outs, and which values are missing in the tables. The
 * last line says how to see more. Only the sentence about a provisional record is longer than
 * GC_TEXT_WIDTH. only: a set of kinds, as gc_show_has. */
void gc_show_brief(const struct gc_record *record, unsigned only, FILE *out);

#endif
