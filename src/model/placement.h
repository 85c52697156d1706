/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a line goes: its set, and whether it comes in as the oldest line there. Only for cache.c,
 * aged.c and fixed.c.
 */
#ifndef GC_MODEL_PLACEMENT_H
#define GC_MODEL_PLACEMENT_H

#include "model/cache_state.h"

/* value / sets, and value % sets in *rest. The product is at most 1 below the quotient. */
static inline uint64_t gc_placement_divide(const struct gc_cache *cache, uint64_t value, uint32_t *rest)
{
  uint64_t quotient = (uint64_t)((unsigned __int128)value * cache->reciprocal >> 64);
  uint64_t left = value - quotient * cache->sets;

  if (left >= cache->sets) {
    left -= cache->sets;
    quotient++;
  }
  *rest = (uint32_t)left;
  return quotient;
}

static inline uint32_t gc_placement_masked(const struct gc_cache_index *index, uint64_t address)
{
  uint32_t set = 0;

  for (uint32_t i = 0; i < index->bit_count; i++)
    set |= (uint32_t)__builtin_parityll(address & index->masks[i]) << i;
  return set;
}

/* Set hashes that few GPUs have, and caches that have two hashes. */
static inline uint32_t gc_placement_rare(const struct gc_cache *cache, uint64_t address)
{
  const struct gc_cache_index *index =
      address & GC_OTHER_HASH ? &cache->shape->other : &cache->shape->index;
  uint64_t above;
  uint32_t set;

  address &= ~GC_OTHER_HASH;
  if (index->hash == GC_HASH_MASKS)
    return gc_placement_masked(index, address);
  above = gc_placement_divide(cache, address >> cache->interleave_shift, &set);
  if (index->hash == GC_HASH_XOR)
    set ^= (uint32_t)above & (cache->sets - 1);
  else if (index->hash == GC_HASH_SKEW)
    gc_placement_divide(cache, above * 61 + set, &set);
  else
    for (uint32_t i = 0; i < index->bit_count; i++)
      set ^= (uint32_t)(address >> index->bits[i] & 1) << i;
  return set;
}

static inline uint32_t gc_placement_set(const struct gc_cache *cache, uint64_t address)
{
  uint64_t above;
  uint32_t set;

  if (cache->rare_hash)
    return gc_placement_rare(cache, address);
  above = gc_placement_divide(cache, address >> cache->interleave_shift, &set);
  return set ^ ((uint32_t)above & cache->above_mask);
}

/* The set of a line. `set` is that of the line `other`. Where a hash of masks applies, the exclusive
 * or of both sets depends only on that of both lines. It is a sum of lowest bits, one for each bit
 * that differs from the one above it, and adjacent lines have one such bit. */
static inline uint32_t gc_placement_far(const struct gc_cache *cache, uint64_t address,
                                        uint64_t other, uint32_t set)
{
  const uint64_t line = address >> cache->line_shift, different = line ^ other;

  if (cache->shape->index.hash != GC_HASH_MASKS || (line | other) >> cache->other_shift)
    return gc_placement_set(cache, address);
  for (uint64_t ends = different ^ different >> 1; ends; ends &= ends - 1)
    set ^= cache->step[__builtin_ctzll(ends)];
  return set;
}

/* The same. Without a hash, lines are in sets in turn. */
__attribute__((always_inline)) static inline uint32_t
gc_placement_next(const struct gc_cache *cache, uint64_t address, uint64_t other, uint32_t set)
{
  if (cache->in_turn && address >> cache->line_shift == other + 1)
    return set + 1 < cache->sets ? set + 1 : 0;
  return gc_placement_far(cache, address, other, set);
}

/* One set in so many leads each side of a duel. The counter has the bounds of the 10 bits that it
 * has in hardware. */
#define GC_LEAD_EVERY 32
#define GC_DUEL_MAX 512

static inline bool gc_placement_duel(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  const struct gc_cache_shape *shape = cache->shape;

  if (shape->insertion == GC_INSERT_DUEL && set % GC_LEAD_EVERY == 0) {
    cache->duel += cache->duel < GC_DUEL_MAX;
    return false;
  }
  if (shape->insertion == GC_INSERT_DUEL && set % GC_LEAD_EVERY == GC_LEAD_EVERY / 2)
    cache->duel -= cache->duel > -GC_DUEL_MAX;
  else if (shape->insertion == GC_INSERT_DUEL && cache->duel <= 0)
    return false;
  return gc_random_below(random, shape->insert_every);
}

/* Whether the line that just missed comes in as the oldest one. */
static inline bool gc_placement_old(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  return cache->shape->insertion != GC_INSERT_YOUNGEST && gc_placement_duel(cache, set, random);
}

#endif
