/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of a cache inside the SM: the largest array that can be walked over and over without a
 * miss. Many sizes are walked in one launch, each on an SM of its own.
 *
 * 0. Far from the answer only every fourth sector is walked; if lines turn out smaller, from anew.
 * 1. Coarse: sizes double until the distribution of latencies is another one (K-S test against the
 *    smallest size, Holm-corrected). That also tells what a hit and what a miss costs.
 * 2. Fine: sweeps over an ever narrower bracket, down to single steps. What counts are the slow loads
 *    of each run against the rate of outliers, and where they begin is a posterior over all sizes
 *    (stats: changepoint). Capacity is the last size that fits, not the middle of the transition:
 *    caches that do not replace the least recently used line miss gradually.
 * 3. Confirmation: both sides of the answer again, on all SMs. And the K-S test must see the change
 *    too, not before the first miss; else the value is withheld.
 * Sources: Größler 2022 ch. 3-4; Vanecek et al. (MT4G) 2025 IV-B; Mei et al. 2014 for first misses.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/decide.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COARSE_MAX 16  /* sizes in the doubling search */
#define SURVEY_MAX 96
#define SURVEY_FAR 1.189207  /* four sizes an octave, */
#define SURVEY_NEAR 1.029302 /* and 24 */
#define CONFIRM_MAX 32 /* limit of gc_path.confirm */
#define COARSE_LOADS 1024 /* a K-S test needs no more to tell a lasting change */
#define COARSE_SHIFT 3 /* 8 cycles a bin: 1024 cycles in all */
#define SPREAD 0.25    /* latencies of one level differ by less from SM to SM, those of two by more */
#define L2_SHARE 0.75  /* of what a load from L2 takes: less in whatever is before it */
#define ATTEMPTS 3     /* a disturbance passes: search again */
#define WALKS 4        /* of one bracket, until it can be narrowed */

_Static_assert(GC_LATENCY_BINS == GPU_HISTOGRAM_BINS, "stats take the kernels' histograms as they are");

struct search {
  struct gc_bench *bench;
  const struct gc_path *path;     /* as arrays are walked now: wide at first, then one of: */
  struct gc_path wide, fine;
  struct gc_capacity *found;
  uint64_t hits[GC_LATENCY_BINS]; /* latencies at sizes that fit */
  uint64_t low, high;             /* bracket: low fits, high does not */
  double fitting_loads, fitting_slow;
  double kept; /* probability that no bracket so far has left out the capacity */
  struct gc_window window;
};

static int new_sizes(struct search *s, struct gc_sizes *sizes, size_t n)
{
  return gc_sizes_new(sizes, n) ? gc_fail(s->bench->err, -ENOMEM, "out of memory") : 0;
}

static void withhold(struct search *s, const char *why)
{
  s->found->bytes = 0;
  snprintf(s->found->absent, sizeof(s->found->absent), "%s", why);
}

/* Walks ever larger arrays until latencies change. changed: the first that does; sizes->n: none. */
static int walk_until_changed(struct search *s, struct gc_sizes *sizes, size_t *changed)
{
  struct gc_run runs[COARSE_MAX];
  struct gc_path path = *s->path;
  const size_t n = sizes->n;
  size_t group;
  int status = 0;

  memset(runs, 0, sizeof(runs));
  path.loads_max = COARSE_LOADS;
  *changed = sizes->n = 0;
  /* large sizes take long: only as many at a time as doubles the effort */
  for (size_t done = 0; done < n && *changed == done; done += group) {
    const size_t small = done ? 0 : n / 2;

    group = small ? small : done + 2 <= n ? 2 : 1;
    for (size_t i = done; i < done + group; i++)
      runs[i].bytes = sizes->bytes[i];
    if ((status = path.walk(s->bench, &path, &s->window, runs + done, group)))
      break;
    gc_raw_runs(s->bench->raw, "coarse", &s->window, runs + done, group);
    for (size_t i = done; i < done + group; i++)
      gc_histogram_add(sizes->histogram[i], runs[i].seen.histogram);
    sizes->n = done + group;
    *changed = gc_first_change(sizes, SPREAD);
  }
  sizes->n = n;
  return status;
}

/* Walks go this way from now on. */
static int walk_along(struct search *s, const struct gc_path *path)
{
  s->path = path;
  return path->form == GC_FORM_SHARED || path->walk != gc_bench_chase
           ? 0
           : gc_bench_ring(s->bench, path->form, path->max, path->stride, 1);
}

/* Loads of arrays that are sure to fit, and how many were slow all the same. */
static void add_fitting(struct search *s, const uint64_t *histogram)
{
  for (size_t b = 0; b < GC_LATENCY_BINS; b++) {
    s->fitting_loads += (double)histogram[b];
    s->fitting_slow += b << COARSE_SHIFT >= s->window.threshold ? (double)histogram[b] : 0;
  }
}

/* Loads of one level take about as long; else misses may be among what looks like hits. */
static bool looks_like_one_level(const uint64_t *hits)
{
  const double usual = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, 1, 0.5);
  const double slowest = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, 1, 0.95);

  return slowest <= (1 + SPREAD) * usual + 1 && slowest < GC_LATENCY_BINS - 1;
}

/* Do loads of the smallest array already miss what lies before the element that is searched? */
static int leaves_element_before(struct search *s, const uint64_t *smallest, bool *leaves)
{
  uint64_t before[GC_LATENCY_BINS] = {0};
  struct gc_run run = {.bytes = s->path->before};
  double p;
  int status;

  *leaves = true;
  if (!s->path->before)
    return 0;
  if (!(status = s->path->walk(s->bench, s->path, &s->window, &run, 1))) {
    gc_histogram_add(before, run.seen.histogram);
    *leaves = gc_slower_share(before, smallest, SPREAD, &p) > 0.5;
  }
  return status;
}

/* Do arrays of all sizes take about as long? Where they do not, what is slower is not always larger: noise. */
static bool alike(const struct gc_sizes *sizes)
{
  double least = INFINITY, most = 0;

  for (size_t i = 0; i < sizes->n; i++) {
    const double usual = gc_histogram_quantile(sizes->histogram[i], GC_LATENCY_BINS, 0, 1, 0.5);

    least = fmin(least, usual);
    most = fmax(most, usual);
  }
  return most <= (1 + SPREAD) * least + 1;
}

/* Then all of these arrays may be behind the cache that is meant, be it ever so small or not there. */
static bool as_slow_as_l2(const struct search *s, double cycles)
{
  const enum gc_kind kind = s->path->kind;

  return kind != GC_L2 && kind != GC_L3 && cycles > L2_SHARE * s->bench->levels[GC_L2].hit &&
         s->bench->levels[GC_L2].hit > 0;
}

static int coarse(struct search *s)
{
  struct gc_levels levels;
  struct gc_sizes sizes;
  size_t n = 0, changed;
  bool leaves;
  int status;

  while (n < COARSE_MAX && s->path->min << n <= s->path->max)
    n++;
  if ((status = new_sizes(s, &sizes, n)))
    return status;
  for (size_t i = 0; i < n; i++)
    sizes.bytes[i] = s->path->min << i;
  s->window.threshold = UINT32_MAX;
  if ((status = walk_until_changed(s, &sizes, &changed)) ||
      (status = leaves_element_before(s, sizes.histogram[0], &leaves)))
    goto out;
  /* the last that has not changed may miss a little already: too little for the K-S test */
  for (size_t i = 0; i == 0 || i + 1 < changed; i++)
    for (size_t b = 0; b < GC_LATENCY_BINS; b++)
      s->hits[b] += sizes.histogram[i][b];
  if (!leaves) {
    withhold(s, "small arrays still hit the cache before this one");
  } else if (changed < n &&
             !gc_levels_find(s->hits, sizes.histogram[changed], 1 << COARSE_SHIFT, &levels)) {
    withhold(s, "hits and misses take equally long");
  } else if (changed < n) {
    s->low = changed > 1 ? sizes.bytes[changed - 1] / 2 : s->path->min;
    s->high = sizes.bytes[changed];
    s->found->hit = levels.hit;
    s->found->miss = levels.miss;
    s->found->usual = gc_histogram_quantile(s->hits, GC_LATENCY_BINS, 1 << COARSE_SHIFT,
                                            1 << COARSE_SHIFT, 0.97);
    /* where a bin begins, so that histograms tell the slow loads too */
    s->window.threshold = (uint32_t)ceil(levels.threshold / (1 << COARSE_SHIFT)) << COARSE_SHIFT;
    add_fitting(s, s->hits);
  } else if (!looks_like_one_level(s->hits) || !alike(&sizes)) {
    withhold(s, "latencies vary too much to tell whether there are misses");
  } else if (as_slow_as_l2(s, gc_histogram_quantile(s->hits, GC_LATENCY_BINS, 0, 1 << COARSE_SHIFT, 0.5))) {
    withhold(s, "loads take as long as in L2, whatever the size");
  } else {
    s->found->at_least = sizes.bytes[gc_without_misses(&sizes, SPREAD) - 1];
    s->found->hit = gc_histogram_quantile(s->hits, GC_LATENCY_BINS, 0, 1 << COARSE_SHIFT, 0.5);
    snprintf(s->found->absent, sizeof(s->found->absent), "no miss seen up to %llu bytes",
             (unsigned long long)s->found->at_least);
  }
out:
  gc_sizes_free(&sizes);
  return status;
}

static double outlier_rate(const struct search *s)
{
  const double rate = (s->fitting_slow + 0.5) / (s->fitting_loads + 1);

  return rate > s->path->outliers ? rate : s->path->outliers;
}

static void count_runs(const struct search *s, struct gc_sizes *sizes, const struct gc_run *runs, size_t n)
{
  const double rate = outlier_rate(s);

  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizes->n; k++)
      if (sizes->bytes[k] == runs[i].bytes) {
        gc_evidence_add(&sizes->evidence[k], runs[i].seen.slow, runs[i].seen.loads, rate);
        gc_histogram_add(sizes->histogram[k], runs[i].seen.histogram);
      }
}

/* Walks every size of the bracket, several times. */
static int walk_bracket(struct search *s, struct gc_sizes *sizes)
{
  const size_t n = sizes->n * s->path->repeats;
  struct gc_run *runs = calloc(n, sizeof(*runs));
  int status;

  if (!runs)
    return gc_fail(s->bench->err, -ENOMEM, "out of memory");
  /* repeats of a size lie apart, so that they run on different SMs and at different times */
  for (size_t i = 0; i < n; i++)
    runs[i].bytes = sizes->bytes[i % sizes->n];
  if (!(status = s->path->walk(s->bench, s->path, &s->window, runs, n))) {
    gc_raw_runs(s->bench->raw, "sweep", &s->window, runs, n);
    count_runs(s, sizes, runs, n);
  }
  free(runs);
  return status;
}

/* Both sides of the answer, in turns; a GPU of few SMs takes several launches. */
static int confirm(struct search *s, struct gc_sizes *sizes, size_t beyond)
{
  const size_t n = s->path->confirm;
  struct gc_run runs[CONFIRM_MAX];
  int status;

  memset(runs, 0, sizeof(runs));
  for (size_t i = 0; i < n; i++)
    runs[i].bytes = sizes->bytes[i % 2 ? beyond : beyond - 1];
  if ((status = s->path->walk(s->bench, s->path, &s->window, runs, n)))
    return status;
  gc_raw_runs(s->bench->raw, "confirm", &s->window, runs, n);
  count_runs(s, sizes, runs, n);
  return 0;
}

/* What the sizes of one sweep say, walked again while they leave too many answers open to go on. */
static int decide(struct search *s, struct gc_sizes *sizes, bool first, bool last,
                  struct gc_verdict *verdict)
{
  int status = 0;

  for (int walk = 0; walk < WALKS; walk++) {
    if ((status = walk_bracket(s, sizes)))
      break;
    if (first && !walk) {
      const size_t changed = gc_lasting_change(sizes, s->hits, SPREAD);

      *verdict = (struct gc_verdict){.absent = "the K-S test sees no lasting change of latencies"};
      if (changed == sizes->n)
        break;
      s->found->changed = sizes->bytes[changed];
    }
    gc_decide(sizes, s->found->changed, verdict);
    if (!verdict->beyond || last || verdict->most - verdict->least <= sizes->n / 2)
      break;
  }
  return status;
}

/* The next bracket: all answers that are possible, and some room. */
static void narrow(struct search *s, const struct gc_sizes *sizes, const struct gc_verdict *verdict)
{
  const size_t low = verdict->least < verdict->beyond ? verdict->least : verdict->beyond - 1;
  const size_t high = verdict->most > verdict->beyond ? verdict->most : verdict->beyond;

  for (size_t i = 0; i < verdict->least && i + 1 < verdict->beyond; i++)
    add_fitting(s, sizes->histogram[i]);
  s->low = sizes->bytes[low > 1 ? low - 1 : 0];
  s->high = sizes->bytes[high < sizes->n ? high : sizes->n - 1];
  s->kept *= verdict->kept;
}

/* One sweep of the bracket. Narrows it, or ends the search (*done). */
static int sweep(struct search *s, bool first, bool *done)
{
  const uint64_t apart = (s->high - s->low + s->path->sizes - 1) / s->path->sizes;
  const bool near = s->path == &s->wide && apart <= s->wide.step;
  int status = near ? walk_along(s, &s->fine) : 0;
  const uint64_t step = (apart + s->path->step - 1) / s->path->step * s->path->step;
  const bool last = step == s->path->step && s->path != &s->wide;
  struct gc_verdict verdict;
  struct gc_sizes sizes;

  if (status || (status = new_sizes(s, &sizes, (s->high - s->low) / step + 1)))
    return status;
  for (size_t i = 0; i < sizes.n; i++)
    sizes.bytes[i] = s->low + i * step;
  *done = true;
  if ((status = decide(s, &sizes, first, last, &verdict)))
    goto out;
  if (verdict.beyond && last) {
    if ((status = confirm(s, &sizes, verdict.beyond)))
      goto out;
    gc_decide(&sizes, s->found->changed, &verdict);
  } else if (verdict.beyond && verdict.most - verdict.least > sizes.n / 2) {
    verdict.absent = "repetitions disagree on where misses begin";
  } else if (verdict.beyond) {
    narrow(s, &sizes, &verdict);
    *done = false;
    goto out;
  }
  if (verdict.absent) {
    withhold(s, verdict.absent);
  } else {
    s->found->bytes = sizes.bytes[verdict.beyond - 1];
    s->found->confidence = verdict.confidence * s->kept;
  }
out:
  gc_sizes_free(&sizes);
  return status;
}

/* Only for the eye, once the answer is known: sizes from where everything fits to where nothing does, evenly
 * on a logarithmic scale, closer around the answer. */
static void survey(const struct search *s)
{
  const uint64_t step = s->path->step, beyond = 4 * s->found->bytes;
  const uint64_t end = beyond && beyond < s->path->max ? beyond : s->path->max;
  const double answer = (double)s->found->bytes;
  struct gc_run runs[SURVEY_MAX];
  size_t n = 0;

  memset(runs, 0, sizeof(runs));
  for (double bytes = (double)s->path->min; bytes <= (double)end && n < SURVEY_MAX;
       bytes *= bytes > 0.7 * answer && bytes < 1.5 * answer ? SURVEY_NEAR : SURVEY_FAR)
    runs[n++].bytes = (uint64_t)bytes / step * step;
  if (!s->path->walk(s->bench, s->path, &s->window, runs, n))
    gc_raw_runs(s->bench->raw, "survey", &s->window, runs, n);
}

int gc_find_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_capacity *found)
{
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    struct search s = {.bench = bench, .fine = *path, .wide = *path, .found = found, .kept = 1,
                       .window = {.shift = COARSE_SHIFT}};
    bool done = false;

    memset(found, 0, sizeof(*found));
    if (path->wide_stride && attempt == 0) {
      /* if the lines are smaller than this, it leads astray, and the next attempt goes without */
      s.wide.stride = path->wide_stride;
      s.wide.step = path->step > path->wide_stride ? path->step : path->wide_stride;
      s.wide.warm_loads = 0;
    }
    if (!(status = walk_along(&s, path->wide_stride && attempt == 0 ? &s.wide : &s.fine)))
      status = coarse(&s);
    for (bool first = true; s.high && !done && !status; first = false)
      status = sweep(&s, first, &done);
    found->stride = path->stride;
    if (bench->raw && !status)
      survey(&s);
    /* with lines smaller than the wide stride no array that was walked so would ever miss */
    if (found->bytes || (found->at_least && s.wide.stride == s.fine.stride))
      break;
  }
  gc_raw_note(bench->raw, "hit", found->hit);
  gc_raw_note(bench->raw, "miss", found->miss);
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

/* As much as the L2 may keep for one SM, half of it: then what the SM has of its own was not seen,
 * because loads take about as long in the L2. */
static bool may_be_l2(const struct gc_bench *bench, const struct gc_path *path, uint64_t bytes)
{
  const double l2 = (double)bench->properties.l2_bytes;

  return path->kind != GC_L2 && path->kind != GC_L3 && l2 > 0 && (double)bytes > 0.45 * l2;
}

int gc_put_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_element *element)
{
  struct gc_capacity found;
  int status = gc_find_capacity(bench, path, &found);

  if (status)
    return status;
  bench->levels[path->kind] = (struct gc_level){found.hit, found.miss, found.usual, found.stride};
  if (may_be_l2(bench, path, found.bytes ? found.bytes : found.at_least))
    return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, "misses begin where the L2 may end");
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
  return status ? status : gc_put_capacity(bench, path, element);
}
