/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of loads that hit an element, and of loads that miss it and hit the next level.
 * doc/methods.md, "Miss penalty".
 */
#ifndef GC_MEASURE_WALK_LEVELS_H
#define GC_MEASURE_WALK_LEVELS_H

#include "measure/core/measurement.h"

/* Raw cycles: the midhinge or median of each repetition. Misses of L2 end in L3 if there is one,
 * else in memory. All are 0 if L2 loses its contents between launches and no SM misses only the
 * element. */
#define GC_LEVEL_REPEATS 7
struct gc_levels {
  double hit[GC_LEVEL_REPEATS], miss[GC_LEVEL_REPEATS];
};

/* repeats: 1 to GC_LEVEL_REPEATS. The result for the last element is kept for its next steps. */
int gc_find_levels(struct gc_measurement *m, enum gc_kind kind, unsigned repeats,
                   struct gc_levels *levels);

/* Whether loads that miss take clearly longer than loads that hit, in the first of GC_LEVEL_REPEATS
 * repetitions and in the median of all. */
bool gc_levels_differ(const struct gc_levels *levels);

/* A threshold between hits and misses (their geometric mean), raw cycles; 0: they differ by less
 * than a quarter. */
double gc_levels_threshold(const struct gc_levels *levels);

/* The reason for an absent property if the threshold is 0, or if the levels do not differ. */
const char *gc_levels_why(const struct gc_levels *levels);

/* Bytes of a ring that fits the L1.5 but not the constant L1: four times the constant L1 if that is
 * known, and no more than necessary, because the L1.5 may be small. */
uint64_t gc_beyond_constant_l1(const struct gc_results *results);

/* Bytes between the loads of a walk of which each is to miss the constant L1: at least what that
 * fetches at a time, if that is known. */
uint32_t gc_constant_l15_stride(const struct gc_results *results);

/* Whether it was tried to find that, in vain: then such a walk may hit the constant L1. */
bool gc_constant_fetch_unknown(const struct gc_results *results);
extern const char gc_constant_fetch_why[]; /* why a value is absent then */

/* Do all loads of a ring of `bytes` bytes miss the constant L1, so that they show the next level?
 * Below, the reason for an absent property if they do not. */
bool gc_misses_constant_l1(const struct gc_results *results, uint64_t bytes);
extern const char gc_constant_l1_hides[];

#endif
