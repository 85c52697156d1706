/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wide caches: LRU caches outside the SMs that keep adjacent sets together (wide.h). Only for cache.c.
 */
#ifndef GC_MODEL_WIDE_CACHE_H
#define GC_MODEL_WIDE_CACHE_H

#include "model/cache_state.h"

/* Whether the shape of the cache is that of a wide one. */
bool gc_wide_cache_may_be(const struct gc_cache *cache);

gc_cache_access_lines gc_wide_cache_access;

/* The functions of cache.h with these names, for wide caches. */
bool gc_wide_cache_has(const struct gc_cache *cache, uint64_t address);
bool gc_wide_cache_has_any(const struct gc_cache *cache, uint64_t address, uint8_t *mask,
                           unsigned count);
void gc_wide_cache_change(struct gc_cache *cache, uint64_t address);
uint64_t gc_wide_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                                     const uint8_t *changes, unsigned count);
bool gc_wide_cache_access_again(struct gc_cache *cache, uint64_t address, uint32_t apart,
                                uint32_t count);

#endif
