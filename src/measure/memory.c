/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of device memory: single loads, far apart and in scattered order, of lines that no cache
 * holds. The ring lies in one half of the arena; reading the other half, which is larger than the L2,
 * pushes it out. Loads before the timed ones bring the address translations in, so that TLB misses
 * stay out of the value (methods.md: with 2 MiB pages they begin only beyond tens of GB).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#define SLOTS 16381 /* prime: every multiplier scatters */
#define REPEATS 9
#define WARM 256
#define LOADS 512
#define LINE 128
_Static_assert((REPEATS + 1) * (WARM + LOADS) <= SLOTS, "every slot is loaded once");
#define TOLERANCE 0.02

int gc_step_memory(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t half = bench->arena_bytes / 2;
  /* an odd number of lines: no power of two, which would hit few channels */
  const uint64_t stride = ((half / SLOTS / LINE - 1) | 1) * LINE;
  const uint64_t scatter = gc_bench_scatter(SLOTS);
  double medians[REPEATS], cycles[LOADS];
  uint32_t trace[LOADS];
  struct gc_latency latency;
  int status;

  if ((status = gc_bench_ring(bench, path->form, SLOTS * stride, (uint32_t)stride, scatter)) ||
      (status = gc_bench_touch(bench, half, half, 2, GPU_ANY_SM)))
    return status;
  /* each repetition walks on where the last one stopped, over slots that are still cold */
  for (uint64_t r = 0; r <= REPEATS; r++) {
    const uint64_t first = r * (WARM + LOADS) * scatter % SLOTS * stride;
    const uint64_t start = gc_bench_address(bench, path->form, first);

    if ((status = gc_bench_trace(bench, path, &start, 1, WARM, LOADS, trace)))
      return status;
    for (size_t i = 0; i < LOADS; i++)
      cycles[i] = trace[i];
    medians[r ? r - 1 : 0] = gc_median(cycles, LOADS) - bench->window_cycles;
  }
  latency.cycles = gc_median(medians, REPEATS);
  latency.confidence =
    bench->window_confidence *
    gc_median_confidence(medians, REPEATS, latency.cycles, TOLERANCE * latency.cycles);
  return gc_put_latency(bench, element, &latency);
}
