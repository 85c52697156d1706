/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of untimed loads at equal distances. Loads of one line select it once, so a run takes much
 * less time than its loads one by one, and does the same to the caches, in the same order.
 */
#include "model/model.h"

#include "model/batch.h"
#include "model/walk.h"

/* The loads of a run that are of one line. */
struct line_loads {
  uint64_t offset; /* of the first one in its line; UINT64_MAX: nothing is known */
  uint64_t count;
  uint8_t mask;    /* their sectors, one bit each */
  uint64_t again;  /* how many are of a sector that one before has brought */
};

/* Finds out which of `left` loads are of the same line as the first one. They are as many as in the
 * line before, and of the same sectors, if they begin at the same offset. */
static inline void find_loads(struct line_loads *loads, const struct gc_cache *cache,
                              uint64_t address, uint64_t stride, uint64_t left)
{
  const uint64_t line = 1ull << cache->line_shift, offset = address & (line - 1);
  uint64_t at = offset;

  if (offset == loads->offset && loads->count <= left)
    return;
  *loads = (struct line_loads){.offset = offset};
  do {
    const uint8_t bit = gc_cache_sector_of(cache, at);

    loads->again += (loads->mask & bit) != 0;
    loads->mask |= bit;
    at += stride;
    loads->count++;
  } while (loads->count < left && at < line);
  /* the run ends: another one would continue in this line */
  if (at < line)
    loads->offset = UINT64_MAX;
}

/* The cycles of loads that were found at this level. */
static uint64_t cycles_of(const struct gc_model *model, enum gc_space space, unsigned level,
                          const struct gc_found *found)
{
  const int cache = model->profile.paths[space].levels[level].cache;

  return found->near * gc_walk_cycles(model, space, level, 0) +
         found->far *
           gc_walk_cycles(model, space, level, model->arrays[cache].profile->far_cycles);
}

/* Loads that begin at a cache of the chip, if only memory or one more such cache is behind it. */
static uint64_t run_outside(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct line_loads loads = {.offset = UINT64_MAX};
  struct gc_found found = {0};
  uint64_t cycles = 0, behind = 0;
  struct gc_batch batch;

  while (count) {
    for (batch.count = 0; count && batch.count < array->batch_most; batch.count++) {
      find_loads(&loads, array->instances, address, stride, count);
      if (model->profile.tlb_count)
        cycles += gc_walk_translate(model, sm, address);
      batch.address[batch.count] = gc_pages_physical(&model->pages, address);
      batch.mask[batch.count] = loads.mask;
      batch.again[batch.count] = loads.again;
      count -= loads.count;
      address += loads.count * stride;
    }
    gc_batch_touch(model, array, sm, &batch, &found);
    if (path->count == 3)
      behind += gc_batch_touch_behind(model, array, &model->arrays[path->levels[1].cache], sm,
                                      &batch);
  }
  return cycles + cycles_of(model, space, 0, &found) + behind * gc_walk_cycles(model, space, 1, 0) +
         (found.nowhere - behind) * gc_walk_cycles(model, space, path->count - 1, 0);
}

/* With SLRU, the second load of a line protects it, and further ones change nothing. */
static inline void use_again(struct gc_model *model, const struct gc_cache_array *array,
                             struct gc_cache *cache, uint64_t address, uint64_t loads)
{
  uint8_t none = 0;

  if (array->profile->shape.replacement == GC_REPLACE_SLRU && loads > 1)
    cache->access_lines(cache, &address, &none, 1, &model->replacement);
}

/* Loads that begin at a cache inside the SM. Those that miss go on one by one. */
static uint64_t run_inside(struct gc_model *model, uint32_t sm, enum gc_space space,
                           uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct gc_cache *cache = gc_walk_own(model, array, sm);
  uint64_t cycles = 0, hits = 0;

  while (count) {
    const uint64_t start = address, left = count;
    uint8_t *present = gc_cache_sectors(cache, address, &model->replacement);

    do {
      const uint8_t bit = gc_cache_sector_of(cache, address);

      if (*present & bit) {
        hits++;
      } else {
        uint32_t latency;

        *present |= bit;
        gc_walk_from(model, sm, space, 1, address, &latency);
        cycles += latency;
      }
      address += stride;
      count--;
    } while (count && (address ^ start) >> array->line_shift == 0);
    use_again(model, array, cache, start, left - count);
  }
  return cycles + hits * gc_walk_cycles(model, space, 0, 0);
}

/* The sectors of a line of the next cache that loads of these sectors of a line are in, if they
 * begin at this address and are `stride` bytes apart. */
static uint8_t sectors_behind(const struct gc_cache *cache, const struct gc_cache *next,
                              uint64_t address, uint64_t stride, uint8_t missed)
{
  uint8_t mask = 0;

  for (; missed; address += stride) {
    const uint8_t bit = gc_cache_sector_of(cache, address);

    if (missed & bit)
      mask |= gc_cache_sector_of(next, address);
    missed &= (uint8_t)~bit;
  }
  return mask;
}

/* What missed of lines inside an SM becomes what is loaded from the next cache. Returns how many
 * sectors missed. Adds to *cycles the time for translations. */
static uint64_t go_on(struct gc_model *model, uint32_t sm, const struct gc_cache *cache,
                      const struct gc_cache *next, uint64_t stride, struct gc_batch *batch,
                      uint64_t *cycles)
{
  unsigned kept = 0;
  uint64_t all = 0;

  for (unsigned i = 0; i < batch->count; i++) {
    const uint64_t address = batch->address[i];
    const uint8_t missed = batch->mask[i];

    if (!missed)
      continue;
    if (model->profile.tlb_count)
      *cycles += gc_walk_translate(model, sm, address);
    batch->address[kept] = gc_pages_physical(&model->pages, address);
    batch->mask[kept] = sectors_behind(cache, next, address, stride, missed);
    batch->again[kept] = gc_batch_ones[missed] - gc_batch_ones[batch->mask[kept]];
    all += gc_batch_ones[missed];
    kept++;
  }
  batch->count = kept;
  return all;
}

/* Loads that begin at a cache inside the SM and have one cache of the chip behind it, whose lines
 * are not shorter: all that miss in a line are of one line there. */
static uint64_t run_through(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct gc_cache_array *next = &model->arrays[path->levels[1].cache];
  struct gc_cache *cache = gc_walk_own(model, array, sm);
  /* the second load of a line comes before those of the next line */
  const bool alone = array->profile->shape.replacement == GC_REPLACE_SLRU &&
                     stride < 1ull << array->line_shift;
  struct line_loads loads = {.offset = UINT64_MAX};
  struct gc_found found = {0};
  uint64_t hits = count, cycles = 0;
  struct gc_batch batch;

  while (count) {
    for (batch.count = 0; count && batch.count < (alone ? 1 : array->batch_most); batch.count++) {
      find_loads(&loads, cache, address, stride, count);
      batch.address[batch.count] = address;
      batch.mask[batch.count] = loads.mask;
      count -= loads.count;
      address += loads.count * stride;
    }
    cache->access_lines(cache, batch.address, batch.mask, batch.count, &model->replacement);
    if (alone)
      use_again(model, array, cache, batch.address[0], loads.count);
    hits -= go_on(model, sm, cache, next->instances, stride, &batch, &cycles);
    gc_batch_touch(model, next, sm, &batch, &found);
  }
  return cycles + hits * gc_walk_cycles(model, space, 0, 0) +
         cycles_of(model, space, 1, &found) + found.nowhere * gc_walk_cycles(model, space, 2, 0);
}

uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_path *path = &profile->paths[space];
  const bool whole = path->count > 2 && profile->whole_sectors;
  const struct gc_cache_array *first, *second;
  uint64_t cycles = 0;

  if (count == 1) /* most loads of scattered walks: a batch of one would take longer */
    return gc_model_touch(model, sm, space, address);
  first = path->count > 1 ? &model->arrays[path->levels[0].cache] : NULL;
  second = path->count > 2 ? &model->arrays[path->levels[1].cache] : NULL;
  if (!first || whole || first->compete.active || (first->outside && path->count > 3)) {
    for (uint64_t i = 0; i < count; i++)
      cycles += gc_model_touch(model, sm, space, address + i * stride);
    return cycles;
  }
  address = gc_walk_address(space, address);
  if (first->outside)
    return run_outside(model, sm, space, address, stride, count);
  if (path->count == 3 && second->outside && second->line_shift >= first->line_shift)
    return run_through(model, sm, space, address, stride, count);
  return run_inside(model, sm, space, address, stride, count);
}
