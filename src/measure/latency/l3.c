/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of L3: single loads of lines that are in L3 and in no L2 (walk/l3.h explains how),
 * less the timing overhead. Also the miss penalty of L3. doc/methods.md, "Latency" and
 * "Miss penalty".
 */
#include "measure/latency/latency.h"
#include "measure/walk/chase.h"
#include "measure/walk/l3.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#define ARRAY_SHARE 2 /* the array that is read is the L3 divided by this, so it fits */
#define SLOTS 8191    /* prime: every multiplier scatters */
#define REPEATS 9
#define WARM 64
#define LOADS 512
_Static_assert((REPEATS + 1) * (WARM + LOADS) <= SLOTS, "every slot is loaded once");
#define TOLERANCE 0.02

/* Each repetition continues where the previous one ended, because timed lines are in L2 afterwards.
 * The first repetition is discarded. */
static int walk(struct gc_bench *bench, const struct gc_l3_ring *ring, double *medians)
{
  const struct gc_path *path = gc_path_of(GC_L3);
  const uint64_t scatter = gc_ring_scatter(SLOTS);
  double cycles[LOADS];
  uint32_t trace[LOADS];
  int status = 0;

  for (uint64_t r = 0; r <= REPEATS && !status; r++) {
    const uint64_t start = ring->start + r * (WARM + LOADS) * scatter % SLOTS * ring->stride;
    const struct gc_traced traced = {.starts = &start, .n = 1, .warm = WARM, .loads = LOADS};

    status = gc_chase_trace(bench, path, &traced, trace);
    for (size_t i = 0; i < LOADS && !status; i++)
      cycles[i] = trace[i];
    if (!status && r)
      medians[r - 1] = gc_median(cycles, LOADS);
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
  double medians[REPEATS];
  struct gc_latency latency;
  struct gc_l3_ring ring;
  int status;

  if (bytes < GC_L3_LEAST_L2S * bench->properties.l2_bytes)
    return gc_set_absent(element, GC_LATENCY, GC_L3_TOO_SMALL);
  if ((status = gc_l3_lay_ring(bench, 0, bytes / GC_L3_EARLY, SLOTS, &ring)) ||
      (status = gc_l3_read_array(m, 0, bytes)) || (status = walk(bench, &ring, medians)))
    return status;
  for (size_t r = 0; r < REPEATS; r++)
    medians[r] -= overhead->cycles;
  latency.cycles = gc_median(medians, REPEATS);
  latency.confidence = overhead->confidence * gc_median_confidence(medians, REPEATS, latency.cycles,
                                                                   TOLERANCE * latency.cycles);
  return gc_set_latency(element, GC_LATENCY, &latency, bench->mhz);
}

/* Behind L3 there is only memory, and its loads were timed in the same way. */
int gc_step_l3_penalty(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];
  const double hit = gc_found(element, GC_LATENCY) ? element->latency.cycles : 0;
  const double miss = gc_found(memory, GC_LATENCY) ? memory->latency.cycles : 0;

  if (!(hit > 0 && miss > hit))
    return gc_set_absent(element, GC_MISS_PENALTY, "this needs the latencies of L3 and memory");
  return gc_set_miss_penalty(element, miss - hit,
                             element->found[GC_LATENCY].confidence *
                                 memory->found[GC_LATENCY].confidence);
}
