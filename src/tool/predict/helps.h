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

/* For one kernel, or the sum of several launches with one name: the remedy with the fewest misses.
 * It counts only if it raises the hit rate by at least GC_REMEDY_LEAST, and above that of every run
 * with drawn values. accesses, misses:
 * sectors of loads in L1; fewest: the misses of the run that has the fewest. */
struct gc_helps gc_helps_most(uint64_t accesses, uint64_t misses, double fewest,
                              const struct gc_remedy_effect effects[GC_REMEDY_COUNT]);

/* The fewest misses in L1 of all runs. */
double gc_helps_fewest(const struct gc_kernel_prediction *kernel);

/* The same for a kernel. */
struct gc_helps gc_helps_kernel(const struct gc_kernel_prediction *kernel);

/* What to do, for people: "the largest L1 (--carveout 0)". */
const char *gc_helps_sentence(const struct gc_helps *helps);

#endif
