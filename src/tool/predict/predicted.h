/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was predicted for a GPU.
 */
#ifndef GC_TOOL_PREDICT_PREDICTED_H
#define GC_TOOL_PREDICT_PREDICTED_H

#include "tool/predict/sweep.h"
#include "tool/sources/sources.h"

struct gc_predicted {
  const struct gc_source *source;
  bool several;                     /* there are other GPUs */
  struct gc_prediction *prediction; /* NULL: the sweep instead, or it failed */
  struct gc_sweep sweep;
  bool failed;
  struct gc_error why; /* then */
};

/* The prediction, or one of the sweep. It did not fail. */
static inline const struct gc_prediction *gc_predicted_any(const struct gc_predicted *predicted)
{
  return predicted->prediction ? predicted->prediction : gc_sweep_any(&predicted->sweep);
}

#endif
