/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of a cache inside the SM: the largest array that can be walked over and over without a
 * miss. Many sizes are walked in one launch, each on an SM of its own.
 *
 * 1. Coarse: sizes double until the distribution of latencies is another one (K-S test against the
 *    smallest size, Holm-corrected). That also tells what a hit and what a miss costs.
 * 2. Fine: sweeps over an ever narrower bracket, down to single steps. What counts are the slow loads
 *    of each run against the rate of outliers, and where they begin is a posterior over all sizes
 *    (stats: changepoint). Capacity is the last size that fits, not the middle of the transition:
 *    caches that do not replace the least recently used line miss gradually.
 * 3. Confirmation: both sides of the answer again, on all SMs. And the K-S test must see the change
 *    too, not before the first miss; else the value is withheld.
 * Sources: Größler 2022 ch. 3-4; Brandner et al. (MT4G) 2025 IV-B; Mei et al. 2014 for first misses.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COARSE_MAX 16        /* sizes in the doubling search */
#define CONFIRM_MAX 32       /* limit of gc_path.confirm */
#define COARSE_SHIFT 3       /* 8 cycles a bin: 1024 cycles in all */
#define CHANGE_P 1e-6        /* K-S significance that counts as a change, after Holm */
#define CHANGE_D 0.05        /* and the share of loads that must have moved */
#define ATTEMPTS 3           /* a disturbance passes: search again */
#define ENOUGH 0.5           /* posterior below which no capacity is told */

struct search {
  struct gc_bench *bench;
  const struct gc_path *path;
  struct gc_capacity *found;
  uint64_t hits[GPU_HISTOGRAM_BINS]; /* latencies at sizes that fit */
  uint64_t low, high;                /* bracket: low fits, high does not */
  double fitting_loads, fitting_slow;
  struct gc_window window;
};

static void add_histogram(uint64_t *sum, const struct gpu_chase_result *seen)
{
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++)
    sum[b] += seen->histogram[b];
}

/* Share of loads that moved to another level, and how likely that is chance: one-sided K-S of what was
 * seen against the hits made a quarter slower. From SM to SM the same level differs by several cycles
 * (an H200's constant L1.5: 112 to 131), which a plain K-S test of thousands of loads would report;
 * from level to level latencies differ by far more than a quarter. */
static double moved(const uint64_t *hits, const uint64_t *seen, double *p)
{
  uint64_t slower[GPU_HISTOGRAM_BINS] = {0}, n, m;
  double d;

  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    const size_t to = b + b / 4 + 1;

    slower[to < GPU_HISTOGRAM_BINS ? to : GPU_HISTOGRAM_BINS - 1] += hits[b];
  }
  d = gc_ks_slower(slower, seen, GPU_HISTOGRAM_BINS, &n, &m);
  *p = gc_ks_pvalue(d, n, m);
  return d;
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

static void withhold(struct search *s, const char *why)
{
  s->found->bytes = 0;
  snprintf(s->found->absent, sizeof(s->found->absent), "%s", why);
}

/* The first of n coarse sizes whose latencies are not those of the smaller ones; n: none. */
static size_t first_changed(const struct gc_run *runs, size_t n)
{
  uint64_t reference[GPU_HISTOGRAM_BINS] = {0}, histogram[GPU_HISTOGRAM_BINS];
  double p[COARSE_MAX] = {1}, d[COARSE_MAX] = {0};

  for (size_t i = 1; i < n; i++) {
    add_histogram(reference, &runs[i - 1].seen);
    memset(histogram, 0, sizeof(histogram));
    add_histogram(histogram, &runs[i].seen);
    d[i] = moved(reference, histogram, &p[i]);
  }
  gc_holm(p, n);
  for (size_t i = 1; i < n; i++)
    if (p[i] < CHANGE_P && d[i] > CHANGE_D)
      return i;
  return n;
}

/* Between a hit and a miss: halfway from the slowest usual hit to the median of what is beyond it. */
static void set_threshold(struct search *s, const struct gpu_chase_result *beyond)
{
  const double width = 1 << COARSE_SHIFT;
  uint64_t missed[GPU_HISTOGRAM_BINS] = {0};
  const double slowest = gc_histogram_quantile(s->hits, GPU_HISTOGRAM_BINS, 0, width, 0.99) + width;

  add_histogram(missed, beyond);
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS && (double)b * width <= slowest; b++)
    missed[b] = 0;
  s->found->hit = gc_histogram_quantile(s->hits, GPU_HISTOGRAM_BINS, 0, width, 0.5);
  s->found->miss = gc_histogram_quantile(missed, GPU_HISTOGRAM_BINS, 0, width, 0.5);
  s->window.threshold = (uint32_t)((slowest + s->found->miss) / 2);
}

static int coarse(struct search *s)
{
  struct gc_run runs[COARSE_MAX];
  size_t n = 0, changed = 0, group;
  int status;

  memset(runs, 0, sizeof(runs));
  for (uint64_t bytes = s->path->min; bytes <= s->path->max && n < COARSE_MAX; bytes *= 2)
    runs[n++].bytes = bytes;
  s->window.threshold = UINT32_MAX;
  /* large sizes take long: only as many at a time as doubles the effort */
  for (size_t done = 0; done < n; done += group) {
    const size_t small = done ? 0 : n / 2;

    group = small ? small : done + 2 <= n ? 2 : 1;
    if ((status = s->path->walk(s->bench, s->path, &s->window, runs + done, group)))
      return status;
    if ((changed = first_changed(runs, done + group)) < done + group)
      break;
  }
  for (size_t i = 0; i < changed; i++)
    add_histogram(s->hits, &runs[i].seen);
  if (changed >= n || !changed) {
    s->found->at_least = runs[n - 1].bytes;
    s->found->hit = gc_histogram_quantile(s->hits, GPU_HISTOGRAM_BINS, 0, 1 << COARSE_SHIFT, 0.5);
    snprintf(s->found->absent, sizeof(s->found->absent), "no miss seen up to %llu bytes",
             (unsigned long long)s->found->at_least);
    return 0;
  }
  s->low = changed > 1 ? runs[changed - 1].bytes / 2 : s->path->min;
  s->high = runs[changed].bytes;
  set_threshold(s, &runs[changed].seen);
  return 0;
}

struct sweep {
  size_t n;
  uint64_t *bytes;
  struct gc_evidence *evidence;
  uint64_t (*histogram)[GPU_HISTOGRAM_BINS];
  struct gc_run *runs;
};

static void sweep_free(struct sweep *w)
{
  free(w->bytes);
  free(w->evidence);
  free(w->histogram);
  free(w->runs);
}

static int sweep_new(struct search *s, struct sweep *w, uint64_t step)
{
  w->n = (s->high - s->low) / step + 1;
  w->bytes = calloc(w->n, sizeof(*w->bytes));
  w->evidence = calloc(w->n, sizeof(*w->evidence));
  w->histogram = calloc(w->n, sizeof(*w->histogram));
  w->runs = calloc(w->n * s->path->repeats, sizeof(*w->runs));
  if (!w->bytes || !w->evidence || !w->histogram || !w->runs) {
    sweep_free(w);
    return gc_fail(s->bench->err, -ENOMEM, "out of memory");
  }
  for (size_t i = 0; i < w->n; i++)
    w->bytes[i] = s->low + i * step;
  return 0;
}

/* Loads of arrays that are sure to fit, and how many were slow all the same. */
static void add_fitting(struct search *s, const struct gc_run *runs, size_t n, uint64_t limit)
{
  for (size_t i = 0; i < n; i++)
    if (runs[i].bytes <= limit) {
      s->fitting_slow += runs[i].seen.slow;
      s->fitting_loads += runs[i].seen.loads;
    }
}

static double outlier_rate(const struct search *s)
{
  const double rate = (s->fitting_slow + 0.5) / (s->fitting_loads + 1);

  return rate > s->path->outliers ? rate : s->path->outliers;
}

static void count_runs(const struct search *s, struct sweep *w, const struct gc_run *runs, size_t n)
{
  const double rate = outlier_rate(s);

  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < w->n; k++)
      if (w->bytes[k] == runs[i].bytes) {
        gc_evidence_add(&w->evidence[k], runs[i].seen.slow, runs[i].seen.loads, rate);
        add_histogram(w->histogram[k], &runs[i].seen);
      }
}

/* The smallest swept size from which on all latencies differ from hits; 0: none. */
static uint64_t ks_change(const struct search *s, const struct sweep *w)
{
  uint64_t changed = 0;
  double *p = calloc(w->n, sizeof(*p)), *d = calloc(w->n, sizeof(*d));

  for (size_t i = 0; p && d && i < w->n; i++)
    d[i] = moved(s->hits, w->histogram[i], &p[i]);
  if (p && d)
    gc_holm(p, w->n);
  for (size_t i = w->n; p && d && i-- > 0 && p[i] < CHANGE_P && d[i] > CHANGE_D;)
    changed = w->bytes[i];
  free(p);
  free(d);
  return changed;
}

/* Both sides of the answer on half of the SMs each. */
static int confirm(struct search *s, struct sweep *w, size_t index)
{
  const size_t sms = s->bench->properties.sms, n = s->path->confirm < sms ? s->path->confirm : sms;
  struct gc_run runs[CONFIRM_MAX];
  int status;

  memset(runs, 0, sizeof(runs));
  for (size_t i = 0; i < n; i++)
    runs[i].bytes = w->bytes[i % 2 ? index : index - 1];
  if ((status = s->path->walk(s->bench, s->path, &s->window, runs, n)))
    return status;
  count_runs(s, w, runs, n);
  return 0;
}

/* Probability that the capacity is within half a percent of what was found. */
static double mass_near(const struct sweep *w, const double *posterior, size_t index)
{
  const double bytes = (double)w->bytes[index - 1];
  double mass = 0;

  for (size_t c = 1; c <= w->n; c++)
    if ((double)w->bytes[c - 1] >= bytes * 0.995 && (double)w->bytes[c - 1] <= bytes * 1.005)
      mass += posterior[c];
  return mass;
}

/* One sweep of the bracket. Narrows it, or ends the search (*done). */
static int sweep(struct search *s, bool first, bool *done)
{
  const uint64_t step = round_up((s->high - s->low + s->path->sizes - 1) / s->path->sizes, s->path->step);
  struct sweep w = {0};
  size_t runs;
  struct gc_changepoint change;
  double *posterior = NULL;
  int status = sweep_new(s, &w, step);

  if (status)
    return status;
  runs = w.n * s->path->repeats;
  /* repeats of a size lie apart, so that they run on different SMs and at different times */
  for (size_t i = 0; i < runs; i++)
    w.runs[i].bytes = w.bytes[i % w.n];
  if (!(posterior = calloc(w.n + 1, sizeof(*posterior)))) {
    status = gc_fail(s->bench->err, -ENOMEM, "out of memory");
    goto out;
  }
  if ((status = s->path->walk(s->bench, s->path, &s->window, w.runs, runs)))
    goto out;
  add_fitting(s, w.runs, runs, s->low);
  count_runs(s, &w, w.runs, runs);
  gc_changepoint_find(w.evidence, w.n, posterior, &change);
  if (first && (s->found->changed = ks_change(s, &w)) == 0) {
    withhold(s, "the K-S test sees no lasting change of latencies");
    *done = true;
    goto out;
  }
  if (change.noise > ENOUGH || change.index == 0 || change.index == w.n) {
    withhold(s, change.noise > ENOUGH ? "misses come and go at all sizes: noise"
                                      : "misses begin outside the bracket that the K-S test gave");
    *done = true;
    goto out;
  }
  if (step > s->path->step) {
    s->low = w.bytes[change.index > 1 ? change.index - 2 : 0];
    s->high = w.bytes[change.index + 1 < w.n ? change.index + 1 : change.index];
    goto out;
  }
  if ((status = confirm(s, &w, change.index)))
    goto out;
  gc_changepoint_find(w.evidence, w.n, posterior, &change);
  *done = true;
  if (change.index == 0 || change.index == w.n || change.noise > ENOUGH) {
    withhold(s, "repetition did not confirm where misses begin");
  } else {
    s->found->bytes = w.bytes[change.index - 1];
    s->found->confidence = mass_near(&w, posterior, change.index);
    if (s->found->confidence < ENOUGH)
      withhold(s, "repetitions disagree on where misses begin");
    else if (s->found->changed < s->found->bytes)
      withhold(s, "the K-S test sees a change before the first miss");
  }
out:
  free(posterior);
  sweep_free(&w);
  return status;
}

int gc_find_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_capacity *found)
{
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    struct search s = {.bench = bench, .path = path, .found = found, .window = {.shift = COARSE_SHIFT}};
    bool done = false;

    memset(found, 0, sizeof(*found));
    status = coarse(&s);
    for (bool first = true; s.high && !done && !status; first = false)
      status = sweep(&s, first, &done);
    if (found->bytes || found->at_least)
      break;
  }
  return status;
}

/* L1 and what shares its storage have what the shared-memory carve-out leaves. Ask for no shared memory;
 * what the driver still reserves depends on how many blocks of the kernel an SM could hold. */
static int state_carveout(struct gc_bench *bench, const struct gc_path *path, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint32_t by_threads = p->threads_per_sm / p->warp;
  const uint32_t resident = p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads;
  int status = bench->ops->carveout(bench->device, path->chase, 0, bench->err);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  if (gc_infos_set_u64(&element->infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT, 0) ||
      gc_infos_set_u64(&element->infos, HWLOC_GPUCACHE_CARVEOUT_BLOCKS, resident))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

int gc_put_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_element *element)
{
  struct gc_capacity found;
  int status = gc_find_capacity(bench, path, &found);

  if (status)
    return status;
  if (found.bytes)
    return gc_put_measured(element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY,
                           found.bytes, found.confidence);
  if (found.at_least &&
      gc_infos_set_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, found.at_least))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, found.absent);
}

int gc_step_capacity(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  int status = 0;

  if (path->form != GC_FORM_CONSTANT)
    status = state_carveout(bench, path, element);
  if (!status)
    status = gc_bench_ring(bench, path->form, path->max, path->stride, 1);
  return status ? status : gc_put_capacity(bench, path, element);
}
