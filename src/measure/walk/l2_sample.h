/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of an array L2 keeps, from a sample of its lines.
 */
#ifndef GC_MEASURE_WALK_L2_SAMPLE_H
#define GC_MEASURE_WALK_L2_SAMPLE_H

#include "measure/core/measurement.h"
#include "measure/raw/run.h"

/* The reason for an absent property after -ENOTSUP. */
#define GC_NOT_SAMPLED                                                                             \
  "how many L2 there are is not known, and so not which of them a lone block gets"

struct gc_l2_sampling {
  uint32_t stride;      /* bytes between the slots that may be timed */
  uint32_t read_stride; /* bytes between the loads that read the array */
  uint32_t loads;       /* timed loads, at most */
  uint64_t which; /* selects one of many samples: a single sample could miss the few lines that do
                     not fit */
  bool ascending; /* the sample goes through the array once from the begin to the end, so that loads
                     of one page follow each other, and `which` is its first slot; otherwise it is
                     scattered */
  uint32_t part; /* the part of the sample that is timed, the first one being number 0 */
};

/* The threshold in raw cycles between loads of lines that one SM keeps near and all others, once
 * the capacity is known. */
uint32_t gc_l2_threshold(const struct gc_measurement *m);

/* SMs that are near to one partition read run->bytes through L2, and then time a scattered sample
 * of them. run->seen gets sums and the histogram. -ENOTSUP: AMD, and the number of L2 caches is not
 * known. */
int gc_l2_sample(struct gc_measurement *m, const struct gc_l2_sampling *sample,
                 const struct gc_binning *binning, struct gc_run *run);

#endif
