/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One set-associative cache. It stores no data, only which sectors of which lines are present, in
 * arrays that are allocated once. Hundreds of millions of accesses must be affordable. So all that
 * most accesses need of a set is in few cache lines of the host, LRU caches outside the SMs keep
 * adjacent sets together (wide.h), emptying a cache changes one number, and the line used last is
 * found without a search.
 */
#ifndef GC_MODEL_CACHE_H
#define GC_MODEL_CACHE_H

#include "model/cache_state.h"

/* sets_max: the largest number of sets that the cache will have. The shape must outlive the cache.
 * Returns 0 or -ENOMEM. */
int gc_cache_init(struct gc_cache *cache, const struct gc_cache_shape *shape, uint32_t sets_max);
void gc_cache_fini(struct gc_cache *cache);

/* Makes the cache wide if its shape allows it (gc_wide_cache_may_be). It must be empty, and never
 * gets a limit. 0 or -ENOMEM. */
int gc_cache_widen(struct gc_cache *cache);

/* Empties the cache; _resize also sets the number of sets, 1 to sets_max, which have as many lines
 * as ways then. */
void gc_cache_resize(struct gc_cache *cache, uint32_t sets);
void gc_cache_empty(struct gc_cache *cache);

/* Empties the cache. From now on, all its sets together have space for so many lines only. A line
 * that comes into a full set replaces one of this set, as always. A line that comes into a set with
 * a free way while all space is used removes a line from another set: the sets lose one in turn, in
 * an order unlike that of their numbers, and each the line that it would lose if it were full. The
 * replacement must be LRU or SLRU. */
void gc_cache_limit(struct gc_cache *cache, uint32_t lines);

/* Makes the cache keep track of lines that stores change, so that they are written back when they
 * are replaced. 0 or -ENOMEM. */
int gc_cache_write_back(struct gc_cache *cache);
/* A store has changed the line at this address. Nothing happens if it is not present. */
void gc_cache_change(struct gc_cache *cache, uint64_t address);

/* Whether accesses take random numbers. */
bool gc_cache_draws(const struct gc_cache_shape *shape);

/* Whether the line at this address is present. Changes nothing. */
bool gc_cache_has(const struct gc_cache *cache, uint64_t address);

/* The same for `count` adjacent lines, the first one at this address: whether any of those with a
 * mask is present. */
bool gc_cache_has_any(const struct gc_cache *cache, uint64_t address, uint8_t *mask,
                      unsigned count);

/* The set of the line at this address. */
uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address);

/* Accesses `count` adjacent lines, the first one at this address, in order: the sectors mask[i]; 0:
 * none. Afterwards mask[i] has those of them that were absent. Returns how many sectors these are.
 * loads: see gc_cache_access_lines. changes[i]: not 0 if it is a store, which changes the line; NULL:
 * there are none. */
uint64_t gc_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                                const uint8_t *loads, const uint8_t *changes, unsigned count,
                                struct gc_random *random);

/* Accesses the first sectors of `count` lines, `apart` bytes apart, in order, if all of them are
 * present. If not, or if the cache is not wide, it does nothing and returns false. Takes less time
 * if the same lines were accessed in this way since a line came into the cache. */
bool gc_cache_access_again(struct gc_cache *cache, uint64_t address, uint32_t apart,
                           uint32_t count);

/* The sectors of the line at address that are present, one bit each, to be read and written until
 * another line is used. The line becomes the one used last. */
static inline uint8_t *gc_cache_sectors(struct gc_cache *cache, uint64_t address,
                                        struct gc_random *random)
{
  uint8_t none = 0;

  if (address >> cache->line_shift != cache->last_line)
    cache->access_lines(cache, &address, &none, NULL, 1, random);
  return cache->last_sectors;
}

/* Accesses several sectors of the line at address, one bit each. Returns the sectors that were
 * present. Afterwards all of them are. */
static inline uint8_t gc_cache_access_sectors(struct gc_cache *cache, uint64_t address,
                                              uint8_t mask, struct gc_random *random)
{
  uint8_t *const present = gc_cache_sectors(cache, address, random), had = *present;

  *present = had | mask;
  return had & mask;
}

/* The bit of an address's sector. */
static inline uint8_t gc_cache_sector_of(const struct gc_cache *cache, uint64_t address)
{
  const uint32_t index = (uint32_t)(address >> cache->sector_shift) &
                         ((1u << (cache->line_shift - cache->sector_shift)) - 1);

  return (uint8_t)(1u << index);
}

/* One access: returns whether the sector was present. Afterwards it is. */
static inline bool gc_cache_access(struct gc_cache *cache, uint64_t address,
                                   struct gc_random *random)
{
  return gc_cache_access_sectors(cache, address, gc_cache_sector_of(cache, address), random);
}

#endif
