/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is what was measured as a level really that level, or the one behind it? doc/methods.md,
 * "Agreement".
 */
#ifndef GC_MEASURE_CHECK_NEXT_LEVEL_H
#define GC_MEASURE_CHECK_NEXT_LEVEL_H

#include "measure/results/results.h"

/* An L2 or L3 compared with the level behind it. */
struct gc_next_level {
  enum gc_kind next;  /* the level behind: GC_L3 or GC_DEVICE_MEMORY */
  bool same_latency;  /* the element's loads take 0.9 times as long as those of next, or longer */
  bool other_penalty; /* latency and miss penalty together are not the latency of next */
  bool same_reads;    /* reads of next are 0.9 times as fast as those of the element, or faster */
  bool same_writes;   /* the same for writes, and reads do not show that they went to the element */
};

/* kind: GC_L2 or GC_L3. A value that was not measured on both levels is not the same. */
struct gc_next_level gc_next_level_compare(const struct gc_results *results, enum gc_kind kind);

/* Withholds values of L2 and L3 that are those of the next level, and warns: all measured values
 * if the latency is the same, else the bandwidths that are. If it is not known how much L2 fetches,
 * those of the L3 with the same latency, too. Also withholds a miss penalty that is
 * not the difference of the latencies: some loads that were taken for misses hit. To be called when
 * the plan is done. */
void gc_check_next_level(struct gc_results *results);

#endif
