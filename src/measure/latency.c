/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of the elements inside the SM: one thread follows a small ring and reads the clock only
 * before and after hundreds of loads; the slope between two lengths is the latency, free of any
 * overhead (Pascal, p-chase guide: absolute pointers, nothing but loads in the chain).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

#define LOADS 128 /* short enough that most windows are free of outliers */
#define TOLERANCE 0.5 /* cycles: the promise for memories inside the SM is one cycle */
#define WINDOW_TRIES 4
#define WINDOW_SURE 0.95
#define WINDOW_LOADS 64
#define WINDOW_BYTES 1024 /* fit every L1 */
#define WINDOW_GROUPS 9
#define WINDOW_EACH 8
#define WINDOW_TOLERANCE 2 /* cycles: what is timed alone takes hundreds, and is promised to 2 % */

/* A ring that is no larger than what was found to fit. */
static uint64_t fitting(const struct gc_element *element, const struct gc_path *path)
{
  const char *capacity = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES);
  const uint64_t known = capacity ? strtoull(capacity, NULL, 10) : UINT64_MAX;

  return (known < path->latency_bytes ? known : path->latency_bytes) / path->latency_stride *
         path->latency_stride;
}

int gc_step_latency(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  const uint64_t bytes = fitting(element, path);
  struct gc_latency latency;
  int status;

  if (path->before && !gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES) &&
      !gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES))
    return gc_put_absent(element, HWLOC_GPUCACHE_LATENCY,
                         "loads may still hit the cache before this one");
  if ((status = gc_bench_ring(bench, path->form, bytes, path->latency_stride, 1)) ||
      (status = gc_bench_latency(bench, path, (uint32_t)(2 * bytes / path->latency_stride), LOADS,
                                 TOLERANCE, &latency)))
    return status;
  if (!(latency.cycles > 0))
    return gc_put_absent(element, HWLOC_GPUCACHE_LATENCY, "the clock did not advance during loads");
  return gc_put_latency(bench, element, &latency);
}

/* A load inside the SM, where some take much longer for no reason: few chains are free of such
 * loads, but the fastest of several is. */
static int fastest_chain(struct gc_bench *bench, const struct gc_path *path,
                         struct gc_latency *chain)
{
  const uint32_t slots = (uint32_t)(path->latency_bytes / path->latency_stride);
  struct gpu_latency_result seen[1 + WINDOW_GROUPS * WINDOW_EACH]; /* the first warms up */
  double slopes[WINDOW_GROUPS];
  int status = gc_bench_chain(bench, path, 2 * slots, WINDOW_LOADS, sizeof(seen) / sizeof(*seen), seen);

  for (size_t g = 0; g < WINDOW_GROUPS && !status; g++) {
    uint32_t n = UINT32_MAX, twice = UINT32_MAX;

    for (size_t i = 1 + g * WINDOW_EACH; i <= (g + 1) * WINDOW_EACH; i++) {
      n = seen[i].cycles_n < n ? seen[i].cycles_n : n;
      twice = seen[i].cycles_2n < twice ? seen[i].cycles_2n : twice;
    }
    slopes[g] = ((double)twice - (double)n) / WINDOW_LOADS;
  }
  if (status)
    return status;
  chain->cycles = gc_median(slopes, WINDOW_GROUPS);
  chain->confidence = gc_median_confidence(slopes, WINDOW_GROUPS, chain->cycles, WINDOW_TOLERANCE);
  return 0;
}

/* What single loads show on an element inside the SM, less what they take: once. */
static int try_window(struct gc_bench *bench, const struct gc_path *path, double *cycles,
                      double *confidence)
{
  const uint32_t slots = (uint32_t)(path->latency_bytes / path->latency_stride);
  const uint64_t start = gc_bench_address(bench, path->form, 0);
  uint32_t trace[LOADS];
  double alone[LOADS], median;
  struct gc_latency chain;
  int status;

  if ((status = gc_bench_ring(bench, path->form, path->latency_bytes, path->latency_stride, 1)) ||
      (status = fastest_chain(bench, path, &chain)) ||
      (status = gc_bench_trace(bench, path, &start, 1, 2 * slots, LOADS, trace)))
    return status;
  for (size_t i = 0; i < LOADS; i++)
    alone[i] = trace[i];
  median = gc_median(alone, LOADS);
  *cycles = median - chain.cycles;
  *confidence =
    chain.confidence * gc_median_confidence(alone, LOADS, median, WINDOW_TOLERANCE);
  return 0;
}

/* Once more while it is not sure: another program may have had its turn in the midst of it. What stands
 * on it is as sure as the surest. */
int gc_calibrate_window(struct gc_bench *bench)
{
  const struct gc_properties *p = &bench->properties;
  struct gc_path path =
    *gc_path_of(p->global_l1 ? GC_L1 : p->has_read_only ? GC_READ_ONLY : GC_SHARED_MEMORY);
  int status = 0;

  path.latency_bytes = WINDOW_BYTES;
  bench->window_confidence = -1;
  for (int i = 0; i < WINDOW_TRIES && bench->window_confidence < WINDOW_SURE && !status; i++) {
    double cycles, confidence;

    status = try_window(bench, &path, &cycles, &confidence);
    if (!status && confidence > bench->window_confidence) {
      bench->window_cycles = cycles;
      bench->window_confidence = confidence;
    }
  }
  return status;
}
