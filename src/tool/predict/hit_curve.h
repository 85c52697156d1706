/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hit rates of kernels over the capacity of L1, and their reuse distances, as the data of
 * pictures.
 */
#ifndef GC_TOOL_PREDICT_HIT_CURVE_H
#define GC_TOOL_PREDICT_HIT_CURVE_H

#include "tool/predict/sweep.h"
#include "tool/sources/sources.h"

/* Whether any kernel has loads that look into L1: only those have a curve. */
bool gc_curve_exists(const struct gc_prediction *prediction);

/* Predicts all kernels for many capacities, with the values of the record only: all points have a
 * prediction, and the first one has reuse distances. 0, or a negative errno with a sentence. The
 * caller always calls gc_sweep_free. */
int gc_curve_run(struct gc_sweep *sweep, const struct gc_predict_job *job, struct gc_error *err);

/* Something about a kernel that has loads in L1, in the form of measure --raw; the caller frees
 * *text. 0, or -ENOMEM with a sentence. */
typedef int gc_curve_function(const struct gc_source *source, const struct gc_sweep *sweep,
                              size_t kernel, char **text, size_t *length, struct gc_error *err);

gc_curve_function gc_curve_text;      /* its curve */
gc_curve_function gc_curve_distances; /* the histogram of its reuse distances */

#endif
