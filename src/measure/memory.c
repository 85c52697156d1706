/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of device memory: single loads, far apart and in scattered order, of lines that no cache
 * holds. The ring lies in one part of the arena; reading the rest, which is no smaller than all caches,
 * pushes it out. Loads before the timed ones bring the address translations in, so that TLB
 * misses stay out of the value (methods.md: with 2 MiB pages they begin only beyond tens of GB).
 *
 * Memory can be near or far: on an H200 half of all lines belong to the other partition of the L2,
 * so that every SM sees two modes, around 550 and 750 cycles, and next to nothing between. A median
 * falls into that gap and is anywhere in it. Told is the midhinge, the mean of the quartiles: the
 * middle between the median of the near half and that of the far one, and the median itself where
 * there is one mode. A tail of slow loads does not move it. All SMs take part, each with lines of
 * its own: one alone may sit nearer to one half.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS 16381 /* prime: every multiplier scatters */
#define REPEATS 9
#define WARM 16
#define LOADS 1024 /* of a repetition, by all SMs together, at least */
#define LINE 128
#define TOLERANCE 0.02

/* Who takes part, and how many loads of each are one repetition. */
struct share {
  uint32_t sms, loads;
};

static struct share share_out(uint32_t sms)
{
  struct share share = {.sms = sms, .loads = (LOADS + sms - 1) / sms};

  /* every slot is loaded once */
  while (share.sms * (WARM + REPEATS * share.loads) > SLOTS)
    share.sms--;
  return share;
}

/* Repetition r is the r-th part of what every SM has timed. */
static void judge(const struct gc_bench *bench, const struct share *share, const uint32_t *trace,
                  double *cycles, struct gc_latency *latency)
{
  double middles[REPEATS];

  for (uint32_t r = 0; r < REPEATS; r++) {
    size_t n = 0;

    for (uint32_t sm = 0; sm < share->sms; sm++)
      for (uint32_t i = 0; i < share->loads; i++)
        cycles[n++] = trace[(sm * REPEATS + r) * share->loads + i];
    middles[r] = gc_midhinge(cycles, n) - bench->window_cycles;
  }
  gc_raw_repeats(bench->raw, middles, REPEATS);
  latency->cycles = gc_median(middles, REPEATS);
  latency->confidence =
    bench->window_confidence *
    gc_median_confidence(middles, REPEATS, latency->cycles, TOLERANCE * latency->cycles);
}

static int walk(struct gc_bench *bench, const struct share *share, uint64_t *starts, uint32_t *trace)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t stride = gc_ring_stride(gc_cold_room(bench), SLOTS, LINE);
  const uint64_t scatter = gc_bench_scatter(SLOTS), each = WARM + REPEATS * share->loads;
  int status = gc_bench_ring(bench, path->form, SLOTS * stride, (uint32_t)stride, scatter);

  if (!status)
    status = gc_empty_caches(bench);
  for (uint64_t sm = 0; sm < share->sms; sm++)
    starts[sm] = gc_bench_address(bench, path->form, sm * each * scatter % SLOTS * stride);
  return status ? status
                : gc_bench_trace(bench, path, starts, share->sms, WARM, REPEATS * share->loads, trace);
}

int gc_step_memory(struct gc_bench *bench, struct gc_element *element)
{
  const struct share share = share_out(bench->properties.sms);
  const size_t loads = (size_t)share.sms * REPEATS * share.loads;
  struct gc_latency latency;
  uint64_t *starts;
  uint32_t *trace;
  double *cycles;
  int status;

  if (gc_l2_stays(bench))
    return gc_put_absent(element, HWLOC_GPUCACHE_LATENCY, gc_l2_stays(bench));
  starts = malloc(share.sms * sizeof(*starts));
  trace = malloc(loads * sizeof(*trace));
  cycles = malloc(loads * sizeof(*cycles));
  status = starts && trace && cycles ? walk(bench, &share, starts, trace)
                                     : gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status) {
    judge(bench, &share, trace, cycles, &latency);
    status = gc_put_latency(bench, element, &latency);
  }
  free(cycles);
  free(trace);
  free(starts);
  return status;
}
