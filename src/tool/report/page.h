/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of one GPU: a header, then sections. The sections write their heading, or nothing if the
 * record has nothing for them.
 */
#ifndef GC_TOOL_REPORT_PAGE_H
#define GC_TOOL_REPORT_PAGE_H

#include "record/record.h"
#include "tool/plot/raw_data.h"
#include "util/error.h"

#include <stdio.h>

/* The GPU that a page describes. */
struct gc_report {
  const struct gc_record *record;
  const char *source;  /* where the record is from: "gpu0" or the path of a file */
  const char *command; /* the command line */
  const char *raw;     /* the directory of measure --raw; NULL: none */
};

/* page.c: writes the whole page. 0; 1 if some files of measure --raw could not be used, after a
 * message for each; or a negative errno with a sentence, and the caller discards the output. */
int gc_report_page(FILE *out, const struct gc_report *report, struct gc_error *err);

/* hierarchy.c: nested boxes with the elements, as lstopo draws them. */
void gc_report_hierarchy(FILE *out, const struct gc_report *report);

/* summary.c: the tables that show prints (-ENOMEM without memory), and the facts of the GPU. */
int gc_report_summary(FILE *out, const struct gc_report *report);
void gc_report_facts(FILE *out, const struct gc_report *report);

/* carveouts.c: bars of the capacity by carve-out; the partitions of an L2. */
void gc_report_carveouts(FILE *out, const struct gc_report *report);
void gc_report_partitions(FILE *out, const struct gc_report *report);

/* curves.c: draws the files of report->raw that belong to this GPU: those with its id, or if there
 * is none, those of the first GPU of the same model; the page then says so. Without report->raw,
 * says how to get curves. 0; 1 if some files could not be used, after a message for each; or a
 * negative errno with a sentence if there is nothing to draw. */
int gc_report_curves(FILE *out, const struct gc_report *report, struct gc_error *err);

/* sms.c: if this is the file with the latency of L2 on each SM, and it depends on the SM, draws the
 * SMs by GPC. */
void gc_report_sms(FILE *out, const struct gc_record *record, const struct gc_plot *plot);

/* values.c: for each element a table of all values and of what is absent, with confidence and
 * method. */
void gc_report_values(FILE *out, const struct gc_report *report);

#endif
