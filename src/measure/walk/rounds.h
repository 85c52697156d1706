/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks of several parts in one launch (kernel rounds): what would otherwise be a launch for each
 * part that loads, and one for each part that is timed.
 */
#ifndef GC_MEASURE_WALK_ROUNDS_H
#define GC_MEASURE_WALK_ROUNDS_H

#include "measure/core/bench.h"
#include "measure/raw/run.h"

struct gc_rounds {
  const struct gpu_round *jobs; /* [n][rounds], of block i, or of SM i */
  uint32_t n, rounds;
  bool by_sm;   /* n is the number of SMs, which must be numbered without gaps */
  bool in_step; /* only by SM: none begins a round before all have ended the one before */
  struct gc_binning binning;
  uint32_t results; /* that jobs with timed loads name */
  uint32_t traced;  /* 0: sums for each result; otherwise a trace of so many loads for each */
};

/* sums: [results], if there are sums; trace: [results][traced], raw cycles; sm: [n], the SM of each
 * block, unless by SM. Any of them may be NULL. spread: each SM ran one block, or, unless by SM, no
 * two blocks met; otherwise the times mean nothing. */
struct gc_rounds_seen {
  struct gpu_chase_result *sums;
  uint32_t *trace, *sm;
  bool spread;
};

/* One launch. It is not repeated if the blocks do not spread, because it may have changed what
 * caches and TLBs contain. 0 or a negative errno. */
int gc_rounds_run(struct gc_bench *bench, const struct gc_rounds *rounds,
                  struct gc_rounds_seen *seen);

/* The same until the blocks spread. -EIO if they never do, or if other loads were timed than asked
 * for. */
int gc_rounds_sure(struct gc_bench *bench, const struct gc_rounds *rounds,
                   struct gc_rounds_seen *seen);

#endif
