/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predictions as an HTML page, which needs no other file.
 */
#ifndef GC_TOOL_PREDICT_PREDICTED_PAGE_H
#define GC_TOOL_PREDICT_PREDICTED_PAGE_H

#include "tool/predict/predicted.h"

#include <stdio.h>

/* Which kernels of a prediction the page shows with a section of their own: the caller frees the
 * array. NULL: no memory. */
bool *gc_predicted_page_shows(const struct gc_prediction *prediction);

/* Writes the page: each GPU that has not failed has a prediction, and its sweep is that of
 * gc_curve_run. command: the command line. 0, or a negative errno with a sentence. */
int gc_predicted_page(FILE *out, const char *command, const struct gc_predicted *predicted,
                      size_t count, struct gc_error *err);

#endif
