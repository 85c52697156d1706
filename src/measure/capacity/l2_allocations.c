/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of L2 an application can count on, whatever its pages. An L2 is indexed by physical
 * addresses. If the pages of an allocation lie anywhere in memory, some sets get more of its lines
 * than others, and misses begin long before the cache is full: earlier in one allocation, later in
 * another. The search (l2_capacity.c) walks one allocation. Here the largest array that fits is
 * found in
 * further ones. The capacity becomes the size that nine of ten allocations hold, as far as so few
 * of them can show (a tolerance bound). If they differ too much for that, it is withheld. It is
 * also withheld if an array an eighth larger hardly misses. A full cache could hold only eight
 * ninths of such an array, so this cache is not full, and where misses begin depends on the array.
 * doc/methods.md, "L2 capacity".
 */
#include "measure/capacity/capacity.h"

#include "measure/walk/allocations.h"
#include "measure/walk/l2_sample.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define LINE 128 /* bytes: distance of slots, so that each is in a line of its own */
/* Timed loads of an array. So many show a difference of one part (PARTS). */
#define SAMPLE 8192
#define OTHERS 6 /* allocations besides the one that was searched */
#define OTHERS_MIN 2
/* Sizes of arrays, in parts of the capacity of the allocation that was searched. */
#define PARTS 256
#define UNCERTAIN 2 /* parts: the search is no more exact */
#define LEAST (PARTS / 4)
#define MOST (PARTS + PARTS / 8)
#define FOUND_MIN (PARTS / 2) /* a lower bound says too little */
/* Larger arrays of the searched allocation: the first must miss, or else the second. */
#define LARGER (PARTS / 16)
#define MUCH_LARGER (PARTS / 8)
/* An array of this share of the capacity shows how many loads that hit are slow. */
#define SURE 0.5
#define OUTLIERS 5e-4 /* least share of loads that are slow although they hit, as in the search */
#define CHANCE 1e-5   /* probability of more slow loads than these, if there are no misses */
#define SURE_OF_BOUND 0.95 /* the probability for which `factors` is made */

static const char disagree[] =
    "allocations of this size differ in how much of them stays in L2: their pages are scattered";

static const char gradual[] =
    "arrays an eighth larger hardly miss: the cache is not yet full where misses begin";

/* Samples of arrays in the arena, which may be another allocation for a while. */
struct sampler {
  struct gc_measurement *m;
  struct gc_binning binning;
  uint32_t read_stride;
  double part;    /* bytes */
  double fitting; /* share of slow loads of an array that fits */
  uint32_t part_number; /* of the next sample of this allocation */
  /* What fits in each allocation. The first one was searched. */
  unsigned parts[OTHERS + 1], n;
};

/* The order is ascending: so most loads find the translation that the one before them needed. */
static int sample(struct sampler *a, double parts, struct gpu_chase_result *seen)
{
  const struct gc_l2_sampling sampling = {.stride = LINE,
                                          .read_stride = a->read_stride,
                                          .loads = (uint32_t)(SAMPLE * parts / PARTS),
                                          .ascending = true,
                                          .part = a->part_number++};
  struct gc_run run = {.bytes = (uint64_t)(parts * a->part) / LINE * LINE};
  const int status = gc_l2_sample(a->m, &sampling, &a->binning, &run);

  if (!status)
    gc_raw_runs(a->m->bench.raw, "other allocation", &a->binning, &run, 1);
  *seen = run.seen;
  return status;
}

/* Whether an array of this size misses. */
static int misses(struct sampler *a, double parts, bool *so)
{
  struct gpu_chase_result seen;
  const int status = sample(a, parts, &seen);

  *so = !status && seen.slow &&
        1 - gc_binomial_cdf(seen.slow - 1, seen.loads, a->fitting) < CHANCE;
  return status;
}

/* The same, sampled twice if it does not. */
static int misses_for_sure(struct sampler *a, double parts, bool *so)
{
  int status = misses(a, parts, so);

  return status || *so ? status : misses(a, parts, so);
}

/* Finds the share of slow loads of an array that fits for sure. */
static int look_at_hits(struct sampler *a)
{
  struct gpu_chase_result seen;
  const int status = sample(a, SURE * PARTS, &seen);

  if (!status)
    a->fitting = fmax((seen.slow + 2 * sqrt(seen.slow) + 1) / seen.loads, /* two standard errors */
                      OUTLIERS);
  return status;
}

/* The largest array of this allocation that fits: at least LEAST parts, at most MOST. */
static int bisect(struct sampler *a, bool twice, unsigned *fits)
{
  unsigned low = LEAST, high = MOST + 1, next = PARTS - UNCERTAIN, step = UNCERTAIN;
  int status = 0;

  while (high - low > 1 && !status) {
    bool so;

    status = misses(a, next, &so);
    if (!status && so && twice)
      status = misses(a, next, &so);
    if (so)
      high = next;
    else
      low = next;
    /* first away from the capacity in larger and larger steps, then bisect */
    step *= 2;
    if (high == MOST + 1)
      next = low + step < MOST ? low + step : MOST;
    else if (low == LEAST)
      next = high > LEAST + 1 + step ? high - step : LEAST + 1;
    else
      next = (low + high) / 2;
  }
  *fits = low;
  return status;
}

/* Adds the largest array of this allocation that fits. One disturbed sample could make it too
 * small: then an array a little larger than it still fits, and all is done again with twice the
 * samples. */
static int find_fitting(void *data)
{
  struct sampler *a = data;
  unsigned fits;
  bool so = true;
  int status;

  a->part_number = 0;
  if (!(status = bisect(a, false, &fits)) && fits < MOST)
    status = misses(a, fits + 1, &so);
  if (!status && !so)
    status = bisect(a, true, &fits);
  a->parts[a->n++] = fits;
  return status;
}

/* The size that nine of ten allocations hold with a probability of 95 %, from the sizes that n of
 * them hold. One-sided tolerance bound for a normal distribution; factors for 3 to 7 values of
 * Natrella 1963, Table A-7. */
static double bound(const struct sampler *a)
{
  static const double factors[] = {6.155, 4.162, 3.407, 3.006, 2.755};
  double mean = 0, squares = 0, least = INFINITY;

  for (unsigned i = 0; i < a->n; i++) {
    mean += (double)a->parts[i] / a->n;
    least = fmin(least, a->parts[i]);
  }
  for (unsigned i = 0; i < a->n; i++)
    squares += pow(a->parts[i] - mean, 2);
  return fmin(least, mean - factors[a->n - 3] * sqrt(squares / (a->n - 1)));
}

/* The capacity of all of these allocations. The first one was searched; if the others hold as much,
 * its capacity stays as it was found. If one holds more than the largest array that was tried, how
 * much they differ is not known. */
static void settle(struct sampler *a, struct gc_measured *element)
{
  unsigned least = PARTS, most = PARTS;
  double found;

  for (unsigned i = 0; i < a->n; i++) {
    least = a->parts[i] < least ? a->parts[i] : least;
    most = a->parts[i] > most ? a->parts[i] : most;
  }
  element->fitting_bytes = (uint64_t)(most * a->part);
  if (least >= PARTS - UNCERTAIN && most <= PARTS + UNCERTAIN)
    return;
  found = bound(a);
  if (found < FOUND_MIN || most == MOST) {
    gc_withhold(a->m->results, GC_L2, GC_CAPACITY, disagree);
    return;
  }
  element->capacity_bytes = (uint64_t)(found * a->part) / LINE * LINE;
  gc_set_measured(element, GC_CAPACITY, SURE_OF_BOUND * element->found[GC_CAPACITY].confidence);
}

/* Whether larger arrays of the searched allocation miss, or cannot be tried. */
static int look_at_misses(struct sampler *a, bool *full)
{
  int status;

  *full = (PARTS + MUCH_LARGER) * a->part > (double)a->m->bench.arena_bytes;
  if (*full || (status = misses_for_sure(a, PARTS + LARGER, full)) || *full)
    return *full ? 0 : status;
  return misses_for_sure(a, PARTS + MUCH_LARGER, full);
}

int gc_step_l2_allocations(struct gc_measurement *m, struct gc_measured *element)
{
  struct sampler a = {.m = m,
                      .binning = {.shift = 3, .threshold = gc_l2_threshold(m)},
                      .read_stride = element->level.stride,
                      .part = (double)gc_capacity(element) / PARTS,
                      .parts = {PARTS},
                      .n = 1};
  bool full = false;
  unsigned n = 0;
  int status;

  if (!gc_capacity(element) || !element->level.stride)
    return 0;
  if (!(status = look_at_hits(&a)) && !(status = look_at_misses(&a, &full)) && full)
    status = gc_visit_allocations(&m->bench, (uint64_t)(MOST * a.part) + LINE, OTHERS, find_fitting,
                                  &a, &n);
  if (status == -ENOTSUP) /* the search could not sample either */
    return 0;
  if (status)
    return status;
  if (!full)
    return gc_withhold(m->results, GC_L2, GC_CAPACITY, gradual);
  if (n < OTHERS_MIN)
    return gc_set_lacks_memory(m, element, GC_CAPACITY,
                               m->bench.arena_bytes + (uint64_t)(OTHERS_MIN * MOST * a.part));
  settle(&a, element);
  return 0;
}
