/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table carve-out -> L1 capacity. A kernel may prefer a share of the unified storage as shared
 * memory; the driver takes the next size it has, which no interface tells. The share that leaves
 * another L1 is searched between percentages by halving, each step one launch that walks as many sizes
 * as there are SMs; then each L1 found is measured to the line. The blocks are those that CapacityBytes
 * was found with, one warp each: the driver reserves shared memory for as many of them as an SM could
 * hold, so the table belongs to the same CarveoutBlocks. (With larger blocks smaller carve-outs exist, but
 * whether SMs go back to them depends on what ran before: not repeatable on an H200.)
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERCENTS 101
#define DEFAULT PERCENTS         /* index of "no preference" */
#define REPEATS 2
#define SIZES_MIN 128           /* of a rough search, in as many launches as it takes: L1s that differ by less
                                   than two of its steps are taken for one */
#define ATTEMPTS 6              /* of a level, until it is */
#define SURE 0.99
#define ROUGH_WARM 2048 /* loads until lines of the launch before are gone: see paths.c */
#define ROUGH_LOADS 768 /* enough to see that an array does not fit */
#define FINE_WARM 8192
#define SHIFT 3
#define SMALL_BYTES 16384           /* fits what any carve-out leaves */
#define SMALL_RUNS 128

struct table {
  struct gc_bench *bench;
  struct gc_path path;
  struct gc_window window;
  double outliers;                 /* slow loads per load that are no misses */
  uint64_t max, step;              /* sizes of the rough search */
  uint64_t bytes[PERCENTS + 1];    /* L1 to the line; UINT64_MAX: not tried */
  double confidence;               /* that all that is told is right within half a percent */
};

/* Walks n sizes from..from + (n - 1) * step, each so often, and finds the last that fits, by what items[n]
 * says already, too. */
static int last_fitting(struct table *t, uint64_t from, uint64_t step, size_t n, size_t repeats,
                        struct gc_evidence *items, uint64_t *bytes, double *confidence)
{
  struct gc_run *runs = calloc(n * repeats, sizeof(*runs));
  double *posterior = calloc(n + 1, sizeof(*posterior));
  struct gc_changepoint change;
  int status = 0;

  if (!runs || !items || !posterior)
    status = gc_fail(t->bench->err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < n * repeats && !status; i++)
    runs[i].bytes = from + i % n * step;
  if (!status)
    status = gc_bench_chase(t->bench, &t->path, &t->window, runs, n * repeats);
  if (!status) {
    gc_raw_runs(t->bench->raw, t->path.loads_max ? "rough" : "fine", &t->window, runs, n * repeats);
    for (size_t i = 0; i < n * repeats; i++)
      gc_evidence_add(&items[i % n], runs[i].seen.slow, runs[i].seen.loads, t->outliers);
    gc_changepoint_find(items, n, posterior, &change);
    *bytes = change.index ? from + (change.index - 1) * step : 0;
    *confidence = 0;
    for (size_t c = 1; c < n && change.index && change.index < n; c++)
      if (fabs((double)(from + (c - 1) * step) - (double)*bytes) <= 0.005 * (double)*bytes)
        *confidence += posterior[c];
  }
  free(posterior);
  free(runs);
  return status;
}

static int set(struct table *t, int index)
{
  const int percent = index == DEFAULT ? -1 : index;

  gc_raw_carveout(t->bench->raw, percent);
  return t->bench->ops->carveout(t->bench->device, t->path.chase, percent, t->bench->err);
}

/* One level: rough sizes may be a step off. */
static bool alike(const struct table *t, uint64_t a, uint64_t b)
{
  return a < b + 2 * t->step && b < a + 2 * t->step;
}

/* The L1 of this percentage, to a step, where it is known to lie between two sizes. */
static int rough(struct table *t, uint64_t least, uint64_t most, uint64_t *bytes)
{
  const uint64_t first = least > t->step ? (least - t->step) / t->step * t->step : 0;
  const uint64_t from = first ? first : t->step;
  const size_t sizes = (most > from ? most - from : 0) / t->step + 2;
  struct gc_evidence *items = calloc(sizes, sizeof(*items));
  double confidence;
  int status;

  *bytes = 0;
  t->path.warm_loads = ROUGH_WARM;
  t->path.loads_max = ROUGH_LOADS;
  status = last_fitting(t, from, t->step, sizes, 1, items, bytes, &confidence);
  free(items);
  if (!*bytes) /* noise: the smallest is known to fit */
    *bytes = from;
  return status;
}

/* To the line. -EDOM: not sure enough. */
static int fine(struct table *t, uint64_t about, uint64_t *bytes)
{
  const size_t line = t->path.stride, sizes = 4 * t->step / line;
  const uint64_t from = about > t->step ? about - t->step : line; /* noise: a step off */
  struct gc_evidence *items = calloc(sizes, sizeof(*items));
  double confidence = 0;
  int status = 0;

  t->path.warm_loads = FINE_WARM;
  t->path.loads_max = 0;
  for (int attempt = 0; attempt < ATTEMPTS && !status && confidence < SURE; attempt++)
    status = last_fitting(t, from, line, sizes, REPEATS, items, bytes, &confidence);
  free(items);
  t->confidence *= confidence;
  return status ? status : confidence < 0.5 ? -EDOM : 0;
}

/* The L1 that a percentage leaves, between those of two others, most likely one of them. */
static int find(struct table *t, int index, uint64_t least, uint64_t most)
{
  uint64_t about;
  int status = set(t, index);

  if (status || (status = rough(t, least, most, &about)))
    return status;
  if (!alike(t, about, least) && !alike(t, about, most))
    return fine(t, about, &t->bytes[index]);
  t->bytes[index] = alike(t, about, most) ? most : least;
  return 0;
}

/* Where to look next between two percentages. What an L1 lacks to the one at 100 % is what its carve-out
 * lacks to all of the shared memory; and it serves up to just that percentage. If carve-outs are not so,
 * three tries are lost and halving finds the change. */
static int next_try(const struct table *t, int low, int high)
{
  static const int around[] = {0, -1, 1};
  const double all = (double)t->bench->properties.shared_per_sm;
  const double less = (double)t->bytes[low] - (double)t->bytes[PERCENTS - 1];
  const int change = less < all ? (int)(100 * (all - less) / all) + 1 : high;

  for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
    const int guess = change + around[i];

    if (guess > low && guess < high && t->bytes[guess] == UINT64_MAX)
      return guess;
  }
  return (low + high) / 2;
}

/* Tries percentages between two whose L1 differs until each change lies between neighbours. */
static int narrow(struct table *t, int low, int high)
{
  const int middle = next_try(t, low, high);
  int status;

  if (high - low < 2 || t->bytes[low] == t->bytes[high]) {
    for (int i = low + 1; i < high; i++)
      t->bytes[i] = t->bytes[low];
    return 0;
  }
  if ((status = find(t, middle, t->bytes[high], t->bytes[low])) || (status = narrow(t, low, middle)))
    return status;
  return narrow(t, middle, high);
}

/* Tells hits from misses: halfway between the loads of arrays that fit any L1 and those of one that
 * fits none; and how often a hit looks like a miss all the same. */
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
  if ((status = gc_bench_chase(t->bench, &t->path, &t->window, runs, 1 + SMALL_RUNS)))
    return status;
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    large[b] = runs[0].seen.histogram[b];
    for (int i = 1; i <= SMALL_RUNS; i++)
      small[b] += runs[i].seen.histogram[b];
  }
  t->window.threshold =
    (uint32_t)((gc_histogram_quantile(small, GPU_HISTOGRAM_BINS, 0, 1 << SHIFT, 0.5) +
                gc_histogram_quantile(large, GPU_HISTOGRAM_BINS, 0, 1 << SHIFT, 0.5)) / 2);
  gc_raw_runs(t->bench->raw, "threshold", &(struct gc_window){.shift = SHIFT, .threshold = UINT32_MAX}, runs,
              1 + SMALL_RUNS);
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    loads += (double)small[b];
    slow += b << SHIFT >= t->window.threshold ? (double)small[b] : 0;
  }
  t->outliers = slow / loads;
  return 0;
}

static void append(char *text, size_t size, const char *name, uint64_t bytes)
{
  snprintf(text + strlen(text), size - strlen(text), "%s%s:%" PRIu64, *text ? "," : "", name, bytes);
}

static int fill(struct table *t, uint64_t largest, char *text, size_t size)
{
  uint64_t about;
  char name[16];
  int status = find_threshold(t);

  t->bytes[0] = largest; /* the same carve-out: measured already */
  if (status || (status = set(t, PERCENTS - 1)) || (status = rough(t, 0, t->max, &about)) ||
      (status = fine(t, about, &t->bytes[PERCENTS - 1])))
    return status;
  if (alike(t, t->bytes[PERCENTS - 1], largest))
    t->bytes[PERCENTS - 1] = largest;
  if ((status = narrow(t, 0, PERCENTS - 1)) ||
      (status = find(t, DEFAULT, t->bytes[PERCENTS - 1], largest)))
    return status;
  for (int i = 0; i < PERCENTS; i++)
    if (i == 0 || t->bytes[i] != t->bytes[i - 1]) {
      snprintf(name, sizeof(name), "%d", i);
      append(text, size, name, t->bytes[i]);
    }
  append(text, size, "default", t->bytes[DEFAULT]);
  return 0;
}

int gc_step_carveout(struct gc_bench *bench, struct gc_element *element)
{
  struct table t = {.bench = bench, .path = *gc_path_of(GC_L1), .window = {.shift = SHIFT}};
  const char *sure =
      gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
  uint64_t largest, line;
  uint32_t sizes;
  char text[1024] = "";
  int status = set(&t, 0);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  if (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &largest))
    return gc_put_absent(element, HWLOC_GPUCACHE_CARVEOUT_TABLE, "the L1 itself was not found");
  if (bench->properties.sms < 2)
    return gc_put_absent(element, HWLOC_GPUCACHE_CARVEOUT_TABLE, "one SM is too few");
  if (!gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_LINE_BYTES, &line))
    t.path.stride = (uint32_t)line;
  /* no carve-out leaves more than the one that was asked for then, which was none; one size beyond */
  sizes = bench->properties.sms > SIZES_MIN ? bench->properties.sms : SIZES_MIN;
  t.step = (largest / (sizes - 1) / t.path.stride + 1) * t.path.stride;
  t.max = largest + t.step;
  t.confidence = sure ? strtod(sure, NULL) : 1;
  for (int i = 0; i <= PERCENTS; i++)
    t.bytes[i] = UINT64_MAX;
  if (!(status = gc_bench_ring(bench, t.path.form, t.path.max, t.path.stride, 1)))
    status = fill(&t, largest, text, sizeof(text));
  if (!status || status == -EDOM)
    set(&t, 0); /* as the other steps expect it */
  if (status == -EDOM)
    return gc_put_absent(element, HWLOC_GPUCACHE_CARVEOUT_TABLE, "repetitions disagree");
  if (status)
    return status;
  return gc_put_text(element, HWLOC_GPUCACHE_CARVEOUT_TABLE, text, t.confidence)
           ? gc_fail(bench->err, -ENOMEM, "out of memory")
           : 0;
}
