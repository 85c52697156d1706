/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The survival curve of L2. One SM loads lines that no cache has, timed; reads as many other lines
 * as the point of the curve says, in order; and times the first ones again. doc/methods.md, "Sets
 * and replacement".
 *
 * A line is near or far, in L2 and in memory, and a far hit takes nearly as long as a near miss. So
 * each load is compared with the same load when the line was in no cache.
 */
#include "measure/structure/structure.h"

#include "measure/core/placement.h"
#include "measure/structure/curve.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "stats/stats.h"

#define WARM_UP 8   /* loads that bring the code into caches */
#define SAMPLES 500 /* lines that are timed: a standard error of 0.02 */
#define APART 13    /* lines from one to the next; coprime to numbers of sets and channels */
#define LOADS (WARM_UP + SAMPLES)
#define TRIES 2      /* of a point, if the block did not run */
#define AT_ONCE 0.95 /* share of the lines that must still be there after no other fills */
#define CLEAR 1.25   /* misses take at least so many times as long as hits */
#define LINE_MAX 256

struct survey {
  struct gc_measurement *m;
  uint32_t sm, line, lines; /* bytes of a line; lines of L2 */
  uint64_t samples;         /* bytes of the arena from the first timed line to the last one */
  double drop;              /* a hit is faster than a miss of the same line by this, raw cycles */
  uint32_t cold[LOADS], again[LOADS];
};

static uint64_t span_of(uint32_t line)
{
  return (uint64_t)LOADS * APART * line;
}

static int time_samples(struct survey *s, uint32_t cycles[LOADS])
{
  const struct gc_batches batches = {&s->m->bench, s->sm, 1, APART * s->line, 0, LOADS, 0, false};
  uint32_t counts[LOADS];

  for (uint32_t i = 0; i < LOADS; i++)
    counts[i] = 1;
  return gc_batches_time(&batches, counts, cycles);
}

/* Leaves the lines in L3, if there is one, so that all misses are alike. */
static int make_cold(struct survey *s)
{
  struct gc_bench *bench = &s->m->bench;
  int status = 0;

  if (bench->properties.l3_bytes)
    status = gc_read_by_all(bench, 0, s->samples, s->line / 2);
  return status ? status : gc_empty_l2(bench);
}

/* Times the lines cold, and after so many other fills: s->cold and s->again. */
static int walk(struct survey *s, uint32_t fills)
{
  const struct gc_read others = {s->samples, (uint64_t)fills * s->line, s->line, 1, s->sm};
  int status = 0;

  s->cold[0] = s->again[0] = 0;
  for (int i = 0; i < TRIES && !status && (!s->cold[0] || !s->again[0]); i++) {
    if ((status = make_cold(s)) || (status = time_samples(s, s->cold)))
      break;
    if (fills)
      status = gc_read_arena(&s->m->bench, &others);
    if (!status)
      status = time_samples(s, s->again);
  }
  return status;
}

static uint64_t count_alive(const struct survey *s)
{
  uint64_t alive = 0;

  for (uint32_t i = WARM_UP; i < LOADS; i++)
    alive += s->again[i] < s->cold[i] - s->drop;
  return alive;
}

/* After no other fills: how much faster hits are. Returns why there is no curve; NULL: go on. */
static const char *find_drop(struct survey *s)
{
  double faster[SAMPLES], cold[SAMPLES], middle;

  for (uint32_t i = 0; i < SAMPLES; i++) {
    cold[i] = s->cold[WARM_UP + i];
    faster[i] = cold[i] - s->again[WARM_UP + i];
  }
  s->drop = gc_median(faster, SAMPLES) / 2;
  middle = gc_median(cold, SAMPLES);
  if (middle < CLEAR * (middle - 2 * s->drop))
    return "a line that was just loaded is hardly faster than one that no cache has";
  return (double)count_alive(s) < AT_ONCE * SAMPLES ? "L2 does not keep lines that were just loaded"
                                                    : NULL;
}

static const char missing[] = "the blocks of a launch did not spread over all SMs";

static int find_curve(struct survey *s, struct gc_measured *element)
{
  uint64_t alive[GC_CURVE_POINTS], timed[GC_CURVE_POINTS];
  const char *why;
  int status = walk(s, 0);

  if (status)
    return status;
  why = s->cold[0] && s->again[0] ? find_drop(s) : missing;
  if (why)
    return gc_set_absent(element, GC_SURVIVAL_CURVE, why);
  for (size_t p = 0; p < GC_CURVE_POINTS; p++) {
    if ((status = walk(s, gc_curve_fills(s->lines, p))))
      return status;
    if (!s->cold[0] || !s->again[0])
      return gc_set_absent(element, GC_SURVIVAL_CURVE, missing);
    alive[p] = count_alive(s);
    timed[p] = SAMPLES;
  }
  return gc_curve_put(&s->m->bench, element, s->lines, alive, timed, 0);
}

uint64_t gc_needs_l2_survival(const struct gc_measurement *m, enum gc_kind kind)
{
  const struct gc_measured *l2 = &m->results->element[kind];
  const uint32_t line = gc_found(l2, GC_LINE) ? (uint32_t)l2->line_bytes : LINE_MAX;
  /* the lines and the fills are in the half that is evicted */
  const uint64_t half = span_of(line) + 2 * m->bench.properties.l2_bytes;
  const uint64_t cold = gc_needs_cold_l2(m, kind);

  return 2 * half > cold ? 2 * half : cold;
}

int gc_step_l2_survival(struct gc_measurement *m, struct gc_measured *element)
{
  struct survey s = {.m = m};
  const char *why = NULL;
  int status;

  if (m->results->l2_lost)
    why = gc_l2_lost_why;
  else if (!gc_capacity(element))
    why = "this needs the capacity, which is absent";
  else if (!gc_found(element, GC_LINE) || element->line_bytes > LINE_MAX)
    why = "this needs the cache line, which is absent or too long";
  if (why)
    return gc_set_absent(element, GC_SURVIVAL_CURVE, why);
  if ((status = gc_number_sms(m)))
    return status;
  s.sm = m->results->sm_number[0];
  s.line = (uint32_t)element->line_bytes;
  s.lines = (uint32_t)(gc_capacity(element) / s.line);
  s.samples = span_of(s.line);
  if (s.samples + 2 * gc_capacity(element) > gc_cold_bytes(&m->bench))
    return gc_set_absent(element, GC_SURVIVAL_CURVE,
                         "there are too few addresses for lines that do not fit");
  return find_curve(&s, element);
}
