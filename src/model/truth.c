/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the ground truth from the model.
 */
#include "model/truth.h"

#include "model/chip.h"

uint64_t gc_model_true_level(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const struct gc_profile_cache *cache;

  if (level >= path->count || path->levels[level].cache == GC_PROFILE_MEMORY)
    return 0;
  cache = &model->profile.caches[path->levels[level].cache];
  return gc_chip_usable(model, cache) / (cache->replicate ? cache->partitions : 1);
}

uint64_t gc_model_true_capacity(const struct gc_model *model, enum gc_space space)
{
  return gc_model_true_level(model, space, 0);
}

uint32_t gc_model_true_latency(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];

  return level < path->count ? path->levels[level].cycles : 0;
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
