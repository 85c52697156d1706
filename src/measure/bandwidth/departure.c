/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The departure delay of Hong and Kim (ISCA 2009): the least number of cycles between two requests
 * of an SM to memory. The warps of one SM make n requests with loads that do not wait for each
 * other; all other SMs are idle. The time of such a batch grows by one departure delay with each
 * request. doc/methods.md, "Departure delay".
 *
 * L2 has the lines. How often an SM makes a request does not depend on what answers it, as long as
 * enough requests can be under way, and L2 answers sooner and more evenly than device memory.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/core/placement.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "stats/stats.h"

#include <math.h>
#include <errno.h>
#include <stdio.h>

#define LAUNCHES 4 /* each on another SM; the second half with three quarters of the warps */
#define PARTS 2    /* of a launch; each has a slope of its own */
#define SLOPES (LAUNCHES * PARTS)
#define SIZES 4 /* of batches: a quarter, half, three quarters and all of the requests */
/* Repetitions of a part, for each size: fewer in a small L2, but a single one may be late. */
#define MOST_REPEATS 5
#define LEAST_REPEATS 2
#define WARM_UP 2 /* rounds that bring the code into caches */
#define ROUNDS_MAX (WARM_UP + PARTS * MOST_REPEATS * SIZES)
#define MOST_WARPS 32 /* of the block */
/* Requests of the largest batch. Coalesced batches are smaller, because a warp makes at most
 * GPU_BATCH_LOADS loads; so are those for a small L2, which has fewer lines. */
#define MOST_REQUESTS 2048
#define LEAST_REQUESTS 512
#define WORD 4           /* bytes that a lane loads */
#define LONGEST_LINE 256 /* bytes, if the line of L1 is not known */
#define L2_SHARE 4       /* of L2 is what a launch loads, at most */
#define L2_STRIDE 32     /* bytes: at most the sector of any L2 */
#define L2_PASSES 2
#define TOLERANCE 0.05
#define SURE_ENOUGH 0.8
#define BANDWIDTH_SHARE 0.9 /* above this share of the bandwidth, L2 may be the limit */

struct search {
  struct gc_measurement *m;
  bool coalesced;
  uint32_t warps;         /* of the largest block */
  uint32_t repeats, most; /* most: requests of a batch */
  uint32_t requests;      /* of a load: 1, or one for each lane */
  uint32_t stride;        /* bytes from load to load */
  uint32_t lane_stride;   /* bytes from lane to lane */
  uint64_t request_bytes; /* that a request brings from L2, at least */
};

static uint32_t rounds_of(const struct search *s)
{
  return WARM_UP + PARTS * s->repeats * SIZES;
}

/* Chooses the sizes of the batches of a launch; the parts alternate. Returns the loads of all. */
static uint64_t choose(const struct search *s, uint32_t warps, uint32_t counts[ROUNDS_MAX])
{
  const uint32_t possible = warps * GPU_BATCH_LOADS, wanted = s->most / s->requests;
  const uint32_t all = wanted < possible ? wanted : possible;
  uint64_t sum = 0;

  for (uint32_t i = 0; i < rounds_of(s); i++) {
    counts[i] = all * (i < WARM_UP ? 1 : (i - WARM_UP) % SIZES + 1) / SIZES;
    sum += counts[i];
  }
  return sum;
}

/* The cycles that one request more takes, by least squares, in a part. The fastest repetition of
 * each size counts: single loads arrive late now and then, and none arrives early. */
static double slope_of(const struct search *s, const uint32_t *counts, const uint32_t *cycles)
{
  double x[SIZES], y[SIZES], mean_x = 0, mean_y = 0, xx = 0, xy = 0;

  for (uint32_t i = 0; i < SIZES; i++) {
    x[i] = (double)counts[i] * s->requests;
    y[i] = INFINITY;
    for (uint32_t r = 0; r < s->repeats; r++)
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

/* One launch of so many warps on an SM. Caches of SMs are empty when it begins. */
static int run(const struct search *s, uint32_t sm, uint32_t warps, double slopes[PARTS])
{
  struct gc_bench *bench = &s->m->bench;
  const char *columns = s->coalesced ? "coalesced requests\tcycles\tSM\twarps"
                                     : "uncoalesced requests\tcycles\tSM\twarps";
  const struct gc_batches batches = {.bench = bench,
                                     .sm = sm,
                                     .warps = warps,
                                     .stride = s->stride,
                                     .lane_stride = s->lane_stride,
                                     .n = rounds_of(s)};
  uint32_t counts[ROUNDS_MAX], cycles[ROUNDS_MAX];
  int status;

  choose(s, warps, counts);
  status = gc_batches_time(&batches, counts, cycles);
  if (!status && !cycles[0])
    status = -EAGAIN;
  for (uint32_t i = WARM_UP; i < rounds_of(s) && !status; i++)
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
  const struct gc_measured *l2 = &s->m->results->element[GC_L2];
  const uint32_t half = SLOPES / 2;
  const double many = gc_median(slopes, half), few = gc_median(slopes + half, half);
  double confidence, gbps;
  char why[160];

  gc_sort(slopes, SLOPES);
  *value = gc_median(slopes, SLOPES);
  if (!(*value > 0))
    return gc_set_absent(element, property, "more loads did not take longer");
  gbps = (double)s->request_bytes / *value * s->m->bench.mhz / 1e3;
  if (gc_found(l2, GC_READ) && gbps > BANDWIDTH_SHARE * l2->read_gbps) {
    snprintf(why, sizeof(why),
             "one SM alone reads %.4g GB/s, so the bandwidth of L2 may be the limit", gbps);
    return gc_set_absent(element, property, why);
  }
  confidence = gc_median_confidence(slopes, SLOPES, *value, TOLERANCE * *value);
  if (confidence >= SURE_ENOUGH)
    return gc_set_measured(element, property, confidence);
  if (few > (1 + TOLERANCE) * many)
    snprintf(why, sizeof(why),
             "more warps may be faster: with fewer of them, %.4g instead of %.4g cycles were seen",
             few, many);
  else
    snprintf(why, sizeof(why),
             "%d repetitions lie between %.4g and %.4g cycles, too few of them within %g %% of "
             "their median",
             SLOPES, slopes[0], slopes[SLOPES - 1], 100 * TOLERANCE);
  return gc_set_absent(element, property, why);
}

/* Chooses batches whose lines L2 has space for. Returns their bytes; 0: there are none. */
static uint64_t fit(struct search *s)
{
  const uint64_t space = s->m->bench.properties.l2_bytes / L2_SHARE;
  uint32_t counts[ROUNDS_MAX];

  for (s->most = MOST_REQUESTS; s->most >= LEAST_REQUESTS; s->most /= 2)
    for (s->repeats = MOST_REPEATS; s->repeats >= LEAST_REPEATS; s->repeats--) {
      const uint64_t bytes = choose(s, s->warps, counts) * s->stride;

      if (bytes <= space)
        return bytes;
    }
  return 0;
}

/* L2 has the lines of all launches, which are the same. */
static int find(struct search *s, struct gc_measured *element, enum gc_property property,
                double *value)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gc_results *results = s->m->results;
  const uint64_t bytes = fit(s);
  double slopes[SLOPES] = {0};
  int status;

  if (!bench->properties.l2_bytes)
    return gc_set_absent(element, property, "the driver does not report the size of L2");
  if (!bytes)
    return gc_set_absent(element, property, "L2 is too small for the lines of enough loads");
  status = gc_fill_l2(bench, 0, bytes, L2_STRIDE, L2_PASSES);
  for (uint32_t i = 0; i < LAUNCHES && !status; i++)
    status = run(s, results->sm_number[i * results->sm_count / LAUNCHES],
                 i < LAUNCHES / 2 ? s->warps : s->warps * 3 / 4, slopes + i * PARTS);
  if (status == -EAGAIN)
    return gc_set_absent(element, property, "the blocks of a launch did not spread over all SMs");
  return status ? status : conclude(s, element, slopes, property, value);
}

uint64_t gc_needs_departure(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return m->bench.properties.l2_bytes / L2_SHARE;
}

int gc_step_departure(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;
  const struct gc_results *results = m->results;
  const struct gc_measured *l2 = &results->element[GC_L2];
  const uint32_t known = gc_batches_stride(results), row = WORD * p->warp;
  const uint32_t line =
      known < LONGEST_LINE && !gc_found(&results->element[GC_L1], GC_LINE) ? LONGEST_LINE : known;
  const uint32_t possible = p->threads_per_block / p->warp;
  struct search s = {.m = m,
                     .coalesced = true,
                     .warps = possible < MOST_WARPS ? possible : MOST_WARPS,
                     .requests = 1,
                     .stride = (row + line - 1) / line * line,
                     .lane_stride = WORD,
                     .request_bytes = row};
  int status = gc_number_sms(m);

  if (status)
    return status;
  if (!results->sm_count || s.warps < 2 * SIZES)
    return gc_no_value(&m->bench, "there are too few SMs or warps");
  if (results->l2_lost)
    return gc_no_value(&m->bench, gc_l2_lost_why);
  status = find(&s, element, GC_DEPARTURE_DELAY, &element->departure_delay_cycles);
  s.coalesced = false;
  s.requests = p->warp;
  s.stride = p->warp * line;
  s.lane_stride = line;
  s.request_bytes = gc_found(l2, GC_FETCH) ? l2->fetch_bytes : WORD;
  return status ? status
                : find(&s, element, GC_UNCOALESCED_DEPARTURE_DELAY,
                       &element->uncoalesced_departure_delay_cycles);
}
