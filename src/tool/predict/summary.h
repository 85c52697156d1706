/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels of a prediction in one table, with the launches of each name added up.
 */
#ifndef GC_TOOL_PREDICT_SUMMARY_H
#define GC_TOOL_PREDICT_SUMMARY_H

#include "tool/predict/predicted.h"
#include "tool/print/table.h"

#define GC_LEFT_OUT 200

/* Makes the table. left_out: "" for one that is as wide as the terminal, and gets the list of
 * gc_table_narrow; or NULL for one on a page. 0, or -1: out of memory. The caller prints it or
 * frees its rows in both cases. */
int gc_summary_table(const struct gc_prediction *prediction, struct gc_table *table,
                     char left_out[GC_LEFT_OUT]);

/* Makes the next table of those with columns for each GPU; *next begins with 0. left_out: likewise.
 * 1, and the caller prints the table or frees its rows; 0: there are no more; -1: out of memory. */
int gc_side_by_side_table(const struct gc_predicted *predicted, size_t count, size_t *next,
                          struct gc_table *table, char left_out[GC_LEFT_OUT]);

#endif
