/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The census of L3 (verdict.h; walk/l3.h explains how L3 is reached). It reads an array that is 1.5
 * times the capacity, each time from another place on, and times lines of the whole array. These
 * include lines that an L2 holds, because they are the last ones that came through L3. Pages lie
 * anywhere in memory, so some sets get more lines of an array than others: the first miss and the
 * census may differ by a sixteenth. doc/methods.md, "Census".
 */
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/walk/evict.h"
#include "measure/walk/l3.h"

#define SAMPLE 2200 /* pairs of a round; about 2048 loads count */
#define ROUNDS 4
#define SLACK 0.0625 /* a sixteenth: see above */

/* Reads all of the array so that the last byte read is just before `at`: first from `at` to its
 * end, then from its start. */
static int read_around(struct gc_measurement *m, uint64_t bytes, uint64_t at)
{
  const uint64_t l2s = 2 * m->bench.properties.l2_bytes, end = l2s < at ? l2s : at;
  const uint32_t stride = gc_l3_read_stride(m->results);
  int status = at < bytes ? gc_read_by_all(&m->bench, at, bytes - at, stride) : 0;

  if (!status)
    status = gc_read_by_all(&m->bench, 0, at, stride);
  return status ? status : gc_fill_l2(&m->bench, at - end, end, stride, 1);
}

/* *loads: timed loads of lines of the whole array; *slow: how many of them ended in memory. */
static int sample_rounds(struct gc_measurement *m, const struct gc_binning *binning,
                         struct gc_run *run, double *loads, double *slow)
{
  struct gc_l3_ring rings[ROUNDS];
  int status = 0;

  for (size_t i = 0; i < ROUNDS && !status; i++)
    status = gc_l3_lay_ring(m, i, run->bytes, SAMPLE, &rings[i]);
  for (size_t i = 0; i < ROUNDS && !status; i++) {
    if ((status = read_around(m, run->bytes,
                              run->bytes / ROUNDS / GC_L3_LINE * GC_L3_LINE * (ROUNDS - i))) ||
        (status = gc_l3_sample(&m->bench, &rings[i], binning, &run->seen)))
      break;
    gc_raw_runs(m->bench.raw, "census", binning, run, 1);
    *loads += run->seen.loads;
    *slow += run->seen.slow;
  }
  return status;
}

static uint64_t bytes_of(const struct gc_measured *l3)
{
  const uint64_t unit = ROUNDS * GC_L3_LINE;

  return (uint64_t)(GC_CENSUS_SPAN * (double)gc_capacity(l3)) / unit * unit;
}

uint64_t gc_needs_l3_census(const struct gc_measurement *m, enum gc_kind kind)
{
  return bytes_of(&m->results->element[kind]);
}

int gc_step_l3_census(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_level *level = &element->level;
  const struct gc_binning binning = {.shift = 3,
                                     .threshold = (uint32_t)((level->hit + level->miss) / 2)};
  struct gc_run run = {.bytes = bytes_of(element)};
  struct gc_census census = {.slack = SLACK};
  double loads = 0, slow = 0;
  int status;

  if (!gc_capacity(element))
    return 0;
  if (!(level->miss > 0)) {
    gc_census_fail(&census, "the latency of a hit is not known");
    return gc_settle_census(m, element, &census);
  }
  if ((status = sample_rounds(m, &binning, &run, &loads, &slow)))
    return status;
  gc_sample_conclude((double)run.bytes, loads, slow, &census);
  return gc_settle_census(m, element, &census);
}
