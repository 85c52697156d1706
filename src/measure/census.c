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
 * The region is cut in as many parts as there are looks, and each takes a slot of its part at random;
 * all of them in random order, by all SMs. Then
 * - the error is that of sampling, told from neighbours in the region, which stay or go with the same
 *   probability (successive differences; Wolter 2007, ch. 8): next to nothing for LRU, which keeps
 *   what was read last, and at most sqrt(p (1 - p) / n) of the region for random replacement;
 * - a look that misses pushes out one line, which is looked up later in the same round with the
 *   probability that any other is: with k looks at R bytes in lines of b bytes at most k b / 2 R of
 *   what is found is lost, and k is so small that this is under 0.5 % for b = 256 and half of it
 *   for 128;
 * - loads that are slow by chance are as many at the second look, which always hits, and are taken
 *   off.
 * So the two ways agree when they differ by no more than a percent, or three standard errors where
 * these are more (agree.c). On simulated GPUs whose sets fill evenly that withholds nothing (all
 * profiles, drawn GPUs); one whose sets do not has no capacity that an array could use to the last
 * line, and there they differ by how uneven it is.
 *
 * L2: one SM reads, then it samples (l2.c), once. Of an L2 in partitions only what is near counts: that
 * is what one SM keeps, while far lines may stay where they belong.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"
#include "measure/layout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SPAN 1.5           /* read so many times what was found … */
#define SPAN_MIN 1.25      /* … or so many, where there is not more to read */
#define LOOKS 16384        /* in all, */
#define LOOKS_MIN 64       /* of each SM, */
#define LOOKS_MAX 256
#define UNIFORM_LOADS 16384 /* where all lanes load the same: of each SM */
#define QUIET_BYTES 32768  /* a look in so many does not disturb the others */
#define USUAL 0.97         /* of sure hits are as fast as it takes to count as found; a slower hit is */
#define LATER 4            /* cycles later at most than these */
#define SURE 0.9           /* of sure hits must be told from misses */
#define L2_LINE 128
#define L2_LOOKS 4096
#define L2_ROUNDS 8
#define L2_QUIET_LINES 64  /* a look in so many does not disturb the others */

struct look {
  uint32_t slot, cycles, again; /* raw */
};

struct count {
  struct gc_bench *bench;
  const struct gc_path *path;
  struct gpu_census_args args;
  uint32_t sms, stride;
  struct look *looks; /* [n] */
  size_t n;
};

static uint32_t path_number(const struct gc_path *path)
{
  switch (path->chase) {
  case GC_KERNEL_chase_nc:
    return GPU_PATH_nc;
  case GC_KERNEL_chase_texture:
    return GPU_PATH_texture;
  case GC_KERNEL_chase_constant:
    return GPU_PATH_constant;
  case GC_KERNEL_chase_scalar:
    return GPU_PATH_scalar;
  default:
    return GPU_PATH_ca;
  }
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
  return value < least ? least : value < most ? value : most;
}

/* What is read and how often it is looked at. False: there is not enough to read. */
static bool plan(struct count *c, uint64_t capacity)
{
  const uint32_t number = path_number(c->path), stride = c->stride;
  const bool uniform = number == GPU_PATH_constant || number == GPU_PATH_scalar;
  const uint64_t wanted = (uint64_t)(SPAN * (double)capacity) / stride * stride;
  const uint64_t room = gc_layout_room(c->bench, c->path->form);
  const uint64_t bytes = wanted < room ? wanted : room / stride * stride, slots = bytes / stride;
  const uint64_t looks = within(LOOKS / c->sms, LOOKS_MIN, LOOKS_MAX);
  struct gpu_census_args *a = &c->args;

  a->slots = (uint32_t)slots;
  a->path = number;
  a->texture = c->bench->texture;
  a->first = gc_bench_address(c->bench, c->path->form, 0);
  a->step = gc_bench_address(c->bench, c->path->form, stride) - a->first;
  a->each = (uint32_t)within(bytes / QUIET_BYTES, 1, looks);
  a->rounds = (uint32_t)((looks + a->each - 1) / a->each);
  a->passes = (uint32_t)(c->path->warm_loads / slots + 2);
  if (uniform) {
    a->rounds = (uint32_t)within(a->rounds, 1, UNIFORM_LOADS / slots + 1);
    a->passes = (uint32_t)within(a->passes, 2, UNIFORM_LOADS / 8 / slots + 2);
  }
  c->n = (size_t)c->sms * a->rounds * a->each;
  return (double)bytes >= SPAN_MIN * (double)capacity;
}

/* A place at random in each n-th of the region, in random order. */
static void choose(const struct count *c, uint32_t *chosen)
{
  struct gc_layout random = {.random = c->n}; /* the same in every run */
  const double part = (double)c->args.slots / (double)c->n;

  gc_layout_shuffle(&random, chosen, (uint32_t)c->n);
  for (size_t i = 0; i < c->n; i++)
    chosen[i] = (uint32_t)((chosen[i] + gc_layout_random(&random, 1u << 16) / 65536.0) * part);
}

/* L1 and what shares its storage have what no carve-out leaves, as when the capacity was searched. */
static int set_carveout(struct gc_bench *bench, const struct gc_path *path)
{
  int status = 0;

  if (path->form != GC_FORM_CONSTANT)
    status = bench->ops->carveout(bench->device, GC_KERNEL_census, 0, bench->err);
  return status == -ENOTSUP ? 0 : status;
}

static int look_up(struct count *c)
{
  struct gc_bench *bench = c->bench;
  uint32_t *chosen = malloc(3 * c->n * sizeof(*chosen)), *cycles = chosen + c->n;
  int status = chosen ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  if (chosen)
    choose(c, chosen);
  /* in the scratch, where chases keep what is theirs: none is under way */
  c->args.chosen = bench->scratch + 4096;
  c->args.cycles = c->args.chosen + c->n * sizeof(*chosen);
  if (!status && !(status = set_carveout(bench, c->path)) &&
      !(status = bench->ops->upload(bench->device, c->args.chosen, chosen, c->n * sizeof(*chosen),
                                    bench->err)) &&
      !(status = gc_bench_launch(bench, GC_KERNEL_census, c->sms, bench->properties.warp, 0, &c->args,
                                 sizeof(c->args))))
    status = bench->ops->download(bench->device, cycles, c->args.cycles, 2 * c->n * sizeof(*cycles),
                                  bench->err);
  for (size_t i = 0; i < c->n && !status; i++)
    c->looks[i] = (struct look){chosen[i], cycles[2 * i], cycles[2 * i + 1]};
  free(chosen);
  return status;
}

static int by_again(const void *a, const void *b)
{
  const uint32_t x = ((const struct look *)a)->again, y = ((const struct look *)b)->again;

  return x < y ? -1 : x > y;
}

static int by_slot(const void *a, const void *b)
{
  const uint32_t x = ((const struct look *)a)->slot, y = ((const struct look *)b)->slot;

  return x < y ? -1 : x > y;
}

/* Up to how many cycles a slot counts as found: little more than hits take, so that no miss does, where
 * these were seen; a second look at what lies behind another cache is found in that one. */
static double find_limit(struct count *c)
{
  const struct gc_level *level = &c->bench->levels[c->path->kind];
  const double middle = (level->hit + level->miss) / 2;
  double usual;

  if (c->path->before)
    return middle;
  qsort(c->looks, c->n, sizeof(*c->looks), by_again);
  usual = c->looks[(size_t)(USUAL * (double)(c->n - 1))].again + LATER;
  return usual < middle ? usual : middle;
}

/* For the eye: what of each part of the region was found. Looks are in order of slots. */
static void tell_raw(const struct count *c, double limit)
{
  const size_t parts = 64;

  gc_raw_note(c->bench->raw, "threshold", limit);
  for (size_t part = 0; part < parts; part++) {
    const size_t first = part * c->n / parts, end = (part + 1) * c->n / parts;
    double found = 0;

    for (size_t i = first; i < end; i++)
      found += c->looks[i].cycles <= limit;
    if (end > first)
      gc_raw_row(c->bench->raw, "offset, bytes\tfound, share",
                 (double[]){(double)c->looks[first].slot * c->stride,
                            found / (double)(end - first)});
  }
}

static void conclude(struct count *c, struct gc_census *census)
{
  const double limit = find_limit(c), n = (double)c->n;
  const double bytes = (double)c->args.slots * c->stride;
  double found = 0, sure = 0, changes = 0;

  qsort(c->looks, c->n, sizeof(*c->looks), by_slot);
  for (size_t i = 0; i < c->n; i++) {
    found += c->looks[i].cycles <= limit;
    sure += c->looks[i].again <= limit;
    changes += i && (c->looks[i].cycles <= limit) != (c->looks[i - 1].cycles <= limit);
  }
  tell_raw(c, limit);
  if (sure < SURE * n) {
    snprintf(census->absent, sizeof(census->absent), "a single hit cannot be told from a miss");
    return;
  }
  census->all = found >= sure;
  census->bytes = bytes * fmin(found / sure, 1);
  census->error = bytes * sqrt(changes / 2) / n;
}

int gc_step_census(struct gc_bench *bench, struct gc_element *element)
{
  struct count c = {.bench = bench, .path = gc_path_of(element->kind), .sms = bench->properties.sms,
                    .stride = bench->levels[element->kind].stride};
  const uint64_t capacity = gc_capacity_known(element);
  struct gc_census census = {.error = 0};
  int status;

  if (!capacity)
    return 0; /* why there is none is said already */
  if (!plan(&c, capacity)) {
    snprintf(census.absent, sizeof(census.absent), "there is not enough to read for it");
    return gc_settle_census(bench, element, &census);
  }
  c.looks = malloc(c.n * sizeof(*c.looks));
  status = c.looks ? gc_bench_ring(bench, c.path->form, (uint64_t)c.args.slots * c.stride, c.stride, 1)
                   : gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status && !(status = look_up(&c))) {
    conclude(&c, &census);
    status = gc_settle_census(bench, element, &census);
  }
  free(c.looks);
  return status;
}

/* Raw cycles between a load that one SM keeps near and all others. */
static double l2_limit(const struct gc_bench *bench, const struct gc_element *element)
{
  const char *near = gc_infos_get(&element->infos, HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES);
  const char *far = gc_infos_get(&element->infos, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES);
  const struct gc_level *level = &bench->levels[GC_L2];

  return near && far ? (strtod(near, NULL) + strtod(far, NULL)) / 2 + bench->window_cycles
                     : (level->hit + level->miss) / 2;
}

int gc_step_l2_census(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_known(element);
  const uint64_t lines = (uint64_t)(SPAN * (double)capacity) / L2_LINE;
  const uint32_t sample = (uint32_t)within(lines / L2_QUIET_LINES, 1, L2_LOOKS);
  const struct gc_window window = {.shift = 3, .threshold = (uint32_t)l2_limit(bench, element)};
  struct gc_run run = {.bytes = lines * L2_LINE};
  struct gc_census census = {.error = 0};
  double loads = 0, slow = 0, found;

  if (!capacity)
    return 0;
  if (run.bytes > bench->arena_bytes) {
    snprintf(census.absent, sizeof(census.absent), "too little free device memory");
    return gc_settle_census(bench, element, &census);
  }
  for (uint64_t round = 0; round < L2_ROUNDS && round * sample < L2_LOOKS; round++) {
    const int status = gc_l2_sample(bench, gc_path_of(GC_L2), &window, &run, L2_LINE, L2_LINE, sample,
                                    round);

    if (status)
      return status;
    gc_raw_runs(bench->raw, "census", &window, &run, 1);
    loads += run.seen.loads;
    slow += run.seen.slow;
  }
  found = 1 - slow / loads;
  census.all = slow < 1;
  census.bytes = found * (double)run.bytes;
  census.error = sqrt(found * (1 - found) / loads) * (double)run.bytes;
  return gc_settle_census(bench, element, &census);
}
