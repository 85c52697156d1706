/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sections of a page that come from the record. Each writes its heading, or nothing if the
 * record has nothing for it.
 */
#ifndef GC_TOOL_REPORT_SECTIONS_H
#define GC_TOOL_REPORT_SECTIONS_H

#include "tool/report/subject.h"

/* hierarchy.c: nested boxes with the elements, as lstopo draws them. */
void gc_report_hierarchy(FILE *out, const struct gc_report *report);

/* summary.c: the tables that show prints (-ENOMEM without memory), and the facts of the GPU. */
int gc_report_summary(FILE *out, const struct gc_report *report);
void gc_report_facts(FILE *out, const struct gc_report *report);

/* carveouts.c: bars of the capacity by carve-out; the partitions of an L2. */
void gc_report_carveouts(FILE *out, const struct gc_report *report);
void gc_report_partitions(FILE *out, const struct gc_report *report);

/* values.c: for each element a table of all values and of what is absent, with confidence and
 * method. */
void gc_report_values(FILE *out, const struct gc_report *report);

#endif
