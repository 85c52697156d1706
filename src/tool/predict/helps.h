/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What would help a kernel most against misses in L1.
 */
#ifndef GC_TOOL_PREDICT_HELPS_H
#define GC_TOOL_PREDICT_HELPS_H

#include "predict/predict.h"

/* Their names, for people and for JSON. */
extern const char *const gc_remedy_names[GC_REMEDY_COUNT];

struct gc_helps {
  int remedy;  /* enum gc_remedy; -1: none is known to help */
  double gain; /* what it adds to the hit rate of L1, 0 to 1 */
};

/* For a kernel, or the sum of its launches: the remedy with the fewest misses. It counts only if it
 * raises the hit rate by at least GC_REMEDY_LEAST, and above that of every run with drawn values.
 */
struct gc_helps gc_helps_most(const struct gc_kernel_prediction *kernel);

/* What to do, for people: "the largest L1 (--carveout 0)". */
const char *gc_helps_sentence(const struct gc_helps *helps);

#endif
