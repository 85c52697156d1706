/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the capacity of L3 that of other allocations, too? An L3 is indexed by physical addresses, so
 * how much of an allocation it holds may depend on where its pages lie (l2_allocations.c has the
 * same question about L2). The search walks one allocation. Here others are sampled, and what fits
 * in all of them is reported, because an application can count on that. If they differ widely, the
 * capacity is withheld.
 *
 * It is also withheld if arrays that are slightly larger than the capacity hardly miss. Then a few
 * sets get too many lines while the others have space, as with small scattered pages. Where that
 * begins is too uncertain to be compared. doc/methods.md, "L3 capacity".
 */
#include "measure/capacity/capacity.h"

#include "measure/walk/allocations.h"
#include "measure/walk/l3.h"
#include "stats/stats.h"

#include <math.h>

#define PAIRS 2200 /* of a sample (walk/l3.h) */
#define OTHERS 11
/* An array of this share of the capacity shows how many loads that hit are slow. */
#define SURE 0.5
#define OUTLIERS 1e-3 /* least share of loads that are slow although they hit, as in the search */
#define CHANCE 1e-5   /* probability of more slow loads than these, if there are no misses */
/* An array that is larger by SLIGHTLY does not fit: a full cache loses lines at its start, twice
 * that share of its first half, which is timed. A quarter of these lines must be lost. */
#define SLIGHTLY (1.0 / 32)
#define SHARP (SLIGHTLY * GC_L3_EARLY / 4)
#define WIDELY 0.25 /* other allocations may hold so much less or more, as a share */
/* An application can count on what this share of all allocations hold. If allocations differ, the
 * least of n is no more than that with a probability of 1 - MOST^n. */
#define MOST 0.9

static const char gradual[] =
    "arrays slightly larger hardly miss, so where misses begin depends on the array";
static const char disagree[] =
    "allocations differ widely in how much of them stays in L3: their pages are scattered";
static const char few[] = "allocations differ in how much of them stays in L3, and memory for more "
                          "of them is lacking";
static const char alone[] =
    "there is too little free memory for another allocation that would confirm it";

/* Samples of arrays in the arena, which may be another allocation for a while. */
struct sampler {
  struct gc_measurement *m;
  struct gc_binning binning;
  uint64_t step;
  double capacity; /* of the allocation that the search walked */
  double fitting;  /* share of slow loads of an array that fits */
  uint64_t least;  /* fits in all allocations so far */
  bool widely;     /* an allocation differs widely */
};

static int sample(struct sampler *a, uint64_t bytes, struct gpu_chase_result *seen)
{
  struct gc_bench *bench = &a->m->bench;
  struct gc_run run = {.bytes = bytes};
  struct gc_l3_ring ring;
  int status;

  if ((status = gc_l3_lay_ring(a->m, 0, bytes / GC_L3_EARLY, PAIRS, &ring)) ||
      (status = gc_l3_read_array(a->m, 0, bytes)) ||
      (status = gc_l3_sample(bench, &ring, &a->binning, &run.seen)))
    return status;
  gc_raw_runs(bench->raw, "other allocation", &a->binning, &run, 1);
  *seen = run.seen;
  return 0;
}

static int fits(struct sampler *a, uint64_t bytes, bool *so)
{
  struct gpu_chase_result seen;
  const int status = sample(a, bytes, &seen);

  *so = !status &&
        !(seen.slow && 1 - gc_binomial_cdf(seen.slow - 1, seen.loads, a->fitting) < CHANCE);
  return status;
}

static uint64_t steps_of(const struct sampler *a, double bytes)
{
  return (uint64_t)(bytes / (double)a->step) * a->step;
}

/* The share of slow loads of an array that fits for sure, and whether one slightly larger than the
 * capacity misses clearly. */
static int compare_sizes(struct sampler *a, bool *sharp)
{
  const uint64_t least = GC_L3_LEAST_L2S * a->m->bench.properties.l2_bytes;
  const uint64_t sure = steps_of(a, SURE * a->capacity);
  struct gpu_chase_result seen;
  int status = sample(a, sure > least ? sure : least, &seen);

  if (status)
    return status;
  a->fitting = (seen.slow + 2 * sqrt(seen.slow) + 1) / seen.loads; /* two standard errors more */
  a->fitting = fmax(a->fitting, OUTLIERS);
  status = sample(a, steps_of(a, (1 + SLIGHTLY) * a->capacity) + a->step, &seen);
  *sharp = !status && seen.slow > (SHARP + a->fitting) * seen.loads;
  return status;
}

/* Lowers a->least to what fits in this allocation. Returns 1 if further allocations cannot help. */
static int sample_allocation(void *data)
{
  struct sampler *a = data;
  uint64_t low = steps_of(a, (1 - WIDELY) * a->capacity), high = a->least + a->step;
  bool so = false;
  int status;

  if (!(status = fits(a, steps_of(a, (1 + WIDELY) * a->capacity), &so)))
    a->widely |= so;
  /* low fits, or is not known to; high does not fit, or is more than other allocations hold */
  for (uint64_t size = a->least; !status && !a->widely && high - low > a->step;
       size = steps_of(a, (double)(low + high) / 2)) {
    if ((status = fits(a, size, &so)))
      break;
    low = so ? size : low;
    high = so ? high : size;
  }
  a->least = low;
  if (!status && !a->widely && low < steps_of(a, (1 - WIDELY) * a->capacity) + a->step) {
    status = fits(a, low, &so);
    a->widely |= !so;
  }
  return status ? status : a->widely;
}

/* Reports what fits in each of n allocations, if that is probably not more than what fits in most.
 */
static int lower(struct gc_measurement *m, struct gc_measured *element, uint64_t bytes, unsigned n)
{
  const double confidence = element->found[GC_CAPACITY].confidence * (1 - pow(MOST, n));

  if (confidence < GC_CONFIDENCE_LEAST)
    return gc_withhold(m->results, GC_L3, GC_CAPACITY, few);
  element->capacity_bytes = bytes;
  return gc_set_measured(element, GC_CAPACITY, confidence);
}

int gc_step_l3_allocations(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element);
  struct sampler a = {
      .m = m,
      .binning = {.shift = 3,
                  .threshold = (uint32_t)((element->level.hit + element->level.miss) / 2)},
      .step = gc_l3_step(&m->bench.properties),
      .capacity = (double)capacity,
      .least = capacity};
  const uint64_t part = (uint64_t)((1 + WIDELY) * a.capacity);
  bool sharp;
  unsigned n;
  int status;

  if (!capacity || !(element->level.miss > 0))
    return 0;
  if ((status = compare_sizes(&a, &sharp)))
    return status;
  if (!sharp)
    return gc_withhold(m->results, GC_L3, GC_CAPACITY, gradual);
  status = gc_visit_allocations(&m->bench, part, OTHERS, sample_allocation, &a, &n);
  if (status < 0)
    return status;
  if (!n) {
    gc_mark_passing(element, GC_CAPACITY, GC_LITTLE_MEMORY);
    return gc_withhold(m->results, GC_L3, GC_CAPACITY, alone);
  }
  if (a.widely)
    return gc_withhold(m->results, GC_L3, GC_CAPACITY, disagree);
  return a.least < capacity ? lower(m, element, a.least, n + 1) : 0;
}
