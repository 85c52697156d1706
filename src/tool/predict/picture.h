/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures of hit rate over capacity and of reuse distances, two for each kernel.
 */
#ifndef GC_TOOL_PREDICT_PICTURE_H
#define GC_TOOL_PREDICT_PICTURE_H

#include "predict/predict.h"
#include "tool/sources/sources.h"

/* Predicts the hit rates for many capacities of L1, writes them and the reuse distances into the
 * directory tool->plot as files in the form of measure --raw, and lets plot draw that directory. An
 * exit code. */
int gc_predict_draw(const struct gc_tool *tool, const struct gc_source *source,
                    const struct gc_predict_job *job);

#endif
