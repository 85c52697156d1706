/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 95th percentile of latencies. Chains of loads have no percentiles, so memories inside the SM
 * are walked once more, with each load timed alone. What timing adds differs a little from path to
 * path. So the value is the latency plus the distance from the median of these loads to their 95th
 * percentile, both of which contain what timing adds. These loads also show whether some are
 * delayed.
 */
#include "measure/latency/tail.h"

#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define REPEATS 9
#define LOADS 512 /* least number in one repetition */
#define SMS 36    /* that take part; each repetition has SMs of its own, if there are enough */
/* A percentile scatters more than a median. The value is right within the larger of these: */
#define CYCLES 2.0
#define SHARE 0.04
/* Cycles: a latency inside the SM is right within this. */
#define TOLERANCE 0.5

void gc_conclude_tail(double others, const double *tails, size_t n, struct gc_latency *p95)
{
  double sorted[REPEATS];

  if (n > REPEATS)
    n = REPEATS;
  memcpy(sorted, tails, n * sizeof(*sorted));
  p95->cycles = gc_median(sorted, n);
  p95->confidence =
      others * gc_median_confidence(tails, n, p95->cycles, fmax(CYCLES, SHARE * p95->cycles));
}

/* Loads that were timed alone, those of one SM after those of the other. */
struct single {
  uint32_t *trace;
  double *cycles; /* scratch */
  size_t count;
};

/* The largest number of cycles that all differences are multiples of: a clock may count in steps.
 */
static uint32_t step_of(const struct single *loads)
{
  uint32_t step = 0;

  for (size_t i = 1; i < loads->count; i++) {
    const uint32_t a = loads->trace[i], b = loads->trace[0];
    uint32_t rest = a > b ? a - b : b - a;

    while (rest) {
      const uint32_t swap = step % rest;

      step = rest;
      rest = swap;
    }
  }
  return step;
}

/* The chain that found the latency added up its loads, each n of them. If some are delayed, it
 * found their mean, where most loads take less. How much less is what the same chain of single
 * loads differs from their median. Whether a single load took a step more or less shows nothing.
 * Returns whether some are delayed. */
static bool correct(const struct single *loads, uint32_t n, struct gc_latency *latency)
{
  double *cycles = loads->cycles, median, slope, delay;
  size_t slopes;

  for (size_t i = 0; i < loads->count; i++)
    cycles[i] = loads->trace[i];
  median = gc_median(cycles, loads->count);
  slopes = gc_slopes_of_single(loads->trace, loads->count, n, cycles);
  slope = gc_median(cycles, slopes);
  delay = slope - median;
  if (delay <= TOLERANCE || delay <= step_of(loads) / 2.0)
    return false;
  latency->cycles -= delay;
  latency->confidence *= gc_median_confidence(cycles, slopes, slope, TOLERANCE);
  return true;
}

/* The share of these loads, which all hit, that would count as misses. */
static double late_share(const struct single *loads, const struct gc_level *level)
{
  const double threshold = sqrt(level->hit * level->miss);
  size_t late = 0;

  for (size_t i = 0; i < loads->count && threshold > 0; i++)
    late += loads->trace[i] > threshold;
  return (double)late / (double)loads->count;
}

/* The loads are divided into repetitions. */
static void find_distances(const struct single *loads, double *distances)
{
  const size_t each = loads->count / REPEATS;

  for (size_t r = 0; r < REPEATS; r++) {
    for (size_t i = 0; i < each; i++)
      loads->cycles[i] = loads->trace[r * each + i];
    distances[r] = -gc_median(loads->cycles, each);
    distances[r] += gc_quantile(loads->cycles, each, GC_TAIL);
  }
}

int gc_time_single(struct gc_measurement *m, struct gc_measured *element,
                   const struct gc_path *path, const struct gc_chain *chain,
                   struct gc_latency *latency)
{
  struct gc_bench *bench = &m->bench;
  /* SMs that share the cache would make each other wait */
  const bool alone = gc_walks_alone(bench, path) || path->kind == GC_CONSTANT_L15;
  const uint32_t sms = alone ? 1 : bench->properties.sms < SMS ? bench->properties.sms : SMS;
  uint64_t starts[SMS];
  const struct gc_traced traced = {
      .starts = starts, .n = sms, .warm = chain->warm, .loads = (REPEATS * LOADS + sms - 1) / sms};
  const size_t count = traced.n * traced.loads;
  const struct single loads = {gc_step_alloc(bench, count, sizeof(*loads.trace)),
                               gc_step_alloc(bench, count, sizeof(*loads.cycles)), count};
  double tails[REPEATS];
  struct gc_latency p95;
  int status = loads.trace && loads.cycles ? 0 : -ENOMEM;

  for (uint32_t i = 0; i < sms; i++)
    starts[i] = gc_ring_address(bench, path->space, 0);
  if (status || (status = gc_chase_trace(bench, path, &traced, loads.trace)))
    return status;
  element->timed_alone = true;
  element->delayed = correct(&loads, chain->n, latency);
  element->late = late_share(&loads, &element->level);
  find_distances(&loads, tails);
  for (size_t r = 0; r < REPEATS; r++)
    tails[r] += latency->cycles;
  gc_conclude_tail(latency->confidence, tails, REPEATS, &p95);
  return gc_set_latency_p95(element, &p95);
}
