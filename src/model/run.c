/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of untimed loads at equal distances. Loads of one line select it once, so a run takes much
 * less time than its loads one by one, and does the same to the caches, in the same order.
 */
#include "model/model.h"

#include "model/walk.h"

/* Where a sector was found: in the near partition, in a far one, or in neither. */
enum place { NEAR, FAR, NOWHERE, PLACES };

/* __builtin_popcount is a function call on machines without an instruction for it. */
static inline uint32_t ones(uint8_t x)
{
  x -= x >> 1 & 0x55;
  x = (x & 0x33) + (x >> 2 & 0x33);
  return (x + (x >> 4)) & 0x0f;
}

/* Touches several sectors of one line of the chip's cache at once, one bit each: the first one
 * selects the place of the line, and the others are independent. The address is a physical one.
 * Adds to `found` how many were found where; `again` more loads are of sectors that one before has
 * brought. Returns the sectors that missed. */
static uint8_t touch_sectors(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                             uint64_t address, uint8_t mask, uint64_t again, uint64_t found[PLACES])
{
  const bool parts = array->profile->partitions > 1, replicate = parts && array->profile->replicate;
  const uint32_t near = array->places[sm];
  uint32_t home = near;
  uint8_t had = 0;

  if (!parts || replicate) {
    had = gc_cache_access_sectors(&array->instances[near], address, mask, &model->replacement);
    found[NEAR] += ones(had);
    found[NEAR] += again;
    mask &= (uint8_t)~had;
    if (!mask)
      return 0;
  }
  if (parts)
    home = gc_chip_home(array, address);
  if (parts && !(replicate && home == near)) {
    had = gc_cache_access_sectors(&array->instances[home], address, mask, &model->replacement);
    found[home == near ? NEAR : FAR] += ones(had) + (replicate ? 0 : again);
    mask &= (uint8_t)~had;
  }
  found[NOWHERE] += ones(mask);
  return mask;
}

/* Touches the sectors that missed in the L2 at the next level. Returns how many hit there. */
static unsigned touch_behind(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                             uint64_t address, uint8_t missed, uint32_t sector)
{
  uint32_t extra = 0;
  unsigned hits = 0;

  for (; missed; missed &= (uint8_t)(missed - 1))
    hits +=
        gc_walk_chip(model, array, sm, address + (uint64_t)__builtin_ctz(missed) * sector, &extra);
  return hits;
}

/* Loads that begin at a cache of the chip, if only memory or one more such cache is behind it. */
static uint64_t run_outside(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  uint64_t cycles = 0, found[PLACES] = {0}, behind = 0;

  while (count) {
    const uint64_t start = address, physical = gc_pages_physical(&model->pages, start);
    uint64_t again = 0;
    uint8_t mask = 0;

    do {
      const uint8_t bit = gc_cache_sector_of(array->instances, address);

      again += (mask & bit) != 0;
      mask |= bit;
      address += stride;
      count--;
    } while (count && (address ^ start) >> array->line_shift == 0);
    if (model->profile.tlb_count)
      cycles += gc_walk_translate(model, sm, start);
    mask = touch_sectors(model, array, sm, physical, mask, again, found);
    if (path->count == 3)
      behind += touch_behind(model, &model->arrays[path->levels[1].cache], sm,
                             physical >> array->line_shift << array->line_shift, mask,
                             array->profile->shape.sector);
  }
  return cycles + found[NEAR] * gc_walk_cycles(model, space, 0, 0) +
         found[FAR] * gc_walk_cycles(model, space, 0, array->profile->far_cycles) +
         behind * gc_walk_cycles(model, space, 1, 0) +
         (found[NOWHERE] - behind) * gc_walk_cycles(model, space, path->count - 1, 0);
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
    const uint64_t start = address;
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
  }
  return cycles + hits * gc_walk_cycles(model, space, 0, 0);
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
  uint64_t hits = 0, found[PLACES] = {0};

  while (count) {
    const uint64_t start = address;
    uint8_t *present = gc_cache_sectors(cache, address, &model->replacement), had = *present;
    uint64_t again = 0;
    uint8_t mask = 0;

    do {
      const uint8_t bit = gc_cache_sector_of(cache, address);

      if (had & bit) {
        hits++;
      } else {
        const uint8_t behind = gc_cache_sector_of(next->instances, address);

        had |= bit;
        again += (mask & behind) != 0;
        mask |= behind;
      }
      address += stride;
      count--;
    } while (count && (address ^ start) >> array->line_shift == 0);
    *present = had;
    if (mask)
      touch_sectors(model, next, sm, gc_pages_physical(&model->pages, start), mask, again, found);
  }
  return hits * gc_walk_cycles(model, space, 0, 0) +
         found[NEAR] * gc_walk_cycles(model, space, 1, 0) +
         found[FAR] * gc_walk_cycles(model, space, 1, next->profile->far_cycles) +
         found[NOWHERE] * gc_walk_cycles(model, space, 2, 0);
}

uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_path *path = &profile->paths[space];
  const bool whole = path->count > 2 && profile->whole_sectors;
  const struct gc_cache_array *first, *second;
  uint64_t cycles = 0;

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
  if (path->count == 3 && second->outside && second->line_shift >= first->line_shift &&
      !profile->tlb_count)
    return run_through(model, sm, space, address, stride, count);
  return run_inside(model, sm, space, address, stride, count);
}
