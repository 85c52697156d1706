/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The census of L2 (verdict.h): samples (walk/l2_sample.h) of an array that is 1.5 times the
 * capacity. If the L2 has partitions, only near lines count: these are what one SM keeps, while far
 * lines may stay in their own partition. doc/methods.md, "Census".
 *
 * An L2 keeps a little more or less of an array that is too large than of one that fits. Of arrays
 * of 1.05 to 3 times the capacity, the near part of an H100 (25 MiB without a miss) keeps 1 to 9 %
 * less than the capacity, and that of an H200 (28.1 MiB) between 2 % less and 4 % more. At 1.5
 * times the capacity the H100 keeps 4 to 6 % less, and the H200 as much as the capacity. So such
 * differences are no contradiction.
 */
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/walk/l2_sample.h"

#include <errno.h>

#define LINE 128
#define PROBES 16384 /* timed loads in all rounds, */
#define SAMPLE 4096  /* and in one round */
#define ROUNDS 8
/* If the capacity is at most this share of the nominal size, there is more than one partition. */
#define PART 0.55
#define SLACK 0.0625   /* a sixteenth: see above */
#define QUIET_LINES 64 /* one probe per so many lines does not disturb the others */

/* Half way between hits and misses of L2. The search saw both in the same way as samples do; if it
 * failed, the latencies of L2 and of device memory are the next best. */
static double middle(const struct gc_measurement *m, const struct gc_measured *l2)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];

  if (l2->level.hit > 0 && l2->level.miss > 0)
    return (l2->level.hit + l2->level.miss) / 2;
  if (gc_found(l2, GC_LATENCY) && gc_found(memory, GC_LATENCY) && !m->bench.properties.l3_bytes)
    return (l2->latency_cycles + memory->latency_cycles) / 2 + m->results->overhead.cycles;
  return 0;
}

uint32_t gc_l2_census_threshold(const struct gc_measurement *m)
{
  const struct gc_measured *l2 = &m->results->element[GC_L2];
  const struct gc_properties *p = &m->bench.properties;

  if (gc_found(l2, GC_NEAR_LATENCY) && gc_found(l2, GC_FAR_LATENCY))
    return gc_l2_threshold(m);
  /* An L2 has no partitions if each XCD has an L2 of its own. If L2 loses its contents
   * between launches, the partitions are not known, but its capacity shows them: see below. */
  if (!p->l2_per_xcd && !m->results->l2_lost &&
      (!gc_found(l2, GC_PARTITIONS) || l2->partitions > 1))
    return 0;
  /* SMs that are all near to one part do not show that there is another: far lines would count */
  if (!p->l2_per_xcd && (gc_capacity(l2) || m->results->l2_lost) &&
      (double)gc_capacity(l2) <= PART * (double)p->l2_bytes)
    return 0;
  return (uint32_t)middle(m, l2);
}

/* Why the census is impossible; NULL: it is possible. */
static const char *why_not(const struct gc_measured *l2, uint32_t threshold)
{
  if (!threshold)
    return GC_NEAR_UNKNOWN;
  return l2->level.stride ? NULL : "the latency of a hit is not known";
}

static int sample_rounds(struct gc_measurement *m, const struct gc_binning *binning,
                         struct gc_l2_sampling *sample, struct gc_run *run,
                         struct gc_census *census)
{
  double loads = 0, slow = 0;

  for (sample->part = 0; sample->part < ROUNDS && sample->part * sample->loads < PROBES;
       sample->part++) {
    const int status = gc_l2_sample(m, sample, binning, run);

    if (status == -ENOTSUP) {
      gc_census_fail(census, GC_NOT_SAMPLED);
      return 0;
    }
    if (status)
      return status;
    gc_raw_runs(m->bench.raw, "census", binning, run, 1);
    loads += run->seen.loads;
    slow += run->seen.slow;
  }
  gc_sample_conclude((double)run->bytes, loads, slow, census);
  return 0;
}

static uint64_t lines_of(const struct gc_measured *l2)
{
  return (uint64_t)(GC_CENSUS_SPAN * (double)gc_capacity(l2)) / LINE;
}

uint64_t gc_needs_l2_census(const struct gc_measurement *m, enum gc_kind kind)
{
  return lines_of(&m->results->element[kind]) * LINE;
}

int gc_step_l2_census(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element);
  const uint64_t lines = lines_of(element), most = lines / QUIET_LINES;
  const struct gc_binning binning = {.shift = 3, .threshold = gc_l2_census_threshold(m)};
  struct gc_l2_sampling sample = {.stride = LINE,
                                  .read_stride = element->level.stride,
                                  .loads = most < 1        ? 1
                                           : most < SAMPLE ? (uint32_t)most
                                                           : SAMPLE};
  struct gc_run run = {.bytes = lines * LINE};
  struct gc_census census = {.slack = SLACK};
  const char *why;
  int status = 0;

  if (!capacity)
    return 0;
  if ((why = why_not(element, binning.threshold)))
    gc_census_fail(&census, why);
  else
    status = sample_rounds(m, &binning, &sample, &run, &census);
  return status ? status : gc_settle_census(m, element, &census);
}
