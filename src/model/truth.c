/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the ground truth from the model.
 */
#include "model/truth.h"

#include "model/chip.h"
#include "model/queue.h"
#include "model/walk.h"
#include "util/scattered_order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t gc_model_true_level(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const struct gc_profile_cache *cache;

  if (level >= path->count || path->levels[level].cache == GC_PROFILE_MEMORY)
    return 0;
  cache = &model->profile.caches[path->levels[level].cache];
  return gc_chip_usable(model, cache) / (cache->replicate ? cache->partitions : 1);
}

#define BASE (1ull << 40)  /* of an allocation; any multiple of a page will do */
#define CROWDED_PERCENT 1 /* lines in sets with too many, of those that still count as held */

/* The bytes of an allocation that an SM near to the first partition can use. lines: one counter for
 * each set of all instances. */
static uint64_t fit_of(const struct gc_cache_array *array, struct gc_pages *pages, uint16_t *lines)
{
  const struct gc_profile_cache *cache = array->profile;
  const uint32_t ways = cache->shape.ways, line = cache->shape.line;
  const bool split = cache->scope == GC_SCOPE_CHIP && !cache->replicate;
  const uint64_t sets = array->instances->sets, most = sets * ways * (split ? array->count : 1);
  uint64_t crowded = 0, held = 0;

  memset(lines, 0, sets * array->count * sizeof(*lines));
  for (uint64_t n = 1; n <= most; n++) {
    const uint64_t at = gc_pages_physical(pages, BASE + (n - 1) * line);
    const uint32_t part = split && array->count > 1 ? gc_chip_home(array, at) : 0;
    const uint16_t count = ++lines[part * sets + gc_cache_set(array->instances, at)];

    crowded += count > ways ? 1 + (count == ways + 1) * ways : 0;
    if (crowded * 100 <= n * CROWDED_PERCENT)
      held = n;
  }
  return held * line;
}

static int ascending(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

int gc_model_true_fits(const struct gc_model *model, enum gc_space space, unsigned level,
                       uint64_t seed, uint64_t *bytes, unsigned n)
{
  const struct gc_profile *profile = &model->profile;
  const uint64_t all = gc_model_true_level(model, space, level);
  const struct gc_cache_array *array;
  struct gc_pages pages;
  uint16_t *lines;
  int status = 0;

  if (!all || !model->arrays[profile->paths[space].levels[level].cache].outside)
    return -ENOENT;
  for (unsigned i = 0; i < n; i++)
    bytes[i] = all;
  if (!profile->page_bytes)
    return 0;
  array = &model->arrays[profile->paths[space].levels[level].cache];
  lines = calloc((uint64_t)array->instances->sets * array->count, sizeof(*lines));
  if (!lines)
    return -ENOMEM;
  gc_pages_init(&pages, profile->page_bytes, profile->page_order, seed);
  for (unsigned i = 0; i < n && !(status = gc_pages_map(&pages, BASE, 2 * all)); i++) {
    bytes[i] = fit_of(array, &pages, lines);
    gc_pages_unmap(&pages, BASE);
  }
  gc_pages_fini(&pages);
  free(lines);
  qsort(bytes, n, sizeof(*bytes), ascending);
  return status;
}

uint32_t gc_model_true_remote(const struct gc_model *model, uint32_t sm, uint32_t other)
{
  return gc_chip_remote(model, sm, other);
}

uint64_t gc_model_true_capacity(const struct gc_model *model, enum gc_space space)
{
  return gc_model_true_level(model, space, 0);
}

uint32_t gc_model_true_latency(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];

  return level < path->count ? gc_chip_rounded(model, path->levels[level].cycles) : 0;
}

uint32_t gc_model_true_idle(const struct gc_model *model, enum gc_space space, unsigned level)
{
  return level < model->profile.paths[space].count ? gc_queue_idle(model, space, level) : 0;
}

int32_t gc_model_true_offset(const struct gc_model *model, enum gc_space space, unsigned level,
                             uint32_t sm)
{
  const bool differs = level < model->profile.paths[space].count && model->profile.sm_spread &&
                       gc_walk_outside(model, space, level);

  return differs ? gc_chip_offset(model, sm) : 0;
}

double gc_model_true_jitter(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const double spread = model->profile.sm_spread;

  if (level >= path->count)
    return 0;
  /* the shares of SMs are spread evenly */
  return gc_walk_outside(model, space, level) ? hypot(path->levels[level].jitter, spread / sqrt(3))
                                              : path->levels[level].jitter;
}

bool gc_model_true_sharing_groups(const struct gc_model *model, enum gc_space space, unsigned level,
                                  uint32_t sm, uint32_t other)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const struct gc_cache_array *array;

  if (level >= path->count || path->levels[level].cache == GC_PROFILE_MEMORY)
    return false;
  array = &model->arrays[path->levels[level].cache];
  return array->places[sm] == array->places[other];
}

double gc_model_true_queue(const struct gc_model *model, enum gc_space space, unsigned level,
                           double share)
{
  return gc_queue_at(model, space, level, share);
}

double gc_model_true_bandwidth(const struct gc_model *model, enum gc_space space, unsigned level,
                               bool write)
{
  return gc_chip_rate(model, space, level, write);
}

bool gc_model_true_shared(const struct gc_model *model, enum gc_space a, enum gc_space b)
{
  const struct gc_profile_path *paths = model->profile.paths;

  return paths[a].count && paths[b].count && paths[a].levels[0].cache != GC_PROFILE_MEMORY &&
         paths[a].levels[0].cache == paths[b].levels[0].cache;
}

#define LINES 2048       /* of all rounds */
#define LINES_MOST 512   /* of a round */
#define SHARE 8          /* the lines of a round take at most the first cache divided by this */
#define APART 13 /* lines from line to line, at least; coprime to the sets of the first cache */
#define BEFORE (BASE + (1ull << 33)) /* what the caches have before */
#define OTHERS (BASE + (1ull << 34))
#define RUN 256 /* loads of an SM at a time, as in the kernel `touch` */
#define PASSES 3

/* SMs in turn, in the order of blocks: the XCDs alternate. */
static void read_by_all(struct gc_model *model, uint64_t base, uint64_t bytes)
{
  const int first = model->profile.paths[GC_SPACE_CG].levels[0].cache;
  const uint32_t line = model->profile.caches[first].shape.line, sms = model->profile.facts.sms;
  const uint64_t lines = (bytes + line - 1) / line;
  const uint32_t xcds = model->profile.facts.xcds, each = sms / xcds;
  uint32_t turn = 0;

  for (uint64_t at = 0; at < lines; at += RUN, turn = (turn + 1) % sms)
    gc_model_touch_run(model, turn % xcds * each + turn / xcds % each, GC_SPACE_CG,
                       base + at * line, line, lines - at < RUN ? lines - at : RUN);
}

/* Bytes that leave hardly a line of the caches free. */
static uint64_t enough(const struct gc_model *model)
{
  uint64_t bytes = 0;

  for (unsigned i = 0; i < model->profile.cache_count; i++)
    if (model->arrays[i].outside)
      bytes += 3 * gc_chip_usable(model, &model->profile.caches[i]) *
               (model->profile.caches[i].scope == GC_SCOPE_XCD ? model->profile.facts.xcds : 1);
  return bytes;
}

/* How many of n lines from `first` on are left after a round. */
static unsigned left_of(struct gc_model *model, uint64_t first, uint64_t apart, unsigned n,
                        uint64_t bytes)
{
  const struct gc_profile_path *path = &model->profile.paths[GC_SPACE_CG];
  unsigned left = 0;

  gc_model_displace(model);
  read_by_all(model, BEFORE, enough(model));
  for (int pass = 0; pass < PASSES; pass++)
    gc_model_touch_run(model, 0, GC_SPACE_CG, first, apart, n);
  read_by_all(model, OTHERS, bytes);
  for (unsigned i = 0; i < n; i++)
    left += gc_model_touch(model, 0, GC_SPACE_CG, first + (uint64_t)i * apart) <
            path->levels[path->count - 1].cycles;
  return left;
}

int gc_model_true_left(struct gc_model *model, uint64_t bytes, double *share)
{
  static const unsigned maps = 3;
  const struct gc_profile_path *path = &model->profile.paths[GC_SPACE_CG];
  const struct gc_profile_cache *cache =
      path->count < 2 ? NULL : &model->profile.caches[path->levels[0].cache];
  const uint64_t apart =
      cache ? gc_coprime(gc_chip_sets(model, cache), APART) * cache->shape.line : 0;
  const uint64_t base[] = {BASE, BEFORE, OTHERS};
  const uint64_t size[] = {(LINES + LINES_MOST) * apart, enough(model) + (1 << 20),
                           bytes + (1 << 20)};
  unsigned left = 0, mapped = 0, done = 0, each;
  int status = 0;

  *share = 0;
  if (!cache)
    return 0;
  each = (unsigned)(gc_model_true_level(model, GC_SPACE_CG, 0) / SHARE / cache->shape.line);
  each = each > LINES_MOST ? LINES_MOST : each ? each : 1;
  while (mapped < maps && !(status = gc_model_map(model, base[mapped], size[mapped])))
    mapped++;
  for (; done < LINES && !status; done += each)
    left += left_of(model, BASE + (uint64_t)done * apart, apart, each, bytes);
  while (mapped)
    gc_model_unmap(model, base[--mapped]);
  *share = done ? (double)left / done : 0;
  return status;
}
