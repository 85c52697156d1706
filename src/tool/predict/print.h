/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predictions as text for people, and as JSON.
 */
#ifndef GC_TOOL_PREDICT_PRINT_H
#define GC_TOOL_PREDICT_PRINT_H

#include "tool/predict/sweep.h"
#include "tool/sources/sources.h"

/* Each prints to stdout and returns an exit code. */
int gc_predict_print(const struct gc_source *source, const struct gc_prediction *prediction);
int gc_predict_print_sweep(const struct gc_source *source, const struct gc_sweep *sweep);

/* prediction or sweep: the other one is NULL. */
int gc_predict_print_json(const struct gc_source *source, const struct gc_prediction *prediction,
                          const struct gc_sweep *sweep);

/* Names the kernels that cannot be read, on stderr. GC_EXIT_FAILED if there are any. */
int gc_predict_name_left_out(const struct gc_prediction *prediction);

#endif
