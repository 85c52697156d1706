/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels of a prediction in one table, with the launches of each name added up.
 */
#ifndef GC_TOOL_PREDICT_SUMMARY_H
#define GC_TOOL_PREDICT_SUMMARY_H

#include "tool/predict/predicted.h"

/* Each: 0, or -1: out of memory. */
int gc_predict_print_summary(const struct gc_prediction *prediction);

/* Several GPUs: which they are, and the kernels with columns for each. */
int gc_predict_print_side_by_side(const struct gc_predicted *predicted, size_t count);

#endif
