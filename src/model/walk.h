/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of one load down the levels of its path. For the files of the model. Most functions are
 * inline, because hundreds of millions of loads go this way.
 */
#ifndef GC_MODEL_WALK_H
#define GC_MODEL_WALK_H

#include "model/chip.h"

/* Constant space is small and starts near 0. In caches that all spaces share it must not overlap
 * global memory, whose addresses are below this bit. */
#define CONSTANT_SPACE (1ull << 56)
#define INSTRUCTION_SPACE (1ull << 57)

/* Between two loads of an SM come loads of those that share the cache. */
void gc_walk_compete(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     uint64_t address);

/* A load at a cache of the chip or of an XCD, by its physical address. *extra: the additional
 * latency of a hit in a far partition. */
static inline bool gc_walk_chip(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                                uint64_t address, uint32_t *extra)
{
  const uint32_t near = array->places[sm];
  uint32_t home;
  bool hit;

  if (array->profile->partitions == 1)
    return gc_cache_access(&array->instances[near], address, &model->replacement);
  if (array->profile->replicate &&
      gc_cache_access(&array->instances[near], address, &model->replacement))
    return true;
  home = gc_chip_home(array, address);
  if (array->profile->replicate && home == near)
    return false;
  hit = gc_cache_access(&array->instances[home], address, &model->replacement);
  if (hit && home != near)
    *extra = array->profile->far_cycles;
  return hit;
}

/* The instance of a cache inside the SMs that loads of this SM go through. */
static inline struct gc_cache *gc_walk_own(const struct gc_model *model,
                                           const struct gc_cache_array *array, uint32_t sm)
{
  uint32_t at = array->places[sm];

  if (array->profile->instances > 1)
    at += model->unit % array->profile->instances;
  return &array->instances[at];
}

/* A load at one cache. Returns whether it had the address; *extra as above. */
static inline bool gc_walk_level(struct gc_model *model, int index, uint32_t sm, uint64_t address,
                                 uint32_t *extra)
{
  struct gc_cache_array *array = &model->arrays[index];

  if (array->outside)
    return gc_walk_chip(model, array, sm, gc_pages_physical(&model->pages, address), extra);
  if (array->compete.active)
    gc_walk_compete(model, array, sm, address);
  return gc_cache_access(gc_walk_own(model, array, sm), address, &model->replacement);
}

/* Brings `bytes` bytes at a multiple of that size to this level of the path, and what is missing
 * there from the levels behind, in whole sectors of each level. */
void gc_walk_fetch(struct gc_model *model, uint32_t sm, const struct gc_profile_path *path,
                   unsigned level, uint64_t address, uint32_t bytes);

/* After a miss at `level`: fetches the rest of the sector from the next level, which has seen the
 * address itself. */
static inline void gc_walk_fetch_rest(struct gc_model *model, uint32_t sm,
                                      const struct gc_profile_path *path, unsigned level,
                                      uint64_t address)
{
  const uint32_t sector = model->profile.caches[path->levels[level].cache].shape.sector;

  gc_walk_fetch(model, sm, path, level + 1, address & -(uint64_t)sector, sector);
}

/* A TLB is asked for an address. Returns whether it had it. */
static inline bool gc_walk_tlb(struct gc_model *model, struct gc_cache_array *tlb, uint32_t sm,
                               uint64_t address)
{
  const uint32_t set = tlb->set_of ? tlb->set_of[(address >> tlb->line_shift) % tlb->entries] : 0;

  return gc_cache_access(&tlb->instances[tlb->places[sm] + set], address, &model->replacement);
}

/* The cycles that it takes to translate an address: the penalties of all TLBs that do not have
 * it. */
static inline uint32_t gc_walk_translate(struct gc_model *model, uint32_t sm, uint64_t address)
{
  uint32_t cycles = 0;

  for (unsigned i = 0; i < model->profile.tlb_count; i++) {
    if (gc_walk_tlb(model, &model->tlbs[i], sm, address))
      break;
    cycles += model->profile.tlbs[i].penalty;
  }
  return cycles;
}

/* Whether loads that reach this level have physical addresses: caches outside the SMs and device
 * memory have, shared memory has not. */
static inline bool gc_walk_outside(const struct gc_model *model, enum gc_space space,
                                   unsigned level)
{
  const int cache = model->profile.paths[space].levels[level].cache;

  return cache == GC_PROFILE_MEMORY ? space != GC_SPACE_SHARED : model->arrays[cache].outside;
}

/* The cycles of a load that this level answers, at the present SM clock. */
static inline uint32_t gc_walk_cycles(const struct gc_model *model, enum gc_space space,
                                      unsigned level, uint32_t extra)
{
  const uint32_t cycles = model->profile.paths[space].levels[level].cycles + extra;

  return model->own_clock[space][level] ? (uint32_t)(cycles * model->clock_share + 0.5) : cycles;
}

/* The same for loads by this SM. */
static inline uint32_t gc_walk_sm_cycles(const struct gc_model *model, uint32_t sm,
                                         enum gc_space space, unsigned level, uint32_t extra)
{
  if (model->profile.sm_spread && gc_walk_outside(model, space, level))
    extra += (uint32_t)gc_chip_offset(model, sm); /* modulo 2^32; the sum is positive */
  return gc_walk_cycles(model, space, level, extra);
}

/* The address by which caches know a load of this space. */
static inline uint64_t gc_walk_address(enum gc_space space, uint64_t address)
{
  if (space == GC_SPACE_CONSTANT)
    return address + CONSTANT_SPACE;
  return space == GC_SPACE_INSTRUCTION ? address + INSTRUCTION_SPACE : address;
}

/* The address by which the first cache of a path knows it. */
static inline uint64_t gc_walk_first(const struct gc_profile_path *path, uint64_t address)
{
  return path->other_hash ? address | GC_OTHER_HASH : address;
}

/* Walks from this level on. Returns the first level that has the address; *cycles: its latency. */
static inline unsigned gc_walk_from(struct gc_model *model, uint32_t sm, enum gc_space space,
                                    unsigned level, uint64_t address, uint32_t *cycles)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const unsigned last = path->count - 1;
  uint32_t extra = 0;

  while (level < last && !gc_walk_level(model, path->levels[level].cache, sm,
                                        level ? address : gc_walk_first(path, address), &extra))
    level++;
  for (unsigned missed = 0; missed < level && model->profile.whole_sectors; missed++)
    gc_walk_fetch_rest(model, sm, path, missed, address);
  if (model->profile.tlb_count && gc_walk_outside(model, space, level))
    extra += gc_walk_translate(model, sm, address);
  *cycles = gc_walk_sm_cycles(model, sm, space, level, extra);
  return level;
}

/* An untimed load: its cycles without noise. 0: the profile does not have the space. */
static inline uint32_t gc_walk_touch(struct gc_model *model, uint32_t sm, enum gc_space space,
                                     uint64_t address)
{
  uint32_t cycles = 0;

  if (model->profile.paths[space].count)
    gc_walk_from(model, sm, space, 0, gc_walk_address(space, address), &cycles);
  return cycles;
}

#endif
