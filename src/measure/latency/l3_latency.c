/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of L3: single loads of lines that are in L3 and in no L2, whose translations are in
 * the TLB (walk/l3.h explains how), less the timing overhead. Also the miss penalty of L3.
 * doc/methods.md, "Latency" and "Miss penalty".
 */
#include "measure/latency/latency.h"
#include "measure/latency/tail.h"
#include "measure/walk/l3.h"
#include "stats/stats.h"

#define ARRAY_SHARE 2 /* the array that is read is the L3 divided by this, so it fits */
#define PAIRS 2903    /* prime: every multiplier scatters; few enough for an L3 of 8 MiB */
#define REPEATS 9
#define WARM 16
#define LOADS 274
_Static_assert((REPEATS + 1) * (WARM + LOADS) <= PAIRS, "every pair is loaded once");
#define TOLERANCE 0.02

/* Each repetition continues where the previous one ended, because timed lines are in L2 afterwards.
 * The first repetition is discarded. */
static int walk(struct gc_bench *bench, const struct gc_l3_ring *ring, double *medians,
                double *tails)
{
  uint32_t seen[LOADS];
  double cycles[LOADS];
  int status = 0;

  for (uint64_t r = 0; r <= REPEATS && !status; r++) {
    size_t n;

    status = gc_l3_time(bench, ring, r * (WARM + LOADS), WARM, LOADS, seen, &n);
    for (size_t i = 0; i < n && !status; i++)
      cycles[i] = seen[i];
    if (!status && r) {
      medians[r - 1] = gc_median(cycles, n);
      tails[r - 1] = gc_quantile(cycles, n, GC_TAIL);
    }
  }
  return status;
}

uint64_t gc_needs_l3_latency(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return m->bench.properties.l3_bytes / ARRAY_SHARE;
}

int gc_step_l3_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_latency *overhead = &m->results->overhead;
  const uint64_t bytes = bench->properties.l3_bytes / ARRAY_SHARE;
  double medians[REPEATS], tails[REPEATS];
  struct gc_latency latency, p95;
  struct gc_l3_ring ring;
  int status;

  if (bytes < GC_L3_LEAST_L2S * bench->properties.l2_bytes)
    return gc_set_absent(element, GC_LATENCY, GC_L3_TOO_SMALL);
  if ((status = gc_l3_lay_ring(bench, 0, bytes / GC_L3_EARLY, PAIRS, &ring)))
    return status;
  if (ring.pairs < PAIRS) /* later repetitions would load lines of earlier ones */
    return gc_set_absent(element, GC_LATENCY, GC_L3_TOO_SMALL);
  if ((status = gc_l3_read_array(m, 0, bytes)) || (status = walk(bench, &ring, medians, tails)))
    return status;
  for (size_t r = 0; r < REPEATS; r++) {
    medians[r] -= overhead->cycles;
    tails[r] -= overhead->cycles;
  }
  latency.cycles = gc_median(medians, REPEATS);
  latency.confidence = overhead->confidence * gc_median_confidence(medians, REPEATS, latency.cycles,
                                                                   TOLERANCE * latency.cycles);
  gc_conclude_tail(overhead->confidence, tails, REPEATS, &p95);
  gc_set_latency_p95(element, &p95);
  return gc_set_latency(element, GC_LATENCY, &latency, bench->mhz);
}

/* Behind L3 there is only memory, and its loads were timed in the same way. */
int gc_step_l3_penalty(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];
  const double hit = gc_found(element, GC_LATENCY) ? element->latency_cycles : 0;
  const double miss = gc_found(memory, GC_LATENCY) ? memory->latency_cycles : 0;

  if (!(hit > 0 && miss > hit))
    return gc_set_absent(element, GC_MISS_PENALTY, "this needs the latencies of L3 and memory");
  return gc_set_miss_penalty(element, miss - hit,
                             element->found[GC_LATENCY].confidence *
                                 memory->found[GC_LATENCY].confidence);
}
