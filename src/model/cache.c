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

#include "util/turns.h"

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
  if (cache->wide)
    cache->wide->uppers = 0;
}

uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address)
{
  return gc_placement_set(cache, address);
}

/* A line as a wide cache knows it, in the set that its unit (its bytes in one set) is in. */
static inline struct gc_wide_line wide_line(const struct gc_cache *cache, uint64_t line)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift;
  uint32_t low;
  const uint64_t above = gc_placement_divide(cache, line >> shift, &low);

  return gc_wide_line(cache->wide, low ^ ((uint32_t)above & cache->above_mask),
                      above << shift | (line & ((1u << shift) - 1)));
}

/* The way of a wide cache that has the line at this address; cache->ways: none. */
static uint32_t wide_way(const struct gc_cache *cache, uint64_t address, struct gc_wide_line *line)
{
  *line = wide_line(cache, address >> cache->line_shift);
  return gc_wide_find(cache->wide, line, cache->period);
}

bool gc_cache_has(const struct gc_cache *cache, uint64_t address)
{
  struct gc_wide_line line;

  if (cache->wide)
    return wide_way(cache, address, &line) < cache->ways;
  if (by_age(cache->shape))
    return gc_aged_has(cache, address);
  return gc_fixed_find(cache, gc_placement_set(cache, address), address) < cache->ways;
}

void gc_cache_change(struct gc_cache *cache, uint64_t address)
{
  const uint32_t set = gc_placement_set(cache, address);
  struct gc_wide_line line;
  uint32_t way;

  if (cache->wide) {
    if ((way = wide_way(cache, address, &line)) < cache->ways)
      gc_wide_change(cache->wide, &line, way);
  } else if (by_age(cache->shape)) {
    if (cache->writes_back)
      gc_aged_change(cache, address);
  } else if ((way = gc_fixed_find(cache, set, address)) < cache->ways) {
    gc_fixed_change(cache, set, way);
  }
}

static void access_wide(struct gc_cache *cache, const uint64_t *address, uint8_t *mask,
                        const uint8_t *loads, unsigned n, struct gc_random *random)
{
  (void)loads;
  (void)random;
  cache->used = true;
  for (unsigned i = 0; i < n; i++) {
    const struct gc_wide_line line = wide_line(cache, address[i] >> cache->line_shift);

    cache->last_line = address[i] >> cache->line_shift;
    cache->last_sectors =
      gc_wide_access(cache->wide, &line, cache->period, &cache->written_back);
    mask[i] &= (uint8_t)~*cache->last_sectors;
    *cache->last_sectors |= mask[i];
  }
}

/* Accesses those lines of a wide cache that are in adjacent sets of one block and have the same
 * key: `line` and every `step`th one behind it, up to `count` ones. The hash may put them into
 * another order in the block. */
static void access_block(struct gc_cache *cache, uint64_t line, uint8_t *mask,
                         const uint8_t *changes, uint32_t step, uint32_t count)
{
  const struct gc_wide_line first = wide_line(cache, line);
  const uint32_t shift = cache->interleave_shift - cache->line_shift;
  uint32_t low, turn;
  uint8_t lanes[GC_WIDE_LANES] = {0}, stores[GC_WIDE_LANES] = {0};

  gc_placement_divide(cache, line >> shift, &low);
  turn = (low ^ first.lane) % GC_WIDE_LANES;
  for (uint32_t i = 0; i < count; i++)
    lanes[(low + i) % GC_WIDE_LANES ^ turn] = mask[i * step];
  for (uint32_t i = 0; changes && i < count; i++)
    stores[(low + i) % GC_WIDE_LANES ^ turn] = changes[i * step];
  gc_wide_access_block(cache->wide, &first, cache->period, lanes, stores, &cache->written_back);
  for (uint32_t i = 0; i < count; i++)
    mask[i * step] = lanes[(low + i) % GC_WIDE_LANES ^ turn];
}

/* Lines of one unit are in the same set. They differ in their keys, and come one after another. */
static void access_wide_window(struct gc_cache *cache, uint64_t first, uint8_t *mask,
                               const uint8_t *changes, unsigned count)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift, each = 1u << shift;
  const uint64_t end = first + count;
  uint64_t line = first;

  cache->used = true;
  cache->last_line = UINT64_MAX;
  while (line < end) {
    uint32_t low, units;
    uint64_t next;

    gc_placement_divide(cache, line >> shift, &low);
    units = GC_WIDE_LANES - low % GC_WIDE_LANES;
    units = units < cache->sets - low ? units : cache->sets - low;
    next = ((line >> shift) + units) << shift;
    next = next < end ? next : end;
    for (uint32_t phase = 0; phase < each; phase++) {
      const uint64_t from = line + ((phase - (uint32_t)line) & (each - 1));

      if (from < next)
        access_block(cache, from, mask + (from - first),
                     changes ? changes + (from - first) : NULL, each,
                     (uint32_t)((next - from + each - 1) >> shift));
    }
    line = next;
  }
}

/* Lines that are accessed together, at most. */
#define TOGETHER 64

void gc_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                            const uint8_t *loads, const uint8_t *changes, unsigned count,
                            struct gc_random *random)
{
  const uint64_t first = address >> cache->line_shift;
  unsigned i = 0;

  if (cache->wide) {
    access_wide_window(cache, first, mask, changes, count);
    return;
  }
  while (i < count) {
    uint64_t lines[TOGETHER];
    uint8_t wanted[TOGETHER], times[TOGETHER], place[TOGETHER];
    const unsigned from = i;
    unsigned n = 0;

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
  }
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
  cache->above_mask = cache->shape->hash == GC_HASH_XOR ? sets - 1 : 0;
  cache->limit = 0;
  cache->access_lines = cache->wide ? access_wide : function_for(cache->shape, false);
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
  const struct gc_cache_shape *shape = cache->shape;

  if (shape->replacement != GC_REPLACE_LRU || shape->insertion != GC_INSERT_YOUNGEST ||
      (shape->hash != GC_HASH_NONE && shape->hash != GC_HASH_XOR) ||
      shape->ways > GC_WIDE_WAYS_MAX ||
      (uint64_t)cache->sets_max * shape->line < GC_WIDE_SET_BYTES)
    return 0;
  cache->wide = gc_wide_new(cache->sets_max, shape->ways);
  if (!cache->wide)
    return -ENOMEM;
  free(cache->memory);
  cache->memory = cache->records = NULL;
  cache->access_lines = access_wide;
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

  memset(cache, 0, sizeof(*cache));
  cache->shape = shape;
  cache->sets_max = sets_max;
  cache->line_shift = (uint32_t)__builtin_ctz(shape->line);
  cache->sector_shift = (uint32_t)__builtin_ctz(shape->sector);
  cache->interleave_shift = (uint32_t)__builtin_ctz(shape->interleave);
  for (uint32_t way = 0; way < shape->ways; way++)
    cache->weight_sum += shape->weights[way];
  cache->ways = shape->ways;
  cache->rare_hash =
      shape->hash == GC_HASH_SKEW || shape->hash == GC_HASH_BITS || shape->hash == GC_HASH_MASKS;
  cache->record = by_age(shape) ? gc_aged_record_words(shape)
                                : gc_set_record_words(gc_set_layout(shape->ways));
  cache->tags = by_age(shape) ? NULL : malloc((size_t)sets_max * shape->ways * sizeof(*cache->tags));
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
  for (uint32_t bit = 0; bit < STEPS && shape->hash == GC_HASH_MASKS; bit++)
    cache->step[bit] = (uint16_t)gc_placement_masked(shape, ((2ull << bit) - 1) << cache->line_shift);
  cache->records = (uint64_t *)(((uintptr_t)cache->memory + align - 1) & -(uintptr_t)align);
  cache->used = true;
  gc_cache_resize(cache, sets_max);
  return 0;
}
