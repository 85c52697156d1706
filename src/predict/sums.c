/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/sums.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hits of all runs become rates at the end: until then, low and high are numbers of sectors. */
static void add_range(struct gc_estimate *sum, double loads, const struct gc_estimate *of)
{
  if (loads > 0) {
    sum->low += loads * of->low;
    sum->high += loads * of->high;
    sum->drawn |= of->drawn;
  }
}

static void end_range(struct gc_estimate *sum, uint64_t hits, uint64_t loads)
{
  sum->value = loads ? (double)hits / (double)loads : NAN;
  /* hits are rounded if not all blocks are modelled */
  sum->low = fmin(sum->low / (double)loads, sum->value);
  sum->high = fmax(sum->high / (double)loads, sum->value);
}

/* How often a recorded launch counts: as often as it stands for others, and its blocks for all
 * that were launched. */
struct weight {
  uint64_t launches, blocks, of_blocks;
};

static struct weight weight_of(const struct gc_trace_launch *launch)
{
  const bool partial = launch->blocks && launch->launched_blocks > launch->blocks;

  return (struct weight){gc_trace_stands(launch), partial ? launch->launched_blocks : 1,
                         partial ? launch->blocks : 1};
}

static uint64_t times(const struct weight *n, uint64_t count)
{
  const unsigned __int128 all = (unsigned __int128)count * n->launches * n->blocks;

  return (uint64_t)((all + n->of_blocks / 2) / n->of_blocks);
}

static void add_cache(struct gc_cache_counts *sum, const struct weight *n,
                      const struct gc_cache_counts *of)
{
  const uint64_t hits = times(n, of->hits), on_miss = times(n, of->hits_on_miss);
  const uint64_t misses = times(n, of->misses), compulsory = times(n, of->compulsory);

  sum->hits += hits;
  sum->hits_on_miss += on_miss;
  sum->misses += misses;
  sum->accesses += hits + on_miss + misses; /* as the others are rounded */
  sum->compulsory += compulsory;
}

static void add_counts(struct gc_counts *sum, const struct weight *n, const struct gc_counts *of)
{
  add_cache(&sum->l1_loads, n, &of->l1_loads);
  add_cache(&sum->l2_loads, n, &of->l2_loads);
  add_cache(&sum->l2_stores, n, &of->l2_stores);
  sum->l2_loads_far += times(n, of->l2_loads_far);
  sum->l1_stores += times(n, of->l1_stores);
  sum->l1_bypassing += times(n, of->l1_bypassing);
  sum->atomics += times(n, of->atomics);
  sum->l1_load_instructions += times(n, of->l1_load_instructions);
  sum->memory_read_bytes += times(n, of->memory_read_bytes);
  for (int i = 0; i < GC_TLB_LEVELS; i++) {
    sum->tlbs[i].lookups += times(n, of->tlbs[i].lookups);
    sum->tlbs[i].misses += times(n, of->tlbs[i].misses);
  }
}

static void add_distances(struct gc_reuse_bins *sum, const struct weight *n,
                          const struct gc_reuse_bins *of)
{
  for (unsigned i = 0; i < GC_REUSE_BINS; i++)
    sum->loads[i] += times(n, of->loads[i]);
  sum->first += times(n, of->first);
}

/* The first launch that can run on the GPU replaces one that cannot. */
static void add(struct gc_kernel_prediction *sum, const struct gc_kernel_prediction *kernel)
{
  const struct weight weight = weight_of(&kernel->launch), *n = &weight;
  const uint64_t launches = sum->launch.launches;
  const double l1_loads = (double)times(n, kernel->counts.l1_loads.accesses);
  const double l2_loads = (double)times(n, kernel->counts.l2_loads.accesses);

  if (!launches || (sum->cannot_run && !kernel->cannot_run)) {
    sum->launch = kernel->launch;
    sum->gpu = kernel->gpu;
    sum->cannot_run = kernel->cannot_run;
    sum->has_distances = kernel->has_distances;
  }
  sum->launch.launches = launches + n->launches;
  if (kernel->cannot_run)
    return;
  sum->estimated |= n->blocks > n->of_blocks;
  add_counts(&sum->counts, n, &kernel->counts);
  sum->l2_read_bytes += times(n, kernel->l2_read_bytes);
  add_range(&sum->rates[GC_RATE_L1], l1_loads, &kernel->rates[GC_RATE_L1]);
  add_range(&sum->rates[GC_RATE_L2], l2_loads, &kernel->rates[GC_RATE_L2]);
  add_range(&sum->l2_near_rate, l2_loads, &kernel->l2_near_rate);
  for (int i = 0; i < GC_MISS_COUNT; i++)
    sum->misses[i] += times(n, kernel->misses[i]);
  for (int i = 0; i < GC_REMEDY_COUNT; i++) {
    sum->remedies[i].tried = kernel->remedies[i].tried;
    sum->remedies[i].misses += times(n, kernel->remedies[i].misses);
  }
  add_distances(&sum->distances, n, &kernel->distances);
}

static void end(struct gc_kernel_prediction *sum)
{
  const struct gc_cache_counts *l1 = &sum->counts.l1_loads, *l2 = &sum->counts.l2_loads;
  const uint64_t l2_hits = l2->hits + l2->hits_on_miss;

  end_range(&sum->rates[GC_RATE_L1], l1->hits + l1->hits_on_miss, l1->accesses);
  end_range(&sum->rates[GC_RATE_L2], l2_hits, l2->accesses);
  end_range(&sum->l2_near_rate, l2_hits - sum->counts.l2_loads_far, l2->accesses);
}

/* --- which launches belong together ------------------------------------------------------------
 */

struct launch {
  const struct gc_kernel_prediction *kernel;
  size_t first; /* the number of the first launch with its name */
};

/* By name, and in the order of the launches. */
static int by_name(const void *a, const void *b)
{
  const struct launch *x = a, *y = b;
  const int names = strcmp(x->kernel->launch.name, y->kernel->launch.name);

  return names ? names : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int by_place(const void *a, const void *b)
{
  const struct launch *x = a, *y = b;

  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* Finds the first launch of each name. Returns the number of names. */
static size_t group(struct launch *launches, const struct gc_prediction *prediction)
{
  size_t names = 0;

  for (size_t i = 0; i < prediction->count; i++)
    launches[i].kernel = &prediction->kernels[i];
  qsort(launches, prediction->count, sizeof *launches, by_name);
  for (size_t i = 0; i < prediction->count; i++) {
    const bool same =
        i && !strcmp(launches[i].kernel->launch.name, launches[i - 1].kernel->launch.name);

    launches[i].first =
        same ? launches[i - 1].first : (size_t)(launches[i].kernel - prediction->kernels);
    names += !same;
  }
  qsort(launches, prediction->count, sizeof *launches, by_place);
  return names;
}

int gc_prediction_sum_up(struct gc_prediction *prediction)
{
  struct launch *launches = calloc(prediction->count, sizeof *launches);
  size_t *sum_of = calloc(prediction->count, sizeof *sum_of); /* by the first launch */
  size_t names = 0;

  if (launches && sum_of) {
    names = group(launches, prediction);
    prediction->sums = calloc(names, sizeof *prediction->sums);
  }
  for (size_t i = 0; i < prediction->count && prediction->sums; i++) {
    const size_t first = launches[i].first;

    if (first == i)
      sum_of[i] = prediction->sum_count++;
    add(&prediction->sums[sum_of[first]], launches[i].kernel);
  }
  for (size_t k = 0; k < prediction->sum_count; k++)
    end(&prediction->sums[k]);
  free(launches);
  free(sum_of);
  return prediction->sums ? 0 : -ENOMEM;
}
