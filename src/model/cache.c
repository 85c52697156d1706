/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A set-associative cache: placement, replacement, lookup.
 */
#include "model/cache.h"

#include "model/aged.h"
#include "model/cache_set.h"
#include "model/fixed.h"
#include "model/placement.h"
#include "model/wide.h"
#include "model/wide_cache.h"

#include "util/scattered_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 64 /* bits of a line number */

void gc_cache_fini(struct gc_cache *cache)
{
  free(cache->tags);
  free(cache->kept);
  free(cache->counts);
  free(cache->step);
  free(cache->memory);
  free(cache->changed);
  gc_wide_free(cache->wide);
  memset(cache, 0, sizeof(*cache));
}

/* Whether lines are replaced by age. */
static inline bool by_age(const struct gc_cache_shape *shape)
{
  return shape->replacement == GC_REPLACE_LRU || shape->replacement == GC_REPLACE_SLRU;
}

static size_t changed_bytes(const struct gc_cache *cache)
{
  return (size_t)cache->sets_max * gc_fixed_changed_words(cache) * sizeof(*cache->changed);
}

int gc_cache_write_back(struct gc_cache *cache)
{
  if (cache->wide) {
    cache->wide->writes_back = true;
    return 0;
  }
  if (by_age(cache->shape)) {
    cache->writes_back = true;
    return 0;
  }
  cache->changed = calloc(1, changed_bytes(cache));
  return cache->changed ? 0 : -ENOMEM;
}

void gc_cache_empty(struct gc_cache *cache)
{
  if (!cache->used)
    return;
  cache->period += GC_SET_PERIOD;
  cache->last_line = UINT64_MAX;
  cache->duel = 0;
  cache->lines = 0;
  cache->turn = 0;
  cache->used = false;
  if (cache->counts)
    memset(cache->counts, 0, GC_AGED_COUNTS * sizeof(*cache->counts));
  if (cache->changed_lines)
    memset(cache->changed, 0, changed_bytes(cache));
  cache->changed_lines = 0;
}

uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address)
{
  return gc_placement_set(cache, address);
}

bool gc_cache_has(const struct gc_cache *cache, uint64_t address)
{
  if (cache->wide)
    return gc_wide_cache_has(cache, address);
  if (by_age(cache->shape))
    return gc_aged_has(cache, address);
  return gc_fixed_find(cache, gc_placement_set(cache, address), address) < cache->ways;
}

void gc_cache_change(struct gc_cache *cache, uint64_t address)
{
  const uint32_t set = gc_placement_set(cache, address);
  uint32_t way;

  if (cache->wide) {
    gc_wide_cache_change(cache, address);
  } else if (by_age(cache->shape)) {
    if (cache->writes_back)
      gc_aged_change(cache, address);
  } else if ((way = gc_fixed_find(cache, set, address)) < cache->ways) {
    gc_fixed_change(cache, set, way);
  }
}

bool gc_cache_has_any(const struct gc_cache *cache, uint64_t address, uint8_t *mask, unsigned count)
{
  if (cache->wide)
    return gc_wide_cache_has_any(cache, address, mask, count);
  for (unsigned i = 0; i < count; i++)
    if (mask[i] && gc_cache_has(cache, address + ((uint64_t)i << cache->line_shift)))
      return true;
  return false;
}

/* Lines that are accessed together, at most. */
#define TOGETHER 64

/* The number of ones in all bytes. */
static uint64_t count_ones(const uint8_t *bytes, unsigned count)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < count; i += 8) {
    uint64_t x = 0;

    memcpy(&x, bytes + i, count - i < 8 ? count - i : 8);
    sum += gc_ones(x);
  }
  return sum;
}

uint64_t gc_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                                const uint8_t *loads, const uint8_t *changes, unsigned count,
                                struct gc_random *random)
{
  const uint64_t first = address >> cache->line_shift;
  uint64_t missed = 0;
  unsigned i = 0;

  if (cache->wide)
    return gc_wide_cache_access_window(cache, address, mask, changes, count);
  while (i < count) {
    uint64_t lines[TOGETHER];
    uint8_t wanted[TOGETHER], times[TOGETHER], place[TOGETHER];
    const unsigned from = i, most = count - i < TOGETHER ? count - i : TOGETHER;
    unsigned n = 0;

    if (!changes && !memchr(mask + i, 0, most)) {
      for (; n < most; n++)
        lines[n] = (first + i + n) << cache->line_shift;
      cache->access_lines(cache, lines, mask + i, loads ? loads + i : NULL, n, random);
      missed += count_ones(mask + i, n);
      i += n;
      continue;
    }
    for (; i < count && i < from + (changes ? 1 : TOGETHER); i++) {
      lines[n] = (first + i) << cache->line_shift;
      wanted[n] = mask[i];
      times[n] = loads ? loads[i] : 1;
      place[n] = (uint8_t)(i - from);
      n += mask[i] != 0;
    }
    cache->access_lines(cache, lines, wanted, times, n, random);
    for (unsigned k = 0; k < n; k++) {
      mask[from + place[k]] = wanted[k];
      if (changes && changes[from])
        gc_cache_change(cache, lines[k]);
    }
    missed += count_ones(wanted, n);
  }
  return missed;
}

bool gc_cache_access_again(struct gc_cache *cache, uint64_t address, uint32_t apart, uint32_t count)
{
  return cache->wide && gc_wide_cache_access_again(cache, address, apart, count);
}

static gc_cache_access_lines *function_for(const struct gc_cache_shape *shape, bool limited)
{
  switch (shape->replacement) {
  case GC_REPLACE_LRU:
    if (limited)
      return gc_aged_access_limited_lru;
    return gc_aged_may_be_long(shape) ? gc_aged_access_long : gc_aged_access_lru;
  case GC_REPLACE_SLRU:
    return limited ? gc_aged_access_limited_slru : gc_aged_access_slru;
  default:
    if (shape->ways == 4 && shape->replacement == GC_REPLACE_RANDOM)
      return gc_fixed_access_random_four;
    if (shape->ways == 4 && shape->replacement == GC_REPLACE_PLRU)
      return gc_fixed_access_plru_four;
    return shape->ways <= GC_FIXED_FEW ? gc_fixed_access_few : gc_fixed_access;
  }
}

void gc_cache_resize(struct gc_cache *cache, uint32_t sets)
{
  gc_cache_empty(cache);
  cache->sets = sets;
  /* This equals floor(2^64 / sets) except for powers of two, where it is one less;
   * gc_placement_divide() corrects both. */
  cache->reciprocal = UINT64_MAX / sets;
  cache->above_mask = cache->shape->index.hash == GC_HASH_XOR ? sets - 1 : 0;
  cache->limit = 0;
  cache->placed_line = 0; /* of any hash: line 0 is in set 0 */
  cache->placed_set = 0;
  cache->access_lines = cache->wide ? gc_wide_cache_access : function_for(cache->shape, false);
}

void gc_cache_limit(struct gc_cache *cache, uint32_t lines)
{
  gc_cache_empty(cache);
  cache->limit = lines;
  cache->stride = gc_stride_of_turns(cache->sets);
  cache->access_lines = function_for(cache->shape, true);
}

int gc_cache_widen(struct gc_cache *cache)
{
  if (!gc_wide_cache_may_be(cache))
    return 0;
  cache->wide = gc_wide_new(cache->sets_max, cache->ways);
  if (!cache->wide)
    return -ENOMEM;
  free(cache->memory);
  cache->memory = cache->records = NULL;
  cache->access_lines = gc_wide_cache_access;
  return 0;
}

bool gc_cache_draws(const struct gc_cache_shape *shape)
{
  return shape->insertion != GC_INSERT_YOUNGEST || shape->replacement == GC_REPLACE_RANDOM ||
         shape->replacement == GC_REPLACE_WEIGHTED;
}

int gc_cache_init(struct gc_cache *cache, const struct gc_cache_shape *shape, uint32_t sets_max)
{
  const size_t align = GC_SET_HOST_LINE * sizeof(*cache->records);
  const enum gc_set_hash hash = shape->index.hash;

  memset(cache, 0, sizeof(*cache));
  cache->shape = shape;
  cache->sets_max = sets_max;
  cache->line_shift = (uint32_t)__builtin_ctz(shape->line);
  cache->sector_shift = (uint32_t)__builtin_ctz(shape->sector);
  cache->interleave_shift = (uint32_t)__builtin_ctz(shape->interleave);
  cache->other_shift = (uint32_t)__builtin_ctzll(GC_OTHER_HASH) - cache->line_shift;
  for (uint32_t way = 0; way < shape->ways; way++)
    cache->weight_sum += shape->weights[way];
  cache->ways = shape->ways;
  cache->in_turn = hash == GC_HASH_NONE && !shape->has_other && shape->interleave == shape->line;
  cache->rare_hash = (hash != GC_HASH_NONE && hash != GC_HASH_XOR) || shape->has_other;
  cache->record = by_age(shape) ? gc_aged_record_words(shape)
                                : gc_set_record_words(gc_set_layout(shape->ways));
  cache->tags = by_age(shape) ? NULL : calloc((size_t)sets_max * shape->ways, sizeof(*cache->tags));
  cache->counts =
    gc_aged_may_be_long(shape) ? calloc(GC_AGED_COUNTS, sizeof(*cache->counts)) : NULL;
  cache->kept = shape->replacement == GC_REPLACE_SLRU ? calloc(sets_max, 1) : NULL;
  /* Not aligned_alloc and memset: the host provides pages when they are used. */
  cache->memory = calloc((size_t)sets_max * cache->record * sizeof(*cache->records) + align, 1);
  cache->step = calloc(STEPS, sizeof(*cache->step));
  if ((!cache->tags && !by_age(shape)) || !cache->memory || !cache->step ||
      (gc_aged_may_be_long(shape) && !cache->counts) ||
      (shape->replacement == GC_REPLACE_SLRU && !cache->kept)) {
    gc_cache_fini(cache);
    return -ENOMEM;
  }
  for (uint32_t bit = 0; bit < STEPS && hash == GC_HASH_MASKS; bit++)
    cache->step[bit] =
        (uint16_t)gc_placement_masked(&shape->index, ((2ull << bit) - 1) << cache->line_shift);
  cache->records = (uint64_t *)(((uintptr_t)cache->memory + align - 1) & -(uintptr_t)align);
  cache->used = true;
  gc_cache_resize(cache, sets_max);
  return 0;
}
