/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The change-point search: the coarse part, and the attempts.
 */
#include "measure/capacity/search.h"
#include "measure/capacity/bracket.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COARSE_MAX 16     /* sizes in the doubling search */
#define COARSE_LOADS 1024 /* a K-S test needs no more loads to detect a lasting change */
#define SURVEY_MAX 96
#define SURVEY_FAR 1.189207  /* factors between sizes: four sizes per octave, */
#define SURVEY_NEAR 1.029302 /* and 24 near the answer */
#define SURVEY_NEAR_MIN 0.7  /* near the answer: from this many times the answer on */
#define SURVEY_NEAR_MAX 1.5
#define CREEP 0.05         /* share by which larger arrays must be slower to be noticed, and */
#define CREEP_BINS 0.25    /* in bins of the histogram; seen at */
#define CREEP_AT 0.85      /* this quantile, because only one in eight loads may miss */
#define L2_SHARE 0.75      /* loads of nearer caches take less than this share of a load from L2 */
/* An L2 may keep half of its size for one SM; this is a little less. */
#define L2_SIZE_SHARE 0.45
#define EXPECTED_STEPS 16  /* on each side of an expected capacity: as many sizes as in a sweep */
#define EXPECTED_SURE 0.99 /* least confidence that confirms it */
#define ATTEMPTS 3         /* searches: a later one may be undisturbed */

_Static_assert(GC_LATENCY_BINS == GPU_HISTOGRAM_BINS,
               "stats take the kernels' histograms as they are");

/* Walks larger and larger arrays until latencies change. changed: index of the first size that
 * differs; sizes->n: none. */
static int walk_until_changed(struct gc_search_state *s, struct gc_sizes *sizes, size_t *changed)
{
  struct gc_run runs[COARSE_MAX];
  struct gc_path path = s->now->path;
  const size_t n = sizes->n;
  size_t group;
  int status = 0;

  memset(runs, 0, sizeof(runs));
  path.loads_max = COARSE_LOADS;
  *changed = sizes->n = 0;
  /* Large sizes take long, so walk only as many at a time as at most double the effort. A launch
   * over several modules takes longer than any walk. */
  for (size_t done = 0; done < n && *changed == done; done += group) {
    const size_t small = done ? 0 : s->search->at_a_time >= n ? n : n / 2;

    group = small ? small : done + 2 <= n ? 2 : 1;
    for (size_t i = done; i < done + group; i++)
      runs[i].bytes = sizes->bytes[i];
    if ((status = s->search->walk(s->search->data, &path, &s->binning, runs + done, group)))
      break;
    gc_raw_runs(s->m->bench.raw, "coarse", &s->binning, runs + done, group);
    for (size_t i = done; i < done + group; i++)
      gc_histogram_add(sizes->histogram[i], runs[i].seen.histogram);
    sizes->n = done + group;
    *changed = gc_first_change(sizes, GC_SEARCH_SPREAD);
  }
  sizes->n = n;
  return status;
}

/* Do loads of the smallest array already miss the nearer cache? */
static int misses_cache_before(struct gc_search_state *s, const uint64_t *smallest, bool *misses)
{
  const struct gc_path *path = &s->now->path;
  uint64_t before[GC_LATENCY_BINS] = {0};
  struct gc_run run = {.bytes = path->before};
  double p;
  int status;

  *misses = true;
  if (!path->before)
    return 0;
  if (!(status = s->search->walk(s->search->data, path, &s->binning, &run, 1))) {
    gc_histogram_add(before, run.seen.histogram);
    *misses = gc_slower_share(before, smallest, GC_SEARCH_SPREAD, &p) > 0.5;
  }
  return status;
}

/* Do all sizes have about the same latency? If not, and no change was found, the slower sizes are
 * not always the larger ones: noise. */
static bool same_latency(const struct gc_sizes *sizes)
{
  double least = INFINITY, most = 0;

  for (size_t i = 0; i < sizes->n; i++) {
    const double usual = gc_histogram_quantile(sizes->histogram[i], GC_LATENCY_BINS, 0, 1, 0.5);

    least = fmin(least, usual);
    most = fmax(most, usual);
  }
  return most <= (1 + GC_SEARCH_SPREAD) * least + 1;
}

static bool is_before_l2(const struct gc_search *search)
{
  return search->path.kind != GC_L2 && search->path.kind != GC_L3;
}

/* If so, all arrays may have missed the cache that is searched: it may be tiny, or not exist. */
static bool as_slow_as_l2(const struct gc_search_state *s, double cycles)
{
  const double l2 = s->m->results->element[GC_L2].level.hit;

  return is_before_l2(s->search) && cycles > L2_SHARE * l2 && l2 > 0;
}

/* Withholds the capacity because loads beyond the change are not clearly slower than hits. Whether
 * hits and misses take equally long is seen at sizes that are far apart, which are walked anew: the
 * first walk of a search may have found the cache full of other data. */
static int explain_overlap(struct gc_search_state *s, const struct gc_sizes *sizes)
{
  struct gc_path path = s->now->path;
  struct gc_run runs[] = {{.bytes = sizes->bytes[0]}, {.bytes = sizes->bytes[sizes->n - 1]}};
  uint64_t smallest[GC_LATENCY_BINS] = {0}, largest[GC_LATENCY_BINS] = {0};
  int status;

  path.loads_max = COARSE_LOADS;
  if ((status = s->search->walk(s->search->data, &path, &s->binning, runs, 2)))
    return status;
  gc_raw_runs(s->m->bench.raw, "coarse", &s->binning, runs, 2);
  gc_histogram_add(smallest, runs[0].seen.histogram);
  gc_histogram_add(largest, runs[1].seen.histogram);
  gc_search_withhold(s, gc_explain_overlap(s->hits, smallest, largest, GC_SEARCH_SPREAD));
  return 0;
}

/* Starts with a bracket around the size at which latencies change. Sets the levels on its two
 * sides. */
static int begin_bracket(struct gc_search_state *s, const struct gc_sizes *sizes, size_t changed)
{
  const double width = 1 << GC_SEARCH_SHIFT;
  struct gc_hit_miss levels;

  if (!gc_hit_miss_find(s->hits, sizes->histogram[changed], width, &levels))
    return explain_overlap(s, sizes);
  s->low = changed > 1 ? sizes->bytes[changed - 1] / 2 : s->search->min;
  s->high = sizes->bytes[changed];
  s->found->hit = levels.hit;
  s->found->miss = levels.miss;
  s->found->usual = gc_histogram_quantile(s->hits, GC_LATENCY_BINS, width, width, 0.97);
  /* a bin begins here, so that histograms can be used to count slow loads */
  s->binning.threshold = (uint32_t)ceil(levels.threshold / width) << GC_SEARCH_SHIFT;
  gc_search_add_fitting(s, s->hits);
  return 0;
}

static double slow_hits(const uint64_t *histogram)
{
  return gc_histogram_quantile(histogram, GC_LATENCY_BINS, 0, 1, CREEP_AT);
}

/* Do larger arrays take a little longer than the smallest one, though not as much as another level
 * usually does? Then the next level may be hardly slower. Bins of some cycles hide a difference of
 * less than a bin. */
static bool creeps_up(const struct gc_sizes *sizes)
{
  const double least = slow_hits(sizes->histogram[0]);
  double most = least;

  for (size_t i = 1; i < sizes->n; i++)
    most = fmax(most, slow_hits(sizes->histogram[i]));
  return most > (1 + CREEP) * least + CREEP_BINS;
}

/* Latencies do not change: either all arrays fit, or there is no result. */
static void conclude_without_change(struct gc_search_state *s, const struct gc_sizes *sizes)
{
  const double hit = gc_histogram_quantile(s->hits, GC_LATENCY_BINS, 0, 1 << GC_SEARCH_SHIFT, 0.5);

  if (!gc_is_one_level(s->hits, GC_SEARCH_SPREAD) || !same_latency(sizes)) {
    gc_search_withhold(s, "latencies vary too much to tell whether there are misses");
  } else if (creeps_up(sizes)) {
    gc_search_withhold(s, "large arrays take a little longer: misses may take hardly longer");
  } else if (as_slow_as_l2(s, hit)) {
    gc_search_withhold(s, "loads take as long as in L2 at all sizes that were walked");
  } else {
    s->found->at_least = sizes->bytes[gc_without_misses(sizes, GC_SEARCH_SPREAD) - 1];
    s->found->hit = hit;
    snprintf(s->found->absent, sizeof(s->found->absent), "no miss seen up to %llu bytes",
             (unsigned long long)s->found->at_least);
  }
}

static int coarse(struct gc_search_state *s)
{
  struct gc_sizes sizes;
  size_t n = 0, changed;
  bool misses;
  int status;

  while (n < COARSE_MAX && s->search->min << n <= s->search->max)
    n++;
  if ((status = gc_search_sizes(s, &sizes, n)))
    return status;
  for (size_t i = 0; i < n; i++)
    sizes.bytes[i] = s->search->min << i;
  s->binning.threshold = UINT32_MAX;
  if ((status = walk_until_changed(s, &sizes, &changed)) ||
      (status = misses_cache_before(s, sizes.histogram[0], &misses)))
    goto out;
  /* the last size without a change may already have misses, too few for the K-S test */
  for (size_t i = 0; i == 0 || i + 1 < changed; i++)
    for (size_t b = 0; b < GC_LATENCY_BINS; b++)
      s->hits[b] += sizes.histogram[i][b];
  if (!misses)
    gc_search_withhold(s, "small arrays still hit the cache before this one");
  else if (changed < n)
    status = begin_bracket(s, &sizes, changed);
  else
    conclude_without_change(s, &sizes);
out:
  gc_sizes_free(&sizes);
  return status;
}

/* For plots only, when the answer is known: walks sizes from where everything fits to where nothing
 * does, evenly on a logarithmic scale, closer around the answer. */
static void survey(const struct gc_search_state *s)
{
  const uint64_t step = s->now->step, beyond = 4 * s->found->bytes;
  const uint64_t end = beyond && beyond < s->search->max ? beyond : s->search->max;
  const double answer = (double)s->found->bytes;
  struct gc_run runs[SURVEY_MAX];
  size_t n = 0;

  memset(runs, 0, sizeof(runs));
  for (double bytes = (double)s->search->min;
       bytes <= (double)end && n<SURVEY_MAX; bytes *= bytes> SURVEY_NEAR_MIN * answer &&
               bytes < SURVEY_NEAR_MAX * answer
           ? SURVEY_NEAR
           : SURVEY_FAR)
    runs[n++].bytes = (uint64_t)bytes / step * step;
  if (!s->search->walk(s->search->data, &s->now->path, &s->binning, runs, n))
    gc_raw_runs(s->m->bench.raw, "survey", &s->binning, runs, n);
}

/* One search from the beginning. wide: use the wide stride first. */
static int attempt(struct gc_search_state *s, bool wide)
{
  const struct gc_search *search = s->search;
  bool done = false;
  int status;

  memset(s->found, 0, sizeof(*s->found));
  if (wide) {
    s->wide.path.stride = search->wide_stride;
    s->wide.step = search->step > search->wide_stride ? search->step : search->wide_stride;
    s->wide.path.warm_loads = 0;
  }
  if (!(status = gc_search_use(s, wide ? &s->wide : &s->fine)))
    status = coarse(s);
  for (bool first = true; s->high && !done && !status; first = false)
    status = gc_bracket_sweep(s, first, &done);
  s->found->stride = search->path.stride;
  if (s->m->bench.raw && !status)
    survey(s);
  return status;
}

/* Confirms the expected capacity: walks two sizes that must fit and one that must not, then the
 * sizes near it, to the line. Another result, or one that is not sure, does not count. */
static int confirm_expected(struct gc_search_state *s)
{
  const uint64_t expected = s->search->expected, around = EXPECTED_STEPS * s->fine.step;
  struct gc_path path = s->fine.path;
  struct gc_run runs[3] = {{.bytes = s->search->min},
                           {.bytes = expected / 2 / s->fine.step * s->fine.step},
                           {.bytes = 2 * expected}};
  struct gc_sizes sizes;
  bool done;
  int status;

  memset(s->found, 0, sizeof(*s->found));
  s->binning.threshold = UINT32_MAX;
  path.loads_max = COARSE_LOADS;
  if ((status = gc_search_sizes(s, &sizes, 3)))
    return status;
  if (!(status = gc_search_use(s, &s->fine)))
    status = s->search->walk(s->search->data, &path, &s->binning, runs, 3);
  for (size_t i = 0; i < 3 && !status; i++) {
    sizes.bytes[i] = runs[i].bytes;
    gc_histogram_add(sizes.histogram[i], runs[i].seen.histogram);
    if (i < 2)
      gc_histogram_add(s->hits, runs[i].seen.histogram);
  }
  if (!status && gc_first_change(&sizes, GC_SEARCH_SPREAD) == 2 &&
      !(status = begin_bracket(s, &sizes, 2)) && s->high) {
    gc_raw_runs(s->m->bench.raw, "coarse", &s->binning, runs, 3);
    s->found->changed = s->high; /* near the capacity, too few loads may miss for the K-S test */
    s->low = expected - around;
    s->high = expected + around;
    status = gc_bracket_sweep(s, true, &done);
    s->found->stride = path.stride;
    if (s->m->bench.raw && !status)
      survey(s);
  }
  if (s->found->bytes != expected || s->found->confidence < EXPECTED_SURE)
    s->found->bytes = 0;
  gc_sizes_free(&sizes);
  return status;
}

/* Whether the expected capacity, if there is one, can be confirmed. */
static bool may_confirm(const struct gc_search *search)
{
  return search->expected > 4 * (uint64_t)EXPECTED_STEPS * search->step &&
         search->expected > 4 * search->min && 2 * search->expected <= search->max;
}

int gc_find_capacity(struct gc_measurement *m, const struct gc_search *search,
                     struct gc_capacity_result *found)
{
  const struct gc_stride fine = {.path = search->path, .step = search->step};
  int status = 0;

  for (int i = may_confirm(search) ? -1 : 0; i < ATTEMPTS && !status; i++) {
    struct gc_search_state s = {.m = m,
                                .search = search,
                                .fine = fine,
                                .wide = fine,
                                .found = found,
                                .kept = 1,
                                .binning = {.shift = GC_SEARCH_SHIFT}};
    /* if lines are smaller than the wide stride, it misleads; the next attempt does without it */
    const bool wide = search->wide_stride && i == 0;

    status = i < 0 ? confirm_expected(&s) : attempt(&s, wide);
    /* with too wide a stride, no array ever misses */
    if (found->bytes || (i >= 0 && found->at_least && s.wide.path.stride == s.fine.path.stride))
      break;
  }
  gc_raw_note(m->bench.raw, "hit", found->hit);
  gc_raw_note(m->bench.raw, "miss", found->miss);
  return status;
}

/* Is this half of the L2, which it may keep for one SM? Then the search did not see the SM's own
 * cache, because loads from L2 take about as long. */
static bool may_be_l2(const struct gc_bench *bench, const struct gc_search *search, uint64_t bytes)
{
  const double l2 = (double)bench->properties.l2_bytes;

  return is_before_l2(search) && l2 > 0 && (double)bytes > L2_SIZE_SHARE * l2;
}

int gc_put_capacity(struct gc_measurement *m, const struct gc_search *search,
                    struct gc_measured *element)
{
  struct gc_capacity_result found;
  const int status = gc_find_capacity(m, search, &found);

  if (status)
    return status;
  element->level = (struct gc_level){
      .hit = found.hit, .miss = found.miss, .usual = found.usual, .stride = found.stride};
  if (may_be_l2(&m->bench, search, found.bytes ? found.bytes : found.at_least))
    return gc_set_absent(element, GC_CAPACITY, "misses begin where the L2 may end");
  if (found.bytes) {
    element->capacity_bytes = found.bytes;
    return gc_set_measured(element, GC_CAPACITY, found.confidence);
  }
  element->capacity_at_least_bytes = found.at_least;
  return gc_set_absent(element, GC_CAPACITY, found.absent);
}
