/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets whose lines are replaced by age: LRU and SLRU. A set is the list of its lines, from the
 * youngest to the oldest; those that SLRU protects come first. Using a line moves it in the list.
 * Before the list is a word with the period of the cache plus the number of lines. Only for
 * cache.c.
 *
 * The list of an LRU set with many ways is circular, and does not move if the oldest line is used
 * or replaced. Before it are two more words: the place of the youngest line, and where the last line
 * was found. The next younger one is there now, which a walk uses next. A count of the lines with
 * the same low bits says of most lines that are absent that they are, without a search.
 */
#ifndef GC_MODEL_AGED_H
#define GC_MODEL_AGED_H

#include "model/cache_state.h"

#define GC_AGED_LONG 32 /* ways from which on it is faster */
#define GC_AGED_COUNTS 4096 /* a ring of fewer lines has no two with the same low bits */

static inline bool gc_aged_may_be_long(const struct gc_cache_shape *shape)
{
  return shape->replacement == GC_REPLACE_LRU && shape->insertion == GC_INSERT_YOUNGEST &&
         shape->ways >= GC_AGED_LONG;
}

static inline uint32_t gc_aged_record_words(const struct gc_cache_shape *shape)
{
  return (gc_aged_may_be_long(shape) ? 3 : 1) + shape->ways;
}

gc_cache_access_lines gc_aged_access_lru, gc_aged_access_slru, gc_aged_access_long;
/* For caches with a limit. */
gc_cache_access_lines gc_aged_access_limited_lru, gc_aged_access_limited_slru;

/* Whether the line at this address is present. A store changes it. */
bool gc_aged_has(const struct gc_cache *cache, uint64_t address);
void gc_aged_change(struct gc_cache *cache, uint64_t address);

#endif
