/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The prediction for one GPU, or why there is none.
 */
#ifndef GC_TOOL_PREDICT_PREDICTED_H
#define GC_TOOL_PREDICT_PREDICTED_H

#include "tool/predict/sweep.h"
#include "tool/sources/sources.h"

struct gc_predicted {
  const struct gc_source *source;
  bool several;                     /* there are other GPUs */
  struct gc_prediction *prediction; /* NULL with --sweep, or if it failed */
  struct gc_sweep sweep; /* with --sweep: the result; with --html: the curve */
  bool failed;
  struct gc_error why; /* if it failed */
};

/* The prediction, or the first of the sweep. Only if it did not fail. */
static inline const struct gc_prediction *gc_predicted_any(const struct gc_predicted *predicted)
{
  return predicted->prediction ? predicted->prediction : gc_sweep_any(&predicted->sweep);
}

#endif
