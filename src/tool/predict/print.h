/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predictions as text for people, and as JSON.
 */
#ifndef GC_TOOL_PREDICT_PRINT_H
#define GC_TOOL_PREDICT_PRINT_H

#include "tool/predict/predicted.h"

/* Each prints to stdout and returns an exit code. At least one GPU has not failed; the text is
 * without those that have. */
int gc_predict_print(const struct gc_predicted *predicted, size_t count);
int gc_predict_print_sweeps(const struct gc_predicted *predicted, size_t count);

/* An object; for several GPUs, an array of them. */
int gc_predict_print_json(const struct gc_predicted *predicted, size_t count);

/* Names the kernels that cannot be read, on stderr. GC_EXIT_FAILED if there are any. */
int gc_predict_name_left_out(const struct gc_prediction *prediction);

/* The same for kernels that cannot run on a GPU. gpu: its name if there are others, else NULL. */
int gc_predict_name_cannot_run(const struct gc_prediction *prediction, const char *gpu);

#endif
