/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * P-chases: launches that follow a ring in memory and time single loads or whole chains.
 * doc/methods.md, "Timed load" and "Latency".
 *
 * All functions return 0, or a negative errno with a sentence in bench->err. -EIO: the driver
 * failed; or a kernel did not do what its arguments say; or two blocks of a launch ran on the same
 * SM, where they share caches, in all attempts.
 */
#ifndef GC_MEASURE_WALK_CHASE_H
#define GC_MEASURE_WALK_CHASE_H

#include "measure/core/bench.h"
#include "measure/raw/run.h"
#include "measure/results/results.h"
#include "measure/walk/path.h"

/* Walks arrays of runs[i].bytes, each on an SM of its own, in as few launches as possible: at least
 * two untimed passes over each array, then a timed one. The ring must be in order and have at least
 * the largest size. */
int gc_chase_sizes(struct gc_bench *bench, const struct gc_path *path,
                   const struct gc_binning *binning, struct gc_run *runs, size_t n);

/* n blocks, each on an SM of its own, follow the ring from starts[i]: `warm` untimed loads, then
 * `loads` loads, each timed alone. trace: `loads` values of each block, raw cycles. n <= SMs, and
 * n * loads <= GC_TRACE_MAX. */
struct gc_traced {
  const uint64_t *starts; /* [n] */
  const uint64_t *ends;   /* [n] where the ring continues at the start; NULL: nowhere */
  size_t n;
  uint32_t warm, loads;
};
int gc_chase_trace(struct gc_bench *bench, const struct gc_path *path,
                   const struct gc_traced *traced, uint32_t *trace);

/* A chain without clock reads inside: `warm` loads, then `repeats` times the cycles of n and of 2n
 * loads. */
struct gc_chain {
  uint32_t warm, n, repeats;
};
int gc_chain_cycles(struct gc_bench *bench, const struct gc_path *path,
                    const struct gc_chain *chain, struct gpu_latency_result *seen);

/* The latency of dependent loads over a closed ring: the median over repetitions of the slope
 * between n and 2n loads, and its confidence for +-tolerance cycles (stats.h). */
int gc_chain_latency(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                     double tolerance, struct gc_latency *latency);

/* The slopes that chains of n loads would have had, from loads that were timed alone. They contain
 * what timing adds. A chain adds up its loads, so if some are delayed, its slope is nearer to the
 * mean of all loads than to the median; these slopes are, too, by as much. Returns how many there
 * are, at most loads / n. */
size_t gc_slopes_of_single(const uint32_t *trace, size_t loads, uint32_t n, double *slopes);

#endif
