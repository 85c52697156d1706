/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The departure delay of Hong and Kim (ISCA 2009): the cycles between two memory requests of an SM
 * that makes as many as it can. The warps of one SM load n times from device memory, with so many
 * loads under way that the SM can always make a request; all other SMs are idle. The time of such a
 * train grows by one departure delay with each request. doc/methods.md, "Departure delay".
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/core/placement.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>

#define LAUNCHES 4 /* each on another SM; the second half with three quarters of the warps */
#define PARTS 2    /* of a launch; each has a slope of its own */
#define SLOPES (LAUNCHES * PARTS)
#define SIZES 4   /* of trains: a quarter of the requests, to all */
#define REPEATS 3 /* of a part, for each size */
#define WARM_UP 2 /* rounds that bring the code into caches */
#define ROUNDS (WARM_UP + PARTS * REPEATS * SIZES)
#define MOST_WARPS 32 /* of the block */
#define REQUESTS 3072 /* of the longest train */
#define WORD 4        /* bytes that a lane loads */
#define LONGEST_LINE 256 /* bytes, if the line of L1 is not known */
#define ALIGNMENT ((uint64_t)4096)
#define TOLERANCE 0.05
#define SURE_ENOUGH 0.8
#define BANDWIDTH_SHARE 0.9 /* an SM that gets so much of the bandwidth is not the limit */

struct search {
  struct gc_measurement *m;
  bool coalesced;
  uint32_t warps;         /* of the largest block */
  uint32_t requests;      /* of a load: 1, or one for each lane */
  uint32_t stride;        /* bytes from load to load */
  uint32_t lane_stride;   /* bytes from lane to lane */
  uint64_t request_bytes; /* that a request brings from device memory, at least */
  uint64_t *cold;         /* from this offset in the arena on, no line is in a cache */
};

/* Chooses the lengths of the trains of a launch; the parts alternate. Returns the loads of all. */
static uint64_t choose(const struct search *s, uint32_t counts[ROUNDS])
{
  const uint32_t all = REQUESTS / s->requests;
  uint64_t sum = 0;

  for (uint32_t i = 0; i < ROUNDS; i++) {
    counts[i] = all * (i < WARM_UP ? 1 : (i - WARM_UP) % SIZES + 1) / SIZES;
    sum += counts[i];
  }
  return sum;
}

/* The cycles that one request more takes, by least squares, in a part. The fastest repetition of each
 * size counts: on an H100, single loads arrive up to 500 cycles late, and no load early. */
static double slope_of(const struct search *s, const uint32_t *counts, const uint32_t *cycles)
{
  double x[SIZES], y[SIZES], mean_x = 0, mean_y = 0, xx = 0, xy = 0;

  for (uint32_t i = 0; i < SIZES; i++) {
    x[i] = (double)counts[i] * s->requests;
    y[i] = INFINITY;
    for (uint32_t r = 0; r < REPEATS; r++)
      y[i] = fmin(y[i], cycles[r * PARTS * SIZES + i]);
    mean_x += x[i] / SIZES;
    mean_y += y[i] / SIZES;
  }
  for (uint32_t i = 0; i < SIZES; i++) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / xx;
}

/* One launch of so many warps on an SM. */
static int run(const struct search *s, uint32_t sm, uint32_t warps, double slopes[PARTS])
{
  struct gc_bench *bench = &s->m->bench;
  const char *columns = s->coalesced ? "coalesced requests\tcycles\tSM\twarps"
                                     : "uncoalesced requests\tcycles\tSM\twarps";
  const uint64_t cold = gc_cold_bytes(bench) & -ALIGNMENT;
  uint32_t counts[ROUNDS], cycles[ROUNDS];
  const uint64_t bytes = choose(s, counts) * s->stride;
  int status = 0;

  if (*s->cold + bytes > cold) {
    status = gc_empty_caches(bench);
    *s->cold = 0;
  }
  if (!status)
    status = gc_batches_time(&(struct gc_batches){.bench = bench,
                                                  .sm = sm,
                                                  .warps = warps,
                                                  .stride = s->stride,
                                                  .lane_stride = s->lane_stride,
                                                  .from = *s->cold,
                                                  .n = ROUNDS},
                             counts, cycles);
  *s->cold += bytes;
  for (uint32_t i = WARM_UP; i < ROUNDS && !status; i++)
    gc_raw_row(bench->raw, columns,
               (double[]){(double)counts[i] * s->requests, cycles[i], sm, warps});
  for (uint32_t p = 0; p < PARTS && !status; p++)
    slopes[p] = slope_of(s, counts + WARM_UP, cycles + WARM_UP + p * SIZES);
  return status;
}

/* Decides by the slopes; those of fewer warps are the second half. */
static int conclude(const struct search *s, struct gc_measured *element, double slopes[SLOPES],
                    enum gc_property property, double *value)
{
  const uint32_t half = SLOPES / 2;
  const double many = gc_median(slopes, half), few = gc_median(slopes + half, half);
  double confidence, gbps;
  char why[160];

  gc_sort(slopes, SLOPES);
  *value = gc_median(slopes, SLOPES);
  if (!(*value > 0))
    return gc_set_absent(element, property, "more loads did not take longer");
  gbps = (double)s->request_bytes / *value * s->m->bench.mhz / 1e3;
  if (gbps > BANDWIDTH_SHARE * element->read_gbps) {
    snprintf(why, sizeof(why),
             "one SM alone reads %.4g GB/s, so the bandwidth of device memory may be the limit",
             gbps);
    return gc_set_absent(element, property, why);
  }
  confidence = gc_median_confidence(slopes, SLOPES, *value, TOLERANCE * *value);
  if (confidence >= SURE_ENOUGH)
    return gc_set_measured(element, property, confidence);
  if (few > (1 + TOLERANCE) * many) {
    snprintf(why, sizeof(why),
             "more warps may be faster: with fewer of them, %.4g instead of %.4g cycles were seen",
             few, many);
    return gc_set_absent(element, property, why);
  }
  snprintf(why, sizeof(why),
           "%d repetitions lie between %.4g and %.4g cycles, too few of them within %g %% of their "
           "median",
           SLOPES, slopes[0], slopes[SLOPES - 1], 100 * TOLERANCE);
  return gc_set_absent(element, property, why);
}

static int find(const struct search *s, struct gc_measured *element, enum gc_property property,
                double *value)
{
  const struct gc_results *results = s->m->results;
  double slopes[SLOPES] = {0};
  int status = 0;

  for (uint32_t i = 0; i < LAUNCHES && !status; i++)
    status = run(s, results->sm_number[i * results->sm_count / LAUNCHES],
                 i < LAUNCHES / 2 ? s->warps : s->warps * 3 / 4, slopes + i * PARTS);
  return status ? status : conclude(s, element, slopes, property, value);
}

int gc_step_departure(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  const struct gc_measured *l2 = &m->results->element[GC_L2];
  const uint32_t known = gc_batches_stride(m->results), row = WORD * p->warp;
  const uint32_t line =
      known < LONGEST_LINE && !gc_found(&m->results->element[GC_L1], GC_LINE) ? LONGEST_LINE : known;
  const uint32_t possible = p->threads_per_block / p->warp;
  uint64_t cold = UINT64_MAX / 2;
  struct search coalesced = {.m = m,
                             .coalesced = true,
                             .warps = possible < MOST_WARPS ? possible : MOST_WARPS,
                             .requests = 1,
                             .stride = (row + line - 1) / line * line,
                             .lane_stride = WORD,
                             .request_bytes = row,
                             .cold = &cold};
  struct search uncoalesced = coalesced;
  uint32_t counts[ROUNDS];
  uint64_t bytes, more;
  int status = gc_number_sms(m);

  if (status)
    return status;
  uncoalesced.coalesced = false;
  uncoalesced.requests = p->warp;
  uncoalesced.stride = p->warp * line;
  uncoalesced.lane_stride = line;
  uncoalesced.request_bytes = gc_found(l2, GC_FETCH) ? l2->fetch_bytes : WORD;
  bytes = choose(&coalesced, counts) * coalesced.stride;
  more = choose(&uncoalesced, counts) * uncoalesced.stride;
  bytes = more > bytes ? more : bytes;
  if (!m->results->sm_count || coalesced.warps < 2 * SIZES)
    return gc_no_value(bench, "there are too few SMs or warps");
  if (!gc_found(element, GC_READ))
    return gc_no_value(bench, "the read bandwidth is not known");
  if (bytes > (gc_cold_bytes(bench) & -ALIGNMENT))
    return gc_no_value(bench, "there is too little memory that no cache has");
  status = find(&coalesced, element, GC_DEPARTURE_DELAY, &element->departure_delay_cycles);
  return status ? status
                : find(&uncoalesced, element, GC_UNCOALESCED_DEPARTURE_DELAY,
                       &element->uncoalesced_departure_delay_cycles);
}
