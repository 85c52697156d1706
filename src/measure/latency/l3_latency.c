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
#define PAIRS 3541    /* prime: every multiplier scatters; few enough for an L3 of 8 MiB */
#define REPEATS GC_BESIDE_REPEATS
#define WARM 16
#define LOADS 274
#define ALONE ((REPEATS + 1) * (WARM + LOADS))
_Static_assert(ALONE + 2 * GC_L3_BESIDE <= PAIRS, "every pair is loaded once");
#define TOLERANCE 0.02
/* Other CUs read a little, so that loads hardly wait for theirs: as many bytes are in flight as
 * give this part of the bandwidth of device memory, which is less than that of an L3. */
#define FLIGHT_PARTS 4

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

/* Reads beside which loads are timed: of the second half of the array, which is in L3, without its
 * end, which may be in L2. False: there are none. */
static bool plan_reads(const struct gc_measurement *m, double cycles, uint64_t bytes,
                       struct gc_beside *beside)
{
  const struct gc_bench *bench = &m->bench;
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];
  const double ns = bench->mhz > 0 ? cycles * 1e3 / bench->mhz : 0;
  const double flight = gc_found(memory, GC_READ) ? memory->read_gbps * ns / FLIGHT_PARTS : 0;
  const double warps = flight / (double)gc_tile_bytes(&bench->properties);

  *beside = (struct gc_beside){.chains = 1, .region = bytes / 2};
  beside->bytes = bytes - GC_L3_END_L2S * bench->properties.l2_bytes - beside->region;
  if (bench->properties.sms < 2 || !(warps >= 1) ||
      warps * (double)gc_tile_bytes(&bench->properties) > (double)beside->bytes)
    return false;
  gc_beside_spread(bench, (uint32_t)warps, beside);
  return beside->warps * bench->properties.warp <= bench->properties.threads_per_block;
}

/* Times pairs that were not loaded yet, beside others. */
static int time_beside(struct gc_measurement *m, const struct gc_l3_ring *ring, uint64_t from,
                       struct gc_beside *beside, double parts[REPEATS], bool *met)
{
  double cycles[GC_BESIDE_LOADS / 2];
  size_t n;
  const int status = gc_l3_time_beside(&m->bench, ring, from, beside, cycles, &n, met);

  for (size_t r = 0; r < REPEATS && !status; r++)
    parts[r] = gc_median(cycles + r * n / REPEATS, (r + 1) * n / REPEATS - r * n / REPEATS) -
               m->results->overhead.cycles;
  return status;
}

/* The CU that timed loads alone may be another one. So if loads are faster beside others, they are
 * timed again on the same CU, while the others do not read. */
static int walk_beside(struct gc_measurement *m, const struct gc_l3_ring *ring, uint64_t bytes,
                       double alone[REPEATS], struct gc_measured *element)
{
  double parts[REPEATS];
  struct gc_beside beside;
  uint32_t sm;
  bool met;
  int status;

  if (!plan_reads(m, gc_median(alone, REPEATS), bytes, &beside))
    return 0;
  if ((status = gc_beside_alloc(&m->bench, &beside)) ||
      (status = time_beside(m, ring, ALONE, &beside, parts, &met)) || met ||
      !gc_beside_faster(alone, parts))
    return status;
  sm = beside.sms[0];
  beside.quiet = true;
  if ((status = time_beside(m, ring, ALONE + GC_L3_BESIDE, &beside, alone, &met)) || met)
    return status;
  if (sm == beside.sms[0] && gc_beside_faster(alone, parts))
    gc_beside_keep(element, alone, parts, m->results->overhead.confidence);
  return 0;
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
  if ((status = gc_l3_lay_ring(m, 0, bytes / GC_L3_EARLY, PAIRS, &ring)))
    return status;
  if (ring.pairs < ALONE) /* later repetitions would load lines of earlier ones */
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
  gc_set_latency(element, GC_LATENCY, &latency, bench->mhz);
  /* the larger the lines of L2, the fewer pairs */
  return ring.pairs < PAIRS ? 0 : walk_beside(m, &ring, bytes, medians, element);
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
