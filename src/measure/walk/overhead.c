/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The timing overhead. The same loads inside the SM are timed twice: each alone, and as a chain
 * that reads the clock only at its two ends. The difference is the overhead. doc/methods.md,
 * "Timing overhead"; for the chain: Pascal, p-chase guide.
 */
#include "measure/walk/overhead.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>

#define TRIES 4
#define SURE_ENOUGH 0.95
#define ALONE 128 /* loads that are timed alone */
#define CHAIN_LOADS 64
#define MORE_ALONE 4608 /* the same if some loads are delayed */
#define GROUPS 9        /* groups of chains; */
#define GROUP_CHAINS 8  /* the fastest chain of each group counts */
#define CHAINS (GROUPS * GROUP_CHAINS)
/* While no more than one load in so many is delayed, 92 of 100 groups have a chain of 2 *
 * CHAIN_LOADS without one, so that five of the nine groups lack one in fewer than 1 of 1,000
 * cases. */
#define DELAYED_FEW 100
_Static_assert(CHAINS <= MORE_ALONE / CHAIN_LOADS, "both have space");
#define RING_BYTES 1024 /* fits every L1 */
/* Cycles: single timed loads take hundreds of cycles, and are accurate to 2 %. */
#define TOLERANCE 2

/* The latency of a load inside the SM. Some loads take much longer for unknown reasons. Few chains
 * are free of them, but the fastest of several chains is. */
static void take_fastest(const struct gpu_latency_result *seen, struct gc_latency *chain)
{
  double slopes[GROUPS];

  for (size_t g = 0; g < GROUPS; g++) {
    uint32_t n = UINT32_MAX, twice = UINT32_MAX;

    for (size_t i = g * GROUP_CHAINS; i < (g + 1) * GROUP_CHAINS; i++) {
      n = seen[i].cycles_n < n ? seen[i].cycles_n : n;
      twice = seen[i].cycles_2n < twice ? seen[i].cycles_2n : twice;
    }
    slopes[g] = ((double)twice - (double)n) / CHAIN_LOADS;
  }
  chain->cycles = gc_median(slopes, GROUPS);
  chain->confidence = gc_median_confidence(slopes, GROUPS, chain->cycles, TOLERANCE);
}

static struct gc_latency median_of(double *slopes, size_t n)
{
  const double median = gc_median(slopes, n);

  return (struct gc_latency){median, gc_median_confidence(slopes, n, median, TOLERANCE)};
}

/* If a few loads in a hundred or more are delayed, even the fastest chain has some of them. Then
 * all chains count, and are compared with chains of loads that were timed alone, which have as
 * many. */
static int compare_delayed(struct gc_bench *bench, const struct gc_path *path,
                           const struct gc_traced *once, const struct gpu_latency_result *seen,
                           struct gc_latency *overhead)
{
  uint32_t *trace = gc_step_alloc(bench, MORE_ALONE, sizeof(*trace));
  double slopes[MORE_ALONE / CHAIN_LOADS];
  struct gc_traced traced = *once;
  struct gc_latency alone, chain;
  int status;

  traced.loads = MORE_ALONE;
  if ((status = trace ? gc_chase_trace(bench, path, &traced, trace) : -ENOMEM))
    return status;
  alone = median_of(slopes, gc_slopes_of_single(trace, MORE_ALONE, CHAIN_LOADS, slopes));
  for (size_t i = 0; i < CHAINS; i++)
    slopes[i] = ((double)seen[i].cycles_2n - (double)seen[i].cycles_n) / CHAIN_LOADS;
  chain = median_of(slopes, CHAINS);
  if (alone.confidence * chain.confidence > 0.5)
    *overhead =
        (struct gc_latency){alone.cycles - chain.cycles, alone.confidence * chain.confidence};
  return 0;
}

bool gc_overhead_delayed(double *alone, size_t n)
{
  const size_t counted = n - n / DELAYED_FEW;
  double sum = 0;

  gc_sort(alone, n);
  for (size_t i = 0; i < counted; i++)
    sum += alone[i];
  return sum / (double)counted > gc_median(alone, n) + TOLERANCE;
}

/* One attempt: the latency of loads timed alone, less their latency in a chain. */
static int try_once(struct gc_bench *bench, const struct gc_path *path, struct gc_latency *overhead)
{
  const uint32_t slots = (uint32_t)(path->latency_bytes / path->latency_stride);
  const uint64_t start = gc_ring_address(bench, path->space, 0);
  const struct gc_traced traced = {.starts = &start, .n = 1, .warm = 2 * slots, .loads = ALONE};
  const struct gc_chain chains = {2 * slots, CHAIN_LOADS, 1 + CHAINS}; /* the first warms up */
  struct gpu_latency_result seen[1 + CHAINS];
  uint32_t trace[ALONE];
  double alone[ALONE], median;
  struct gc_latency chain;
  int status;

  if ((status = gc_ring_lay(bench, path->space, path->latency_bytes, path->latency_stride, 1)) ||
      (status = gc_chain_cycles(bench, path, &chains, seen)) ||
      (status = gc_chase_trace(bench, path, &traced, trace)))
    return status;
  for (size_t i = 0; i < ALONE; i++)
    alone[i] = trace[i];
  median = gc_median(alone, ALONE);
  take_fastest(seen + 1, &chain);
  overhead->cycles = median - chain.cycles;
  overhead->confidence = chain.confidence * gc_median_confidence(alone, ALONE, median, TOLERANCE);
  return gc_overhead_delayed(alone, ALONE)
             ? compare_delayed(bench, path, &traced, seen + 1, overhead)
             : 0;
}

/* Another program may have disturbed an attempt. So it is repeated until one is sure enough, and
 * the surest counts. */
int gc_measure_overhead(struct gc_measurement *m)
{
  const struct gc_properties *p = &m->bench.properties;
  struct gc_latency *best = &m->results->overhead;
  struct gc_path path = *gc_path_of(p->global_l1       ? GC_L1
                                    : p->has_read_only ? GC_READ_ONLY
                                                       : GC_SHARED_MEMORY);
  int status = 0;

  path.latency_bytes = RING_BYTES;
  best->confidence = -1;
  for (int i = 0; i < TRIES && best->confidence < SURE_ENOUGH && !status; i++) {
    struct gc_latency overhead;

    status = try_once(&m->bench, &path, &overhead);
    if (!status && overhead.confidence > best->confidence)
      *best = overhead;
  }
  return status;
}
