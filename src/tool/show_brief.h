/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The few lines below the tables of a record.
 */
#ifndef GC_TOOL_SHOW_BRIEF_H
#define GC_TOOL_SHOW_BRIEF_H

#include "record/record.h"

#include <stdio.h>

#define GC_BRIEF_LINES 5

/* Writes at most GC_BRIEF_LINES lines, none longer than GC_TEXT_WIDTH: why the record is
 * provisional, partitions, sharing, carve-outs, and which values are missing in the tables. The last
 * line says how to see more. only: a set of kinds, as gc_show_has. */
void gc_show_brief(const struct gc_record *record, unsigned only, FILE *out);

#endif
