/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/walk.h"

void gc_walk_compete(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     uint64_t address)
{
  const uint32_t at = array->places[sm];

  for (uint32_t other = 0; other < model->profile.facts.sms; other++) {
    uint64_t theirs;

    if (other != sm && array->places[other] == at &&
        gc_compete_next(&array->compete, other, &theirs))
      gc_cache_access(&array->instances[at], theirs, &model->replacement);
  }
  gc_compete_add(&array->compete, sm, address);
}

void gc_walk_fetch(struct gc_model *model, uint32_t sm, const struct gc_profile_path *path,
                   unsigned level, uint64_t address, uint32_t bytes)
{
  const int cache = path->levels[level].cache;
  uint32_t sector, extra;

  if (cache == GC_PROFILE_MEMORY)
    return;
  sector = model->profile.caches[cache].shape.sector;
  for (uint64_t at = address & -(uint64_t)sector; at < address + bytes; at += sector)
    if (!gc_walk_level(model, cache, sm, at, &extra))
      gc_walk_fetch(model, sm, path, level + 1, at, sector);
}
