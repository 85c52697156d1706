/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 95th percentile of latencies. Chains of loads have no percentiles, so memories inside the SM
 * are walked once more, with each load timed alone. What timing adds differs a little from path to
 * path. So the value is the latency plus the distance from the median of these loads to their 95th
 * percentile, both of which contain what timing adds.
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

/* The loads of all SMs, one SM after the other, are divided into repetitions. */
static int time_loads(struct gc_bench *bench, const struct gc_path *path,
                      const struct gc_traced *traced, double *distances)
{
  const size_t all = traced->n * traced->loads, each = all / REPEATS;
  uint32_t *trace = gc_step_alloc(bench, all, sizeof(*trace));
  double *cycles = gc_step_alloc(bench, each, sizeof(*cycles));
  int status = trace && cycles ? gc_chase_trace(bench, path, traced, trace) : -ENOMEM;

  for (size_t r = 0; r < REPEATS && !status; r++) {
    for (size_t i = 0; i < each; i++)
      cycles[i] = trace[r * each + i];
    distances[r] = -gc_median(cycles, each);
    distances[r] += gc_quantile(cycles, each, GC_TAIL);
  }
  return status;
}

int gc_time_tail(struct gc_measurement *m, struct gc_measured *element, const struct gc_path *path,
                 uint32_t warm, const struct gc_latency *latency)
{
  struct gc_bench *bench = &m->bench;
  /* SMs that share the cache would make each other wait */
  const bool alone = gc_walks_alone(bench, path) || path->kind == GC_CONSTANT_L15;
  const uint32_t sms = alone ? 1 : bench->properties.sms < SMS ? bench->properties.sms : SMS;
  uint64_t starts[SMS];
  const struct gc_traced traced = {
      .starts = starts, .n = sms, .warm = warm, .loads = (REPEATS * LOADS + sms - 1) / sms};
  double tails[REPEATS];
  struct gc_latency p95;
  int status;

  for (uint32_t i = 0; i < sms; i++)
    starts[i] = gc_ring_address(bench, path->space, 0);
  if ((status = time_loads(bench, path, &traced, tails)))
    return status;
  for (size_t r = 0; r < REPEATS; r++)
    tails[r] += latency->cycles;
  gc_conclude_tail(latency->confidence, tails, REPEATS, &p95);
  return gc_set_latency_p95(element, &p95);
}
