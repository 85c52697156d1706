/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * L2. Its nominal size is known from the interface; what one SM can really keep is not: large chips
 * split the L2 in partitions and copy lines between them, so that to an SM only a part is near
 * (methods.md: misses begin at half of the nominal size). Arrays of many sizes are read, and how many of
 * their lines are still there is told by samples (l2sample.c).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 128         /* slots this far apart: each in a line of its own */
#define TOUCH_PASSES 1
#define SAMPLE 2048      /* timed loads a size */
#define LATENCY_BYTES ((uint64_t)2 << 20)
#define LATENCY_LOADS 64
#define LATENCY_REPEATS 9
#define TOLERANCE 0.02

int gc_walk_l2(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
               struct gc_run *runs, size_t n)
{
  int status = 0;

  for (size_t i = 0; i < n && !status; i++)
    status = gc_l2_sample(bench, path, window, &runs[i], LINE, path->stride, SAMPLE, i);
  return status;
}

int gc_step_l2_capacity(struct gc_bench *bench, struct gc_element *element)
{
  struct gc_path path = *gc_path_of(GC_L2);
  const uint64_t nominal = bench->properties.l2_bytes;
  int status;

  if (!nominal)
    return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, "the driver does not tell a nominal size");
  path.min = nominal / 8 / LINE * LINE;
  path.max = 2 * nominal;
  path.step = (uint32_t)(nominal / 512 / LINE * LINE);
  if (path.max > bench->arena_bytes)
    return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, "too little free device memory");
  status = gc_put_capacity(bench, &path, element);
  return status == -ENOTSUP ? gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, GC_NOT_SAMPLED) : status;
}

/* Hits seen from all SMs, on lines scattered over all slices. */
int gc_step_l2_latency(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t bytes =
    bench->properties.l2_bytes && bench->properties.l2_bytes / 4 < LATENCY_BYTES
      ? bench->properties.l2_bytes / 4 / LINE * LINE
      : LATENCY_BYTES;
  const uint64_t slots = bytes / LINE, scatter = gc_bench_scatter(slots);
  const uint32_t n = bench->properties.sms < GC_TRACE_MAX / LATENCY_LOADS
                       ? bench->properties.sms
                       : GC_TRACE_MAX / LATENCY_LOADS;
  uint64_t *starts = malloc(n * sizeof(*starts));
  uint32_t *trace = malloc(n * LATENCY_LOADS * sizeof(*trace));
  double *cycles = malloc(n * LATENCY_LOADS * sizeof(*cycles)), medians[LATENCY_REPEATS];
  struct gc_latency latency;
  int status = 0;

  if (!starts || !trace || !cycles)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status)
    status = gc_bench_ring(bench, path->form, bytes, LINE, scatter);
  for (uint64_t r = 0; r <= LATENCY_REPEATS && !status; r++) {
    for (uint64_t i = 0; i < n; i++)
      starts[i] =
        gc_bench_address(bench, path->form, (i * LATENCY_LOADS + r) * scatter % slots * LINE);
    if (!(status = gc_fill_l2(bench, 0, bytes, 32, TOUCH_PASSES)))
      status = gc_bench_trace(bench, path, starts, n, 0, LATENCY_LOADS, trace);
    for (size_t i = 0; i < n * LATENCY_LOADS && !status; i++)
      cycles[i] = trace[i];
    if (!status)
      medians[r ? r - 1 : 0] = gc_median(cycles, n * LATENCY_LOADS) - bench->window_cycles;
  }
  if (!status) {
    latency.cycles = gc_median(medians, LATENCY_REPEATS);
    latency.confidence =
      bench->window_confidence *
      gc_median_confidence(medians, LATENCY_REPEATS, latency.cycles, TOLERANCE * latency.cycles);
    status = gc_put_latency(bench, element, &latency);
  }
  free(starts);
  free(trace);
  free(cycles);
  return status;
}
