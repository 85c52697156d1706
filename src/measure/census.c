/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The second way to the capacity of a cache: a census. Half as much again as the first way found
 * (capacity.c: where misses begin) is read, then some of it is looked up. A cache that is full holds
 * as many lines as it has, so the share that is found, times all that was read, is its capacity.
 *
 * What makes the two independent: first misses look for the largest array without a miss, which
 * noise, something else that misses (a TLB, a neighbour) or sets that fill up before the others can
 * end too early, and lines that stayed from before too late. The census has no edge to miss, needs
 * no policy of replacement, and a few wrong looks change it by a few.
 *
 * Reading begins at another place each time, so that no policy comes to rest in a state where it
 * never replaces some lines, and nothing but the region passes through the cache until all is done.
 * Looks are spread evenly over what was read first and what was read last, by all SMs. Then
 * - the error is that of sampling, told from what rounds differ by, and of an edge that lies anywhere
 *   between two looks: next to nothing for LRU, little where all SMs are in the same state and so count
 *   the whole of it together (an H200), at most sqrt(p (1 - p) / n) of the region for random replacement;
 * - a look that misses pushes out one line, which is looked up later in the same round with the
 *   probability that any other is: with k looks at R bytes in lines of b bytes at most k b / 2 R of
 *   what is found is lost, and k is so small that this is under 0.4 % for b = 256 and half of it
 *   for 128;
 * - loads that are slow by chance are as many at the second look, which always hits, and are taken
 *   off.
 *
 * L2: one SM reads, then it samples (l2.c). Of an L2 in partitions only what is near counts: that is
 * what one SM keeps, while far lines may stay where they belong. What an L2 keeps of more than it has room
 * for is not quite what it keeps of less: of 1.05 to 3 times as much, an H100 (25 MiB without a miss) has 1 to
 * 9 % less near, an H200 (28.1 MiB) 2 % less to 4 % more; of 1.5 times 4 to 6 % less, and as much. So that is no
 * contradiction there.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/layout.h"
#include "measure/looks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SPAN 1.5            /* read so many times what was found … */
#define SPAN_MIN 1.25       /* … or so many, where there is not more to read */
#define LOOKS 40960         /* in all, in no more launches than: */
#define LAUNCHES 8
#define ROUNDS_MIN 4        /* to tell an error from */
#define UNIFORM_LOADS 16384 /* where all lanes load the same, of each SM */
#define QUIET_BYTES 32768   /* a look in so many does not disturb the others */
#define MARGIN 8            /* of the difference between miss and hit: the two kernels' clocks differ a little */
#define LINE_MAX 256u       /* bytes: no cache inside an SM has longer lines */
#define L2_LINE 128
#define L2_LOOKS 16384
#define L2_SAMPLE 4096      /* of them at once */
#define L2_ROUNDS 8
#define L2_PART 0.55        /* of the nominal size, or less: there is more than one part */
#define L2_SLACK 0.0625     /* one way in sixteen, see above */
#define L2_QUIET_LINES 64   /* a look in so many does not disturb the others */

struct count {
  struct gc_bench *bench;
  const struct gc_path *path;
  enum gc_kernel kernel;
  struct gpu_census_args args;
  uint32_t sms, stride, launches;
  struct gc_looks looks;
};

static enum gc_kernel kernel_of(const struct gc_path *path)
{
  switch (path->chase) {
  case GC_KERNEL_chase_nc:
    return GC_KERNEL_census_nc;
  case GC_KERNEL_chase_texture:
    return GC_KERNEL_census_texture;
  case GC_KERNEL_chase_constant:
    return GC_KERNEL_census_constant;
  case GC_KERNEL_chase_scalar:
    return GC_KERNEL_census_scalar;
  default:
    return GC_KERNEL_census_ca;
  }
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
  return value < least ? least : value < most ? value : most;
}

/* How often is looked, in how many launches. Where all lanes load the same, reading takes its time; yet where
 * one SM does it alone, it has to look often. */
static void plan_looks(struct count *c, uint64_t bytes)
{
  const bool uniform = c->kernel == GC_KERNEL_census_constant || c->kernel == GC_KERNEL_census_scalar;
  const uint64_t most = uniform && !c->path->alone ? UNIFORM_LOADS / c->args.slots : UINT64_MAX; /* rounds */
  struct gpu_census_args *a = &c->args;

  a->each = (uint32_t)within(bytes / QUIET_BYTES, 1, GPU_CENSUS_LOOKS / ROUNDS_MIN);
  a->rounds = (uint32_t)within(most, ROUNDS_MIN, GPU_CENSUS_LOOKS / a->each);
  c->launches = (uint32_t)within(LOOKS / ((uint64_t)a->each * a->rounds * c->sms), 1,
                                 within(most / a->rounds, 1, LAUNCHES));
  a->all = c->launches * a->rounds;
  c->looks.n = (size_t)a->each * a->all * c->sms;
  c->looks.rounds = a->all;
  a->passes = (uint32_t)((uniform ? UNIFORM_LOADS / 8 : c->path->warm_loads) / a->slots + 2);
  a->scale = ((uint64_t)a->slots << 24) / c->looks.n;
}

/* Up to how many cycles a slot counts as found: little more than hits take, so that no miss does. (How
 * many hits take longer is known from those that are sure, but not of what lies behind another cache.) */
static uint32_t find_limit(const struct count *c)
{
  const struct gc_level *level = &c->bench->levels[c->path->kind];
  const double middle = (level->hit + level->miss) / 2;

  if (c->path->before)
    return (uint32_t)middle;
  return (uint32_t)fmin(middle, level->usual + (level->miss - level->hit) / MARGIN);
}

/* False: there is not enough to read. */
static bool plan(struct count *c, uint64_t capacity)
{
  const uint64_t line = c->stride > LINE_MAX ? c->stride : LINE_MAX;
  const uint64_t wanted = ((uint64_t)(SPAN * (double)capacity) / line + 1) * line;
  const uint64_t room = gc_layout_room(c->bench, c->path->form);
  const uint64_t bytes = wanted < room ? wanted : room / line * line;
  struct gpu_census_args *a = &c->args;

  a->slots = (uint32_t)(bytes / c->stride);
  a->grain = (uint32_t)(line / c->stride);
  a->grains = (uint32_t)(bytes / line);
  a->texture = c->bench->texture;
  a->first = gc_bench_address(c->bench, c->path->form, 0);
  a->step = gc_bench_address(c->bench, c->path->form, c->stride) - a->first;
  a->results = c->bench->scratch + 4096; /* of chases; none is under way */
  a->limit = c->looks.limit = find_limit(c);
  c->looks.bytes = (double)a->slots * c->stride;
  plan_looks(c, bytes);
  return (double)bytes >= SPAN_MIN * (double)capacity;
}

/* L1 and what shares its storage have what no carve-out leaves, as when the capacity was searched. */
static int set_carveout(const struct count *c)
{
  struct gc_bench *bench = c->bench;
  int status = 0;

  if (c->path->form != GC_FORM_CONSTANT)
    status = bench->ops->carveout(bench->device, c->kernel, 0, bench->err);
  return status == -ENOTSUP ? 0 : status;
}

/* What the blocks of a launch saw. */
static void add(struct count *c, const struct gpu_census_result *results)
{
  const struct gpu_census_args *a = &c->args;
  const uint32_t looks = a->each * a->rounds;

  for (uint32_t i = 0; i < c->sms; i++)
    for (uint32_t look = 0; look < looks; look++) {
      const uint32_t round = a->from + look / a->each, bit = 2 * (looks - 1 - look);
      const uint64_t seen = bit < 64 ? results[i].low >> bit : results[i].high >> (bit - 64);

      gc_looks_add(&c->looks, gpu_census_part(i, c->sms, look % a->each, round, a->all), round, seen & 2, seen & 1);
    }
}

static int look_up(struct count *c)
{
  struct gc_bench *bench = c->bench;
  struct gpu_census_result *results = calloc(c->sms, sizeof(*results));
  int status = results ? set_carveout(c) : gc_fail(bench->err, -ENOMEM, "out of memory");

  for (c->args.from = 0; c->args.from < c->args.all && !status; c->args.from += c->args.rounds)
    if (!(status = gc_bench_launch(bench, c->kernel, c->sms, bench->properties.warp, 0, &c->args,
                                   sizeof(c->args))) &&
        !(status = bench->ops->download(bench->device, results, c->args.results,
                                        c->sms * sizeof(*results), bench->err)))
      add(c, results);
  free(results);
  return status;
}

int gc_step_census(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct count c = {.bench = bench, .path = path, .kernel = kernel_of(path),
                    .sms = path->alone ? 1 : bench->properties.sms,
                    .stride = bench->levels[element->kind].stride};
  const uint64_t capacity = gc_capacity_known(element);
  struct gc_census census = {.error = 0};
  int status;

  if (!capacity)
    return 0; /* why there is none is said already */
  if (!c.stride || !plan(&c, capacity)) { /* no stride: the capacity was found by another process */
    snprintf(census.absent, sizeof(census.absent), "%s",
             c.stride ? "there is not enough to read for it" : "what a hit takes is not known any more");
    return gc_settle_census(bench, element, &census);
  }
  if (!(status = gc_looks_open(&c.looks, bench->err)) &&
      !(status = gc_bench_ring(bench, path->form, (uint64_t)c.args.slots * c.stride, c.stride, 1)) &&
      !(status = look_up(&c))) {
    gc_looks_conclude(&c.looks, bench->raw, &census);
    status = gc_settle_census(bench, element, &census);
  }
  gc_looks_close(&c.looks);
  return status;
}

/* Raw cycles between a load that one SM keeps near and all others; 0: not known. */
static double l2_limit(const struct gc_bench *bench, const struct gc_element *element)
{
  const char *near = gc_infos_get(&element->infos, HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES);
  const char *far = gc_infos_get(&element->infos, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES);
  const struct gc_level *level = &bench->levels[GC_L2];
  uint64_t partitions;

  if (near && far)
    return (strtod(near, NULL) + strtod(far, NULL)) / 2 + bench->window_cycles;
  /* AMD's L2 have no partitions: an XCD's is its own */
  if (!bench->properties.has_scalar &&
      (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_PARTITIONS, &partitions) || partitions > 1))
    return 0;
  /* SMs that are all near to one part do not see that there is another: far lines would be counted */
  if (!bench->properties.has_scalar && (double)gc_capacity_known(element) <= L2_PART * (double)bench->properties.l2_bytes)
    return 0;
  return (level->hit + level->miss) / 2;
}

int gc_step_l2_census(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_known(element);
  const uint64_t lines = (uint64_t)(SPAN * (double)capacity) / L2_LINE;
  const uint32_t sample = (uint32_t)within(lines / L2_QUIET_LINES, 1, L2_SAMPLE);
  const struct gc_window window = {.shift = 3, .threshold = (uint32_t)l2_limit(bench, element)};
  struct gc_run run = {.bytes = lines * L2_LINE};
  struct gc_census census = {.slack = L2_SLACK};
  double loads = 0, slow = 0;

  if (!capacity)
    return 0;
  if (run.bytes > bench->arena_bytes || !window.threshold) {
    snprintf(census.absent, sizeof(census.absent), "%s",
             window.threshold ? "too little free device memory"
                              : "lines that are near cannot be told from those that are far");
    return gc_settle_census(bench, element, &census);
  }
  for (uint64_t round = 0; round < L2_ROUNDS && round * sample < L2_LOOKS; round++) {
    const int status = gc_l2_sample(bench, gc_path_of(GC_L2), &window, &run, L2_LINE,
                                    bench->levels[GC_L2].stride, sample, round);

    if (status == -ENOTSUP) {
      snprintf(census.absent, sizeof(census.absent), "%s", GC_NOT_SAMPLED);
      return gc_settle_census(bench, element, &census);
    }
    if (status)
      return status;
    gc_raw_runs(bench->raw, "census", &window, &run, 1);
    loads += run.seen.loads;
    slow += run.seen.slow;
  }
  gc_sample_conclude((double)run.bytes, loads, slow, &census);
  return gc_settle_census(bench, element, &census);
}
