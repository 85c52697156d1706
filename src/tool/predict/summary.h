/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels of a prediction in one table, with the launches of each name added up.
 */
#ifndef GC_TOOL_PREDICT_SUMMARY_H
#define GC_TOOL_PREDICT_SUMMARY_H

#include "predict/predict.h"

/* 0, or -1: out of memory. */
int gc_predict_print_summary(const struct gc_prediction *prediction);

#endif
