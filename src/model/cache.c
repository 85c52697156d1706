/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A set-associative cache: placement, replacement, lookup.
 */
#include "model/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gc_cache_init(struct gc_cache *cache, const struct gc_cache_shape *shape, uint32_t sets_max)
{
  const size_t slots = (size_t)sets_max * shape->ways;

  memset(cache, 0, sizeof(*cache));
  cache->shape = shape;
  cache->sets_max = sets_max;
  cache->line_shift = (uint32_t)__builtin_ctz(shape->line);
  cache->sector_shift = (uint32_t)__builtin_ctz(shape->sector);
  cache->interleave_shift = (uint32_t)__builtin_ctz(shape->interleave);
  for (uint32_t way = 0; way < shape->ways; way++)
    cache->weight_sum += shape->weights[way];
  cache->tags = malloc(slots * sizeof(*cache->tags));
  cache->sectors = malloc(slots);
  cache->filled = calloc(sets_max, 1);
  cache->young = calloc(sets_max, 1);
  if (shape->replacement == GC_REPLACE_PLRU)
    cache->tree = calloc((size_t)sets_max * 2, sizeof(*cache->tree));
  if (!cache->tags || !cache->sectors || !cache->filled || !cache->young ||
      (shape->replacement == GC_REPLACE_PLRU && !cache->tree)) {
    gc_cache_fini(cache);
    return -ENOMEM;
  }
  cache->used = true;
  gc_cache_resize(cache, sets_max);
  return 0;
}

void gc_cache_fini(struct gc_cache *cache)
{
  free(cache->tags);
  free(cache->sectors);
  free(cache->filled);
  free(cache->young);
  free(cache->tree);
  memset(cache, 0, sizeof(*cache));
}

void gc_cache_empty(struct gc_cache *cache)
{
  if (!cache->used)
    return;
  memset(cache->filled, 0, cache->sets_max);
  if (cache->tree)
    memset(cache->tree, 0, (size_t)cache->sets_max * 2 * sizeof(*cache->tree));
  cache->last_line = UINT64_MAX;
  cache->duel = 0;
  cache->used = false;
}

void gc_cache_resize(struct gc_cache *cache, uint32_t sets)
{
  gc_cache_empty(cache);
  cache->sets = sets;
  /* This equals floor(2^64 / sets) except for powers of two, where it is one less; divide()
   * corrects both. */
  cache->reciprocal = UINT64_MAX / sets;
}

/* value / sets, and value % sets in *rest. The product is at most 1 below the quotient. */
static inline uint64_t divide(const struct gc_cache *cache, uint64_t value, uint32_t *rest)
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

static inline uint32_t set_of(const struct gc_cache *cache, uint64_t address)
{
  uint32_t set, skewed;
  const uint64_t above = divide(cache, address >> cache->interleave_shift, &set);

  switch (cache->shape->hash) {
  case GC_HASH_XOR:
    set ^= (uint32_t)above & (cache->sets - 1);
    break;
  case GC_HASH_SKEW:
    divide(cache, above * 61 + set, &skewed);
    set = skewed;
    break;
  case GC_HASH_BITS:
    for (uint32_t i = 0; i < cache->shape->hash_bit_count; i++)
      set ^= (uint32_t)(address >> cache->shape->hash_bits[i] & 1) << i;
    break;
  case GC_HASH_NONE:
    break;
  }
  return set;
}

uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address)
{
  return set_of(cache, address);
}

/* The tree of a set: bit n belongs to node n and states which half has the older ways (0 left, 1
 * right). */
static void plru_touch(uint64_t tree[2], uint32_t ways, uint32_t way)
{
  uint32_t node = 1;

  for (uint32_t half = ways / 2; half; half /= 2) {
    const bool right = way & half;

    if (right)
      tree[node / 64] &= ~(1ull << node % 64);
    else
      tree[node / 64] |= 1ull << node % 64;
    node = 2 * node + right;
  }
}

static uint32_t plru_victim(const uint64_t tree[2], uint32_t ways)
{
  uint32_t node = 1;

  while (node < ways)
    node = 2 * node + (tree[node / 64] >> node % 64 & 1);
  return node - ways;
}

static uint32_t weighted_way(const struct gc_cache *cache, struct gc_random *random)
{
  uint32_t left = gc_random_below(random, cache->weight_sum), way = 0;

  while (left >= cache->shape->weights[way])
    left -= cache->shape->weights[way++];
  return way;
}

/* Of so many sets, one leads each side of a duel; the counter is bounded as its 10 bits are in
 * hardware. */
#define LEAD_EVERY 32
#define DUEL_MAX 512

/* Whether the line that just missed comes in as the oldest one. */
static bool comes_in_old(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  const struct gc_cache_shape *shape = cache->shape;

  if (shape->insertion == GC_INSERT_YOUNGEST)
    return false;
  if (shape->insertion == GC_INSERT_DUEL && set % LEAD_EVERY == 0) {
    cache->duel += cache->duel < DUEL_MAX;
    return false;
  }
  if (shape->insertion == GC_INSERT_DUEL && set % LEAD_EVERY == LEAD_EVERY / 2)
    cache->duel -= cache->duel > -DUEL_MAX;
  else if (shape->insertion == GC_INSERT_DUEL && cache->duel <= 0)
    return false;
  return gc_random_below(random, shape->insert_every);
}

/* The way for a new line. */
static uint32_t victim(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  const uint32_t ways = cache->shape->ways;

  if (cache->filled[set] < ways)
    return cache->filled[set]++;
  switch (cache->shape->replacement) {
  case GC_REPLACE_PLRU:
    return plru_victim(cache->tree + 2 * (size_t)set, ways);
  case GC_REPLACE_RANDOM:
    return gc_random_below(random, ways);
  case GC_REPLACE_WEIGHTED:
    return weighted_way(cache, random);
  case GC_REPLACE_LRU:
    break;
  }
  return 0;
}

/* The way from `way` to `end` that has the line; `end`: none. Compares four at a time, because
 * usually no way has it. */
static inline uint32_t way_of(const uint64_t *tags, uint32_t way, uint32_t end, uint64_t line)
{
  while (way + 4 <= end && !((tags[way] == line) | (tags[way + 1] == line) |
                             (tags[way + 2] == line) | (tags[way + 3] == line)))
    way += 4;
  while (way < end && tags[way] != line)
    way++;
  return way;
}

/* Moves the lines from the youngest to the one in `way` by one way, so that the youngest way
 * becomes free. */
static void grow_older(uint64_t *tags, uint8_t *sectors, uint32_t ways, uint32_t young,
                       uint32_t way)
{
  if (way < young) { /* the ring continues from the last way at the first */
    memmove(tags + 1, tags, way * sizeof(*tags));
    memmove(sectors + 1, sectors, way);
    tags[0] = tags[ways - 1];
    sectors[0] = sectors[ways - 1];
    way = ways - 1;
  }
  memmove(tags + young + 1, tags + young, (way - young) * sizeof(*tags));
  memmove(sectors + young + 1, sectors + young, way - young);
}

/* Puts a new line behind the oldest one of a set that has lines; if the set is full, in its place.
 * Returns the way. */
static uint32_t insert_oldest(struct gc_cache *cache, uint32_t set, uint64_t line)
{
  const uint32_t ways = cache->shape->ways, filled = cache->filled[set];
  const uint32_t young = cache->young[set], before = (young ? young : ways) - 1;
  const uint32_t way = filled < ways ? ways - 1 : before;
  uint64_t *tags = cache->tags + (uint64_t)set * ways;
  uint8_t *sectors = cache->sectors + (uint64_t)set * ways;

  if (filled < ways) {
    memmove(tags + before, tags + young, filled * sizeof(*tags));
    memmove(sectors + before, sectors + young, filled);
    cache->young[set] = (uint8_t)before;
    cache->filled[set]++;
  }
  tags[way] = line;
  sectors[way] = 0;
  return way;
}

/* LRU. The ways of a set form a ring: age increases from the youngest line on, and while the set is
 * not full, up to the last way. So no line moves if the oldest becomes the youngest or a new line
 * replaces it, as in every walk. The way before the youngest has the oldest line, or no line yet.
 * Returns the way. */
static uint32_t access_lru(struct gc_cache *cache, uint32_t set, uint64_t line,
                           struct gc_random *random)
{
  const uint32_t ways = cache->shape->ways, filled = cache->filled[set];
  const uint64_t first = (uint64_t)set * ways;
  uint64_t *tags = cache->tags + first;
  uint8_t *sectors = cache->sectors + first, present;
  const uint32_t young = filled ? cache->young[set] : 0, before = (young ? young : ways) - 1;
  uint32_t way;

  if (filled == ways && tags[before] == line) {
    cache->young[set] = (uint8_t)before;
    return before;
  }
  way = way_of(tags, filled == ways ? 0 : ways - filled, ways, line);
  if (way == ways && comes_in_old(cache, set, random) && filled)
    return insert_oldest(cache, set, line);
  if (way == ways) {
    if (filled < ways)
      cache->filled[set]++;
    tags[before] = line;
    sectors[before] = 0;
    cache->young[set] = (uint8_t)before;
    return before;
  }
  if (way != young) {
    present = sectors[way];
    grow_older(tags, sectors, ways, young, way);
    tags[young] = line;
    sectors[young] = present;
  }
  return young;
}

/* Other policies: a line stays in its way. Returns the way. */
static uint32_t access_fixed(struct gc_cache *cache, uint32_t set, uint64_t line,
                             struct gc_random *random)
{
  const uint64_t first = (uint64_t)set * cache->shape->ways;
  const uint64_t *tags = cache->tags + first;
  const uint32_t filled = cache->filled[set];
  uint32_t way = way_of(tags, 0, filled, line);
  bool old = false;

  if (way == filled) {
    old = comes_in_old(cache, set, random);
    way = victim(cache, set, random);
    cache->tags[first + way] = line;
    cache->sectors[first + way] = 0;
  }
  if (cache->tree && !old)
    plru_touch(cache->tree + 2 * (size_t)set, cache->shape->ways, way);
  return way;
}

void gc_cache_select_line(struct gc_cache *cache, uint64_t address, struct gc_random *random)
{
  const uint64_t line = address >> cache->line_shift;
  const uint32_t set = set_of(cache, address);
  const uint32_t way = cache->shape->replacement == GC_REPLACE_LRU
                         ? access_lru(cache, set, line, random)
                         : access_fixed(cache, set, line, random);

  cache->used = true;
  cache->last_line = line;
  cache->last_slot = (uint64_t)set * cache->shape->ways + way;
}
