/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the capacity of L2 that of other allocations, too? An L2 is indexed by physical addresses. If
 * the pages of an allocation lie anywhere in memory, some sets get more of its lines than others,
 * and misses begin long before the cache is full: earlier in one allocation, later in another. All
 * repetitions of the search walk one allocation, so they are one witness. Here further allocations
 * are asked: an array a sixteenth smaller than the capacity must fit, and a larger one must
 * not. Otherwise an application cannot count on the capacity, and it is withheld. It is also
 * withheld if even an array an eighth larger hardly misses: of that, a full cache could hold no
 * more than eight ninths, so it is not full, and where misses begin depends on the array.
 * doc/methods.md, "L2 capacity".
 */
#include "measure/check/check.h"

#include "measure/walk/l2_sample.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define LINE 128    /* bytes: distance of slots, so that each is in a line of its own */
#define SAMPLE 2048 /* timed loads of an array */
#define WITNESSES 6
/* How much smaller and larger the arrays are. Pages are not divided equally among the sets even
 * where they are large: on an H200, with pages of 2 MiB, misses begin between 0.95 and 1.02 times
 * the capacity in seven allocations. A larger difference is tried if this allocation shows no misses
 * there. */
#define APART (1.0 / 16)
#define APART_MAX (1.0 / 8)
/* The larger array of another allocation exceeds so many times as far, so that its misses do not
 * show by chance only. */
#define TWICE 2
/* An array of this share of the capacity shows how many loads that hit are slow. */
#define SURE 0.5
#define OUTLIERS 5e-4 /* least share of loads that are slow although they hit, as in the search */
#define CHANCE 1e-5   /* probability of more slow loads than these, if there are no misses */

static const char disagree[] =
    "allocations of this size differ in how much of them stays in L2: their pages are scattered";

static const char gradual[] =
    "arrays an eighth larger hardly miss, so the cache is not full where misses begin";

/* Samples of arrays in the arena, which may be another allocation for a while. */
struct asked {
  struct gc_measurement *m;
  struct gc_binning binning;
  uint32_t read_stride;
  double fitting; /* share of slow loads of an array that fits */
  uint64_t which; /* the next sample */
};

static int sample(struct asked *a, double bytes, struct gpu_chase_result *seen)
{
  const struct gc_l2_sampling sampling = {
      .stride = LINE, .read_stride = a->read_stride, .loads = SAMPLE, .which = a->which++};
  struct gc_run run = {.bytes = (uint64_t)bytes / LINE * LINE};
  const int status = gc_l2_sample(a->m, &sampling, &a->binning, &run);

  if (!status)
    gc_raw_runs(a->m->bench.raw, "other allocation", &a->binning, &run, 1);
  *seen = run.seen;
  return status;
}

/* Whether this is so of an array of this size, asked twice if the first answer is no. */
static int is(struct asked *a, double bytes, bool misses, bool *so)
{
  int status = 0;

  *so = false;
  for (int attempt = 0; attempt < 2 && !*so && !status; attempt++) {
    struct gpu_chase_result seen;

    if ((status = sample(a, bytes, &seen)))
      break;
    *so = misses ==
          (seen.slow && 1 - gc_binomial_cdf(seen.slow - 1, seen.loads, a->fitting) < CHANCE);
  }
  return status;
}

/* Finds the share of slow loads of an array that fits for sure, and how much larger than the
 * capacity an array must be to show misses. *apart 0: even much larger ones show none. -1: the
 * arena is too small for such arrays. */
static int compare_sizes(struct asked *a, double capacity, double *apart)
{
  struct gpu_chase_result seen;
  bool so = false;
  int status = sample(a, SURE * capacity, &seen);

  if (status)
    return status;
  a->fitting = (seen.slow + 2 * sqrt(seen.slow) + 1) / seen.loads; /* two standard errors more */
  a->fitting = a->fitting > OUTLIERS ? a->fitting : OUTLIERS;
  for (*apart = APART; *apart <= APART_MAX; *apart *= 2) {
    if ((1 + TWICE * *apart) * capacity > (double)a->m->bench.arena_bytes) {
      *apart = -1;
      return 0;
    }
    if ((status = is(a, (1 + *apart) * capacity, true, &so)) || so)
      return status;
  }
  *apart = 0;
  return 0;
}

/* Asks this allocation. */
static int ask(struct asked *a, uint64_t address, uint64_t bytes, double capacity, double apart,
               bool *agrees)
{
  struct gc_bench *bench = &a->m->bench;
  const uint64_t arena = bench->arena, arena_bytes = bench->arena_bytes;
  int status;

  bench->arena = address;
  bench->arena_bytes = bytes;
  status = is(a, (1 - apart) * capacity, false, agrees);
  if (!status && *agrees)
    status = is(a, (1 + TWICE * apart) * capacity, true, agrees);
  bench->arena = arena;
  bench->arena_bytes = arena_bytes;
  return status;
}

/* Asks this allocation once more, then new ones, or, if memory is scarce, further parts of the
 * memory that measuring has. These are other pages in any case. */
static int ask_all(struct asked *a, double capacity, double apart, bool *agrees)
{
  struct gc_bench *bench = &a->m->bench;
  const uint64_t bytes = (uint64_t)((1 + TWICE * apart) * capacity) / LINE * LINE + LINE;
  uint64_t others[WITNESSES], used = bytes;
  unsigned n = 0, made = 0;
  int status = 0;

  if ((status = ask(a, bench->arena, bench->arena_bytes, capacity, apart, agrees)) || !*agrees)
    return status;
  while (made < WITNESSES &&
         bench->ops->counts(bench->device)->device_bytes + bytes <= bench->most_bytes &&
         !bench->ops->alloc(bench->device, bytes, &others[made], bench->err))
    made++;
  for (; n < made && *agrees && !status; n++)
    status = ask(a, others[n], bytes, capacity, apart, agrees);
  for (; n < WITNESSES && *agrees && !status && used + bytes <= bench->walk_bytes; n++) {
    status = ask(a, bench->arena + used, bytes, capacity, apart, agrees);
    used += bytes;
  }
  while (made)
    bench->ops->release(bench->device, others[--made]);
  return status;
}

int gc_step_l2_allocations(struct gc_measurement *m, struct gc_measured *element)
{
  const double capacity = (double)gc_capacity(element);
  struct asked a = {.m = m,
                    .binning = {.shift = 3, .threshold = gc_l2_threshold(m)},
                    .read_stride = element->level.stride};
  bool agrees = true;
  double apart;
  int status;

  if (!gc_capacity(element) || !element->level.stride)
    return 0;
  status = compare_sizes(&a, capacity, &apart);
  if (!status && apart > 0)
    status = ask_all(&a, capacity, apart, &agrees);
  if (status == -ENOTSUP) /* the search could not sample either */
    return 0;
  if (status || (apart != 0 && agrees))
    return status;
  return gc_withhold(m->results, GC_L2, GC_CAPACITY, apart > 0 ? disagree : gradual);
}
