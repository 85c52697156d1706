/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the ground truth from the model.
 */
#include "model/truth.h"

#include "model/chip.h"
#include "model/queue.h"

#include <errno.h>
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

double gc_model_true_jitter(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];

  return level < path->count ? path->levels[level].jitter : 0;
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
