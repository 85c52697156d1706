/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets whose lines are replaced by age: LRU and SLRU. A set is the list of its lines, from the
 * youngest to the oldest; those that SLRU protects come first. Using a line moves it in the list.
 * Before the list is a word with the period of the cache plus the number of lines. Only for
 * cache.c.
 */
#ifndef GC_MODEL_AGED_H
#define GC_MODEL_AGED_H

#include "model/cache_state.h"

static inline uint32_t gc_aged_record_words(uint32_t ways)
{
  return 1 + ways;
}

gc_cache_access_lines gc_aged_access_lru, gc_aged_access_slru;
/* For caches with a limit. */
gc_cache_access_lines gc_aged_access_limited_lru, gc_aged_access_limited_slru;

/* Whether the line at this address is present. A store changes it. */
bool gc_aged_has(const struct gc_cache *cache, uint64_t address);
void gc_aged_change(struct gc_cache *cache, uint64_t address);

#endif
