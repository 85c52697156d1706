/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores on a simulated GPU. The caches hold no data, so a store decides only which sectors are
 * present afterwards. A line that is present stays, because the store updates it.
 */
#include "model/model.h"
#include "model/walk.h"

/* The sectors of the line at `line` that a store of [from, to) makes present. */
static uint8_t stored_sectors(const struct gc_cache_array *array, uint64_t line, uint64_t from,
                              uint64_t to)
{
  const struct gc_cache_shape *shape = &array->profile->shape;
  uint8_t mask = 0;

  for (uint32_t at = 0; at < shape->line; at += shape->sector)
    if (array->profile->write_allocate == GC_STORE_ALLOCATES_LINE ||
        (line + at >= from && line + at + shape->sector <= to))
      mask |= (uint8_t)(1u << at / shape->sector);
  return mask;
}

/* Stores one line's part, [from, to), in one cache. Returns whether the cache has the line then. */
static bool store_line(struct gc_model *model, const struct gc_cache_array *array,
                       struct gc_cache *cache, uint64_t from, uint64_t to)
{
  const uint64_t line = from >> array->line_shift << array->line_shift;
  const uint8_t mask = stored_sectors(array, line, from, to);
  const bool present = gc_cache_has(cache, line);

  if (array->profile->write_allocate == GC_STORE_ALLOCATES_NONE)
    return present;
  if (mask)
    gc_cache_access_sectors(cache, line, mask, &model->replacement);
  return present || mask;
}

/* The same where the line is at home. */
static bool store_home(struct gc_model *model, const struct gc_cache_array *array,
                       struct gc_cache *cache, uint64_t from, uint64_t to)
{
  const bool has = store_line(model, array, cache, from, to);

  if (has && array->profile->write == GC_STORE_BACK)
    gc_cache_change(cache, from);
  return has;
}

/* The partition that owns a line has it; the near one, too, if it keeps copies. */
static bool store_level(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                        uint64_t from, uint64_t to)
{
  uint64_t at;
  uint32_t home, near;
  bool has;

  if (!array->outside)
    return store_line(model, array, gc_walk_own(model, array, sm), from, to);
  at = gc_pages_physical(&model->pages, from);
  near = array->places[sm];
  if (array->profile->partitions == 1)
    return store_home(model, array, &array->instances[near], at, at + (to - from));
  home = gc_chip_home(array, at);
  has = store_home(model, array, &array->instances[home], at, at + (to - from));
  if (array->profile->replicate && home != near)
    store_line(model, array, &array->instances[near], at, at + (to - from));
  return has;
}

static bool store_at(struct gc_model *model, uint32_t sm, enum gc_space space, unsigned level,
                     uint64_t address, uint32_t bytes)
{
  struct gc_cache_array *array = &model->arrays[model->profile.paths[space].levels[level].cache];
  const uint64_t line = array->profile->shape.line, end = address + bytes;
  bool has = true;

  for (uint64_t from = address; from < end;) {
    const uint64_t next = (from / line + 1) * line, to = next < end ? next : end;

    has &= store_level(model, array, sm, from, to);
    from = to;
  }
  return has && array->profile->write == GC_STORE_BACK;
}

bool gc_model_store_first(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                    uint32_t bytes)
{
  return store_at(model, sm, space, 0, address, bytes);
}

void gc_model_store(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                    uint32_t bytes)
{
  const struct gc_profile_path *path = &model->profile.paths[space];

  for (unsigned level = 0; level + 1 < path->count; level++)
    if (store_at(model, sm, space, level, address, bytes))
      return;
}

bool gc_model_holds_stores(const struct gc_model *model, enum gc_space space)
{
  const int first = model->profile.paths[space].levels[0].cache;
  const struct gc_profile_cache *cache =
    first == GC_PROFILE_MEMORY ? NULL : &model->profile.caches[first];

  return cache && cache->scope < GC_SCOPE_XCD && cache->write == GC_STORE_BACK &&
         cache->write_allocate != GC_STORE_ALLOCATES_NONE;
}
