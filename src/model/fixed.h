/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets whose lines are not replaced by age but by a tree (PLRU) or by random numbers: each line
 * stays in its way (cache_set.h). Only for cache.c.
 */
#ifndef GC_MODEL_FIXED_H
#define GC_MODEL_FIXED_H

#include "model/cache_state.h"

/* gc_fixed_access_few: for sets of at most GC_FIXED_FEW ways; _plru_four, _random_four: for four
 * ways and this replacement. */
#define GC_FIXED_FEW 8
gc_cache_access_lines gc_fixed_access, gc_fixed_access_few, gc_fixed_access_plru_four,
    gc_fixed_access_random_four;

/* The way that has the line at this address; cache->ways: none. */
uint32_t gc_fixed_find(const struct gc_cache *cache, uint32_t set, uint64_t address);
/* A store has changed the line in this way. */
void gc_fixed_change(struct gc_cache *cache, uint32_t set, uint32_t way);

/* Words of `changed` for each set. */
static inline uint32_t gc_fixed_changed_words(const struct gc_cache *cache)
{
  return (cache->ways + 63) / 64;
}

#endif
