/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of carve-outs and the L1 capacities that they leave. A kernel may request a share of
 * the unified storage as shared memory. The driver then takes its next larger carve-out, and no
 * interface states these. The percentages at which the L1 changes are found by halving; each step
 * is one launch that walks as many array sizes as there are SMs. Then each L1 that was found is
 * measured to the line.
 *
 * The launches have blocks of one warp, as in the capacity search. The driver reserves shared
 * memory for as many blocks as an SM could hold, so the table belongs to this number of blocks
 * (CarveoutBlocks). Larger blocks allow smaller carve-outs. Their tables differ from the first one
 * where that has its least carve-out; a few launches confirm the rest. doc/methods.md,
 * "Carve-outs".
 */
#include "measure/capacity/capacity.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT GC_CARVEOUTS    /* index of "no preference" */
#define LAST (GC_CARVEOUTS - 1) /* 100 % */
#define REPEATS 2
/* Least number of sizes in a rough search, in as many launches as necessary: L1s that differ by
 * less than two steps count as the same. */
#define SIZES_MIN 128
#define ATTEMPTS 6 /* to measure one L1 to the line */
#define CARVEOUT_UNIT 1024 /* every carve-out that NVIDIA documents is a multiple of it */
#define SURE 0.99
#define SURE_ENOUGH 0.5
#define WITHIN 0.005 /* share of the capacity; the confidence refers to it */
/* Loads until lines of the launch before have been replaced: see walk/path.c. */
#define ROUGH_WARM 2048
#define ROUGH_LOADS 768 /* enough to see that an array does not fit */
#define BESIDE 3 /* steps on each side of an L1 that is known */
#define TRIES 2  /* until an L1 is another one: two slow loads may hide where misses begin */
#define FINE_WARM 8192
#define SHIFT 3
#define SMALL_BYTES 16384 /* fits every carve-out */
#define SMALL_RUNS 128
#define RING_BYTES ((uint64_t)1 << 20) /* more than any L1 */

struct table {
  struct gc_bench *bench;
  struct gc_path path;
  struct gc_binning binning;
  double outliers;                  /* share of slow loads that are no misses */
  uint64_t max, step;               /* sizes of the rough search */
  uint64_t capacity;                /* of the L1 without a carve-out, which a whole search found */
  uint64_t bytes[GC_CARVEOUTS + 1]; /* L1 to the line; UINT64_MAX: not measured yet */
  double confidence;                /* the probability that all values are right within WITHIN */
};

/* n array sizes from `from` on, `step` bytes apart, each walked `repeats` times, and their
 * evidence. */
struct range {
  uint64_t from, step;
  size_t n, repeats;
  struct gc_evidence *items; /* [n] */
};

static int range_new(const struct table *t, struct range *range)
{
  range->items = gc_step_alloc(t->bench, range->n, sizeof(*range->items));
  return range->items ? 0 : -ENOMEM;
}

/* The last size that fits; 0: none. confidence: the probability that it is right within WITHIN. */
static void conclude(const struct range *range, double *posterior, uint64_t *bytes,
                     double *confidence)
{
  struct gc_changepoint change;

  gc_changepoint_find(range->items, range->n, posterior, &change);
  *bytes = change.index ? range->from + (change.index - 1) * range->step : 0;
  *confidence = 0;
  for (size_t c = 1; c < range->n && change.index && change.index < range->n; c++)
    if (fabs((double)(range->from + (c - 1) * range->step) - (double)*bytes) <=
        WITHIN * (double)*bytes)
      *confidence += posterior[c];
}

static const char *phase(const struct table *t)
{
  static const char *const names[][2] = {{"fine", "rough"},
                                         {"fine, 4 warps", "rough, 4 warps"},
                                         {"fine, 32 warps", "rough, 32 warps"}};
  const uint32_t more = t->path.more_warps;

  return names[more > 3 ? 2 : more > 0][t->path.loads_max > 0];
}

/* Walks all sizes, adds to the evidence, and finds the last size that fits. */
static int last_fitting(struct table *t, struct range *range, uint64_t *bytes, double *confidence)
{
  const size_t n = range->n * range->repeats;
  struct gc_run *runs = gc_step_alloc(t->bench, n, sizeof(*runs));
  double *posterior = gc_step_alloc(t->bench, range->n + 1, sizeof(*posterior));
  int status = 0;

  if (!runs || !posterior)
    status = -ENOMEM;
  for (size_t i = 0; i < n && !status; i++)
    runs[i].bytes = range->from + i % range->n * range->step;
  if (!status)
    status = gc_chase_sizes(t->bench, &t->path, &t->binning, runs, n);
  if (!status) {
    gc_raw_runs(t->bench->raw, phase(t), &t->binning, runs, n);
    for (size_t i = 0; i < n; i++)
      gc_evidence_add(&range->items[i % range->n], runs[i].seen.slow, runs[i].seen.loads,
                      t->outliers);
    conclude(range, posterior, bytes, confidence);
  }
  gc_step_free(t->bench, runs);
  return status;
}

static int set(struct table *t, int index)
{
  const int percent = index == DEFAULT ? -1 : index;

  gc_raw_carveout(t->bench->raw, percent);
  return t->bench->ops->carveout(t->bench->device, t->path.chase, percent, t->bench->err);
}

/* Are these the same L1? Rough sizes may be wrong by a step. */
static bool same_l1(const struct table *t, uint64_t a, uint64_t b)
{
  return a < b + 2 * t->step && b < a + 2 * t->step;
}

/* Finds the L1 of the current carve-out to a step. It lies between two sizes. */
static int rough(struct table *t, uint64_t least, uint64_t most, uint64_t *bytes)
{
  const uint64_t first = least > t->step ? (least - t->step) / t->step * t->step : 0;
  const uint64_t from = first ? first : t->step;
  struct range range = {.from = from,
                        .step = t->step,
                        .n = (size_t)((most > from ? most - from : 0) / t->step + 2),
                        .repeats = 1};
  double confidence;
  int status = range_new(t, &range);

  *bytes = 0;
  t->path.warm_loads = ROUGH_WARM;
  t->path.loads_max = ROUGH_LOADS;
  if (!status)
    status = last_fitting(t, &range, bytes, &confidence);
  if (!*bytes) /* noise: the smallest size fits */
    *bytes = from;
  return status;
}

/* L1s differ by whole units of carve-outs. If this one does not, two slow loads may have hidden its
 * last line. */
static bool is_odd(const struct table *t, uint64_t bytes)
{
  return bytes % CARVEOUT_UNIT != t->capacity % CARVEOUT_UNIT;
}

/* Finds the L1 of the current carve-out to the line. -EDOM: not sure enough. */
static int fine(struct table *t, uint64_t about, uint64_t *bytes)
{
  const size_t line = t->path.stride;
  struct range range = {.from = about > t->step ? about - t->step : line, /* noise: `about` may be
                                                                             wrong by a step */
                        .step = line,
                        .n = (size_t)(4 * t->step / line),
                        .repeats = REPEATS};
  double confidence = 0;
  int status = range_new(t, &range);

  t->path.warm_loads = FINE_WARM;
  t->path.loads_max = 0;
  for (int attempt = 0; attempt < ATTEMPTS && !status && (confidence < SURE || is_odd(t, *bytes));
       attempt++)
    status = last_fitting(t, &range, bytes, &confidence);
  if (!status && confidence < SURE_ENOUGH)
    return -EDOM;
  t->confidence *= confidence;
  return status;
}

/* Finds the L1 at one percentage. It lies between those at two others, and often equals one of
 * them. The fine search cannot be sure if slow loads have misled the rough one by several steps. */
static int find(struct table *t, int index, uint64_t least, uint64_t most)
{
  int status = set(t, index);
  uint64_t about;

  if (status)
    return status;
  for (int n = 0; n < TRIES; n++) {
    if ((status = rough(t, least, most, &about)))
      return status;
    if (same_l1(t, about, least) || same_l1(t, about, most)) {
      t->bytes[index] = same_l1(t, about, most) ? most : least;
      return 0;
    }
    if ((status = fine(t, about, &t->bytes[index])) != -EDOM)
      return status;
  }
  return status;
}

/* The next percentage to try between two. The L1 at a percentage and the L1 at 100 % differ as much
 * as their carve-outs, and the driver uses a carve-out up to exactly its own percentage. If that
 * does not hold, three attempts are lost, and halving finds the change. */
static int next_try(const struct table *t, int low, int high)
{
  static const int around[] = {0, -1, 1};
  const double all = (double)t->bench->properties.shared_per_sm;
  const double less = (double)t->bytes[low] - (double)t->bytes[LAST];
  const int change = less < all ? (int)(100 * (all - less) / all) + 1 : high;

  for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
    const int guess = change + around[i];

    if (guess > low && guess < high && t->bytes[guess] == UINT64_MAX)
      return guess;
  }
  return (low + high) / 2;
}

/* Tries percentages between two with different L1s until every change lies between neighbours. */
static int narrow(struct table *t, int low, int high)
{
  const int middle = next_try(t, low, high);
  int status;

  if (high - low < 2 || t->bytes[low] == t->bytes[high]) {
    for (int i = low + 1; i < high; i++)
      t->bytes[i] = t->bytes[low];
    return 0;
  }
  if ((status = find(t, middle, t->bytes[high], t->bytes[low])) ||
      (status = narrow(t, low, middle)))
    return status;
  return narrow(t, middle, high);
}

/* Finds the threshold between hits and misses: halfway between loads of arrays that fit any L1 and
 * of an array that fits none. Also finds the rate of hits that look like misses. */
static int find_threshold(struct table *t)
{
  struct gc_run runs[1 + SMALL_RUNS];
  uint64_t small[GPU_HISTOGRAM_BINS] = {0}, large[GPU_HISTOGRAM_BINS] = {0};
  double slow = 0.5, loads = 1;
  int status;

  memset(runs, 0, sizeof(runs));
  t->path.loads_max = ROUGH_LOADS;
  runs[0].bytes = 2 * t->max;
  for (int i = 1; i <= SMALL_RUNS; i++)
    runs[i].bytes = SMALL_BYTES;
  if ((status = gc_chase_sizes(t->bench, &t->path, &t->binning, runs, 1 + SMALL_RUNS)))
    return status;
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    large[b] = runs[0].seen.histogram[b];
    for (int i = 1; i <= SMALL_RUNS; i++)
      small[b] += runs[i].seen.histogram[b];
  }
  t->binning.threshold =
      (uint32_t)((gc_histogram_quantile(small, GPU_HISTOGRAM_BINS, 0, 1 << SHIFT, 0.5) +
                  gc_histogram_quantile(large, GPU_HISTOGRAM_BINS, 0, 1 << SHIFT, 0.5)) /
                 2);
  gc_raw_runs(t->bench->raw, "threshold",
              &(struct gc_binning){.shift = SHIFT, .threshold = UINT32_MAX}, runs, 1 + SMALL_RUNS);
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    loads += (double)small[b];
    slow += b << SHIFT >= t->binning.threshold ? (double)small[b] : 0;
  }
  t->outliers = slow / loads;
  return 0;
}

static int fill(struct table *t, uint64_t largest)
{
  uint64_t about;
  int status = find_threshold(t);

  t->bytes[0] = largest; /* the same carve-out, measured already */
  if (status || (status = set(t, LAST)) || (status = rough(t, 0, t->max, &about)) ||
      (status = fine(t, about, &t->bytes[LAST])))
    return status;
  if (same_l1(t, t->bytes[LAST], largest))
    t->bytes[LAST] = largest;
  status = narrow(t, 0, LAST);
  return status ? status : find(t, DEFAULT, t->bytes[LAST], largest);
}

static void plan(struct table *t, const struct gc_measured *element)
{
  const struct gc_finding *capacity = &element->found[GC_CAPACITY];
  const uint32_t sms = t->bench->properties.sms;

  if (gc_found(element, GC_LINE))
    t->path.stride = (uint32_t)element->line_bytes;
  /* The largest L1 is the one without a carve-out, at which the capacity was found. One more
   * size. */
  t->step =
      (element->capacity_bytes / ((sms > SIZES_MIN ? sms : SIZES_MIN) - 1) / t->path.stride + 1) *
      t->path.stride;
  t->capacity = element->capacity_bytes;
  t->max = t->capacity + t->step;
  t->confidence = capacity->origin == GC_MEASURED ? capacity->confidence : 1;
  for (int i = 0; i <= DEFAULT; i++)
    t->bytes[i] = UINT64_MAX;
}

int gc_step_carveouts(struct gc_measurement *m, struct gc_measured *element)
{
  struct table t = {.bench = &m->bench, .path = *gc_path_of(GC_L1), .binning = {.shift = SHIFT}};
  int status = set(&t, 0);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  if (!gc_found(element, GC_CAPACITY))
    return gc_set_absent(element, GC_CARVEOUT_TABLE, "the capacity of the L1 is not known");
  if (m->bench.properties.sms < 2)
    return gc_set_absent(element, GC_CARVEOUT_TABLE, "it takes more than one SM to find it");
  plan(&t, element);
  if (!(status = gc_ring_lay(&m->bench, t.path.space, RING_BYTES, t.path.stride, 1)))
    status = fill(&t, element->capacity_bytes);
  if (!status || status == -EDOM)
    set(&t, 0); /* other steps expect this carve-out */
  if (status == -EDOM)
    return gc_set_absent(element, GC_CARVEOUT_TABLE, "repetitions disagree");
  if (status)
    return status;
  memcpy(element->carveouts.bytes, t.bytes, sizeof(element->carveouts.bytes));
  element->carveouts.by_default = t.bytes[DEFAULT];
  return gc_set_measured(element, GC_CARVEOUT_TABLE, t.confidence);
}

/* --- larger blocks --------------------------------------------------------------------------- */

/* The percentages of the first table that are tried again: the first of the next carve-out, and the
 * last. Returns whether they leave the same L1s. */
static int confirm(struct table *t, const struct gc_carveouts *one, int first, bool *same)
{
  const int tried[] = {first, LAST};
  int status = 0;

  *same = true;
  for (size_t i = 0; i < sizeof(tried) / sizeof(*tried) && !status && *same; i++) {
    const uint64_t known = one->bytes[tried[i]], beside = BESIDE * t->step;
    uint64_t about;

    status = set(t, tried[i]);
    *same = false;
    for (int n = 0; n < TRIES && !status && !*same; n++)
      if (!(status = rough(t, known > beside ? known - beside : 0, known + beside, &about)))
        *same = same_l1(t, about, known);
  }
  return status;
}

/* The percentages at which the first table has its largest L1, from 0 to `last`. */
static int fill_least(struct table *t, const struct gc_carveouts *one, int last)
{
  uint64_t about;
  int status = 0;

  if ((status = set(t, 0)) || (status = rough(t, one->bytes[0], t->max, &about)))
    return status;
  t->bytes[0] = one->bytes[0];
  if (!same_l1(t, about, one->bytes[0]) && (status = fine(t, about, &t->bytes[0])))
    return status;
  if (t->bytes[0] == one->bytes[0]) { /* L1 does not grow with the percentage */
    for (int i = 0; i <= last; i++)
      t->bytes[i] = one->bytes[0];
    return 0;
  }
  if (last > 0 && (status = find(t, last, one->bytes[0], t->bytes[0])))
    return status;
  return last > 0 ? narrow(t, 0, last) : 0;
}

static int fill_larger_blocks(struct table *t, const struct gc_carveouts *one, bool *same)
{
  int first = 1, status;

  while (first < LAST && one->bytes[first] == one->bytes[0])
    first++;
  for (int i = first; i <= LAST; i++)
    t->bytes[i] = one->bytes[i];
  if ((status = set(t, 0)) || (!t->binning.threshold && (status = find_threshold(t))) ||
      (status = confirm(t, one, first, same)) || !*same || (status = fill_least(t, one, first - 1)))
    return status;
  return find(t, DEFAULT, t->bytes[LAST], t->bytes[0]);
}

/* For blocks of so many warps. *hits: the threshold and the outliers, if they were found before. */
static int measure_blocks(struct gc_measurement *m, struct gc_measured *element, uint32_t warps,
                          enum gc_property property, struct gc_carveouts *to, struct table *hits)
{
  const struct gc_properties *p = &m->bench.properties;
  const struct gc_carveouts *one = &element->carveouts;
  struct table t = *hits;
  bool same = true;
  char why[96];
  int status;

  if (p->threads_per_block < warps * p->warp) {
    snprintf(why, sizeof(why), "no block can have %u warps", warps);
    return gc_set_absent(element, property, why);
  }
  plan(&t, element);
  t.path.more_warps = warps - 1;
  t.confidence = element->found[GC_CARVEOUT_TABLE].confidence;
  /* without any carve-out, L1 has what shared memory has at most in addition */
  t.max = one->bytes[LAST] + p->shared_per_sm + t.step;
  status = fill_larger_blocks(&t, one, &same);
  hits->binning = t.binning;
  hits->outliers = t.outliers;
  if (!status || status == -EDOM)
    set(&t, 0); /* other steps expect this carve-out */
  if (status == -EDOM || (!status && !same))
    return gc_set_absent(element, property,
                         same ? "repetitions disagree"
                              : "these blocks leave other L1s, also at large carve-outs");
  if (status)
    return status;
  memcpy(to->bytes, t.bytes, sizeof(to->bytes));
  to->by_default = t.bytes[DEFAULT];
  return gc_set_measured(element, property, t.confidence);
}

int gc_step_carveouts_by_block(struct gc_measurement *m, struct gc_measured *element)
{
  struct table hits = {.bench = &m->bench, .path = *gc_path_of(GC_L1), .binning = {.shift = SHIFT}};
  int status;

  if (element->found[GC_CARVEOUT_TABLE].origin == GC_UNKNOWN) /* there are none */
    return 0;
  if (!gc_found(element, GC_CARVEOUT_TABLE))
    return gc_no_value(&m->bench, "the carve-outs of blocks of one warp are not known");
  status = gc_ring_lay(
      &m->bench, gc_path_of(GC_L1)->space, RING_BYTES,
      gc_found(element, GC_LINE) ? (uint32_t)element->line_bytes : gc_path_of(GC_L1)->stride, 1);
  if (!status)
    status = measure_blocks(m, element, 4, GC_CARVEOUT_TABLE_4, &element->carveouts_4, &hits);
  return status ? status
                : measure_blocks(m, element, 32, GC_CARVEOUT_TABLE_32, &element->carveouts_32,
                                 &hits);
}
