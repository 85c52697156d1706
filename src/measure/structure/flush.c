/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many bytes must be read to displace everything in front of device memory? One SM reads lines
 * several times, then all SMs read other memory once, in order, and the lines are timed again. The
 * least size is searched after which none of them is found. doc/methods.md, "Flush".
 *
 * A line is near or far, so each load is compared with a load of the same line that hit. Hits vary
 * less than misses, so the threshold is nearer to them.
 */
#include "measure/structure/structure.h"

#include "measure/core/footprint.h"
#include "measure/core/placement.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define WARM_UP 8   /* loads that bring the code into caches */
#define SAMPLES 500 /* lines that are timed */
#define APART 13    /* lines from one to the next; coprime to numbers of sets and channels */
#define LINE_MAX 256
#define LINES (WARM_UP + SAMPLES)
#define TRIES 2    /* of a launch whose block did not run on the SM */
#define PASSES 3   /* how often the lines are read before: caches may protect such lines */
#define CLEAR 1.25 /* misses take at least so many times as long as hits */
#define NEAR 0.25  /* from hits to misses: where the threshold is */
#define LEAST 0.5  /* the smallest size, by the capacity that the driver states */
#define RATIO 1.189207115002721 /* from one size to the next: four of them double it */
#define AGAIN 2                 /* how often the result is confirmed */
#define SHARE 0.005             /* of the lines that may be left without being seen */
#define GRAIN 4096              /* bytes: sizes are multiples of it */

struct search {
  struct gc_measurement *m;
  uint32_t sm, line; /* number of the SM; bytes of a line */
  uint64_t samples;  /* bytes of the arena from the first timed line to the last one */
  double base;       /* bytes */
  double later;      /* a hit is later than the first one of the same line by less, raw cycles */
  uint32_t hit[LINES], now[LINES];
};

static const char missing[] = "the blocks of a launch did not spread over all SMs";

/* The larger one of all L2 caches and the L3, as the driver states them. */
static double base_of(const struct gc_properties *p)
{
  const uint64_t l2 = gc_all_l2_bytes(p);

  return (double)(p->l3_bytes > l2 ? p->l3_bytes : l2);
}

static uint64_t size_of(const struct search *s, uint32_t i)
{
  return (uint64_t)(LEAST * s->base * pow(RATIO, i) / GRAIN + 1) * GRAIN;
}

/* Times the lines. -EAGAIN: the block did not run on that SM. */
static int time_lines(struct search *s, uint32_t cycles[LINES])
{
  const struct gc_batches batches = {&s->m->bench, s->sm, 1, APART * s->line, 0, LINES};
  uint32_t counts[LINES];
  int status = 0;

  for (uint32_t i = 0; i < LINES; i++)
    counts[i] = 1;
  cycles[0] = 0;
  for (int i = 0; i < TRIES && !status && !cycles[0]; i++)
    status = gc_batches_time(&batches, counts, cycles);
  return status ? status : cycles[0] ? 0 : -EAGAIN;
}

static int read_lines(const struct search *s)
{
  const struct gc_read lines = {0, s->samples, APART * s->line, PASSES, s->sm};

  return gc_read_arena(&s->m->bench, &lines);
}

/* How many lines are found after so many bytes were read. The caches are emptied before, so that
 * the answer does not depend on what earlier probes left. */
static int probe(struct search *s, uint64_t bytes, uint32_t *alive)
{
  struct gc_bench *bench = &s->m->bench;
  int status;

  if ((status = gc_empty_caches(bench)) || (status = read_lines(s)) ||
      (status = gc_read_by_all(bench, s->samples, bytes, s->line)) ||
      (status = time_lines(s, s->now)))
    return status;
  *alive = 0;
  for (uint32_t i = WARM_UP; i < LINES; i++)
    *alive += s->now[i] < s->hit[i] + s->later;
  gc_raw_row(s->m->bench.raw, "bytes read\tlines left, percent",
             (double[]){(double)bytes, 100.0 * *alive / SAMPLES});
  return 0;
}

/* Times lines that no cache has, and hits. *why: why these cannot be told apart; NULL: they can. */
static int find_threshold(struct search *s, const char **why)
{
  const struct gc_results *results = s->m->results;
  const struct gc_measured *l2 = &results->element[GC_L2], *l3 = &results->element[GC_L3];
  double cold[SAMPLES], later[SAMPLES], middle;
  int status = gc_empty_caches(&s->m->bench);

  *why = NULL;
  if (status || (status = time_lines(s, s->now)) || (status = read_lines(s)) ||
      (status = time_lines(s, s->hit)))
    return status;
  for (uint32_t i = 0; i < SAMPLES; i++) {
    cold[i] = s->now[WARM_UP + i];
    later[i] = cold[i] - s->hit[WARM_UP + i];
  }
  middle = gc_median(later, SAMPLES);
  s->later = NEAR * middle;
  if (s->m->bench.properties.l3_bytes) { /* hits of L3 are later than those of L2 */
    const double more = l3->latency_cycles - l2->latency_cycles;

    if (!gc_found(l2, GC_LATENCY) || !gc_found(l3, GC_LATENCY))
      *why = "this needs the latencies of L2 and L3";
    s->later = more + NEAR * (middle - more);
    middle -= more;
  }
  if (gc_median(cold, SAMPLES) < CLEAR * (gc_median(cold, SAMPLES) - middle))
    *why = "a line that was just loaded is hardly faster than one that no cache has";
  return 0;
}

/* The first of so many sizes after which no line is left, and none when it is tried again. *size:
 * `sizes` if there is none. */
static int find_size(struct search *s, uint32_t sizes, uint32_t *size)
{
  uint32_t low = 0, high = sizes, alive = 0;
  int status = 0;

  while (low < high && !status) {
    const uint32_t middle = (low + high) / 2;

    if (!(status = probe(s, size_of(s, middle), &alive)) && alive)
      low = middle + 1;
    else
      high = middle;
  }
  for (int again = 0; low < sizes && again < AGAIN && !status; again++)
    if (!(status = probe(s, size_of(s, low), &alive)) && alive) {
      low++;
      again = -1;
    }
  *size = low;
  return status;
}

uint64_t gc_needs_flush(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return gc_walk_enough(&m->bench.properties);
}

int gc_step_flush(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_measured *l2 = &m->results->element[GC_L2];
  struct search s = {.m = m, .base = base_of(&bench->properties)};
  uint32_t sizes = 0, size;
  const char *why = NULL;
  int status;

  if (!(s.base > 0))
    why = "the driver does not report the size of L2";
  else if (m->results->l2_lost)
    why = gc_l2_lost_why;
  if (why)
    return gc_set_absent(element, GC_FLUSH, why);
  if ((status = gc_number_sms(m)))
    return status;
  s.sm = m->results->sm_number[0];
  s.line = gc_found(l2, GC_LINE) && l2->line_bytes <= LINE_MAX ? (uint32_t)l2->line_bytes : 64;
  s.samples = (uint64_t)LINES * APART * s.line;
  while (size_of(&s, sizes) <= bench->walk_bytes - s.samples)
    sizes++;
  if (s.samples > gc_cold_bytes(bench) || !sizes)
    return gc_set_absent(element, GC_FLUSH, "there is too little memory to read");
  status = find_threshold(&s, &why);
  if (!status && why)
    return gc_set_absent(element, GC_FLUSH, why);
  if (!status)
    status = find_size(&s, sizes, &size);
  if (status)
    return status == -EAGAIN ? gc_set_absent(element, GC_FLUSH, missing) : status;
  if (size == sizes)
    return gc_set_absent(element, GC_FLUSH,
                         "lines are left after all memory that measuring may use was read");
  element->flush_bytes = size_of(&s, size);
  return gc_set_measured(element, GC_FLUSH, 1 - pow(1 - SHARE, (1 + AGAIN) * SAMPLES));
}
