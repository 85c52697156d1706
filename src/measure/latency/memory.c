/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of device memory: single loads, far apart and in scattered order, of lines that no
 * cache holds. The ring lies in one part of the arena. Reading the rest, which is no smaller than
 * all caches, evicts it. Untimed loads precede the timed ones and bring in the address
 * translations, so that TLB misses do not count (with 2 MiB pages these begin only beyond tens of
 * GB).
 *
 * Memory can be near or far. On an H200 half of all lines belong to the other L2 partition, so
 * every SM sees two modes, around 550 and 750 cycles, and almost nothing between them. A median may
 * lie anywhere in that gap. The value is therefore the midhinge, the mean of the quartiles. With
 * two modes it is the middle between the median of the near half and that of the far half; with one
 * mode it is the median. A tail of slow loads does not change it. All SMs take part, each with its
 * own lines, because a single SM may be nearer to one half. doc/methods.md,
 * "Device memory latency".
 */
#include "measure/latency/latency.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS 16381 /* prime: every multiplier scatters */
#define REPEATS 9
#define WARM 16
#define LOADS 1024 /* least number in one repetition, by all SMs together */
#define LINE 128
#define TOLERANCE 0.02

/* SMs that take part, and the loads of each in one repetition. */
struct share {
  uint32_t sms, loads;
};

static struct share plan_share(uint32_t sms)
{
  struct share share = {.sms = sms, .loads = (LOADS + sms - 1) / sms};

  /* every slot is loaded once */
  while (share.sms * (WARM + REPEATS * share.loads) > SLOTS)
    share.sms--;
  return share;
}

/* Repetition r is the r-th part of every SM's trace. cycles: space for all loads of one
 * repetition. */
static void conclude(const struct gc_measurement *m, const struct share *share,
                     const uint32_t *trace, double *cycles, struct gc_latency *latency)
{
  const struct gc_latency *overhead = &m->results->overhead;
  double middles[REPEATS];

  for (uint32_t r = 0; r < REPEATS; r++) {
    size_t n = 0;

    for (uint32_t sm = 0; sm < share->sms; sm++)
      for (uint32_t i = 0; i < share->loads; i++)
        cycles[n++] = trace[(sm * REPEATS + r) * share->loads + i];
    middles[r] = gc_midhinge(cycles, n) - overhead->cycles;
  }
  gc_raw_repeats(m->bench.raw, middles, REPEATS);
  latency->cycles = gc_median(middles, REPEATS);
  latency->confidence =
      overhead->confidence *
      gc_median_confidence(middles, REPEATS, latency->cycles, TOLERANCE * latency->cycles);
}

/* All repetitions in one launch. starts: space for one start per SM. */
static int walk(struct gc_bench *bench, const struct share *share, uint64_t *starts,
                uint32_t *trace)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t stride = gc_ring_stride(gc_cold_bytes(bench), SLOTS, LINE);
  const uint64_t scatter = gc_ring_scatter(SLOTS), each = WARM + REPEATS * share->loads;
  const struct gc_traced traced = {starts, share->sms, WARM, REPEATS * share->loads};
  int status = gc_ring_lay(bench, path->space, SLOTS * stride, (uint32_t)stride, scatter);

  if (!status)
    status = gc_empty_caches(bench);
  for (uint64_t sm = 0; sm < share->sms; sm++)
    starts[sm] = gc_ring_address(bench, path->space, sm * each * scatter % SLOTS * stride);
  return status ? status : gc_chase_trace(bench, path, &traced, trace);
}

int gc_step_memory_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct share share = plan_share(bench->properties.sms);
  const size_t loads = (size_t)share.sms * REPEATS * share.loads;
  struct gc_latency latency;
  uint64_t *starts;
  uint32_t *trace;
  double *cycles;
  int status;

  starts = malloc(share.sms * sizeof(*starts));
  trace = malloc(loads * sizeof(*trace));
  cycles = malloc(loads * sizeof(*cycles));
  status = starts && trace && cycles ? walk(bench, &share, starts, trace)
                                     : gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status) {
    conclude(m, &share, trace, cycles, &latency);
    status = gc_set_latency(element, GC_LATENCY, &latency, bench->mhz);
  }
  free(cycles);
  free(trace);
  free(starts);
  return status;
}
