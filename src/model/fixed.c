/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets whose lines are not replaced by age: each line stays in its way (cache_set.h).
 */
#include "model/fixed.h"

#include "model/cache_set.h"
#include "model/placement.h"

#include <string.h>

/* What all sets of a cache have in common. For frequent caches it is a constant, so that the
 * compiler removes choices, and loops over words and tags. */
struct kind {
  struct gc_set_layout layout;
  uint32_t ways;
  enum gc_replacement replacement;
};

/* The tree of a set: bit n belongs to node n and states which half has the older ways (0 left, 1
 * right). */
__attribute__((always_inline)) static inline void plru_touch(uint64_t tree[2], uint32_t ways,
                                                             uint32_t way)
{
  uint32_t node = 1;

#pragma GCC unroll 2
  for (uint32_t half = ways / 2; half; half /= 2) {
    const bool right = way & half;

    if (right)
      tree[node / 64] &= ~(1ull << node % 64);
    else
      tree[node / 64] |= 1ull << node % 64;
    node = 2 * node + right;
  }
}

__attribute__((always_inline)) static inline uint32_t plru_victim(const uint64_t tree[2],
                                                                  uint32_t ways)
{
  uint32_t node = 1;

#pragma GCC unroll 2
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

/* The word of a set that would be the tree states the way that was drawn last, and how often it
 * will still be replaced. */
static uint32_t drawn_way(const struct gc_cache *cache, uint64_t *drawn, struct gc_random *random)
{
  const uint32_t left = (uint32_t)*drawn, way = (uint32_t)(*drawn >> 32);
  const uint64_t next = left ? way : weighted_way(cache, random);

  *drawn = next << 32 | ((left ? left : cache->shape->redraw_every) - 1);
  return (uint32_t)next;
}

/* The way of a full set for a new line, if lines are not replaced by age. */
__attribute__((always_inline)) static inline uint32_t victim(const struct gc_cache *cache,
                                                             uint64_t *tree,
                                                             const struct kind *kind,
                                                             struct gc_random *random)
{
  switch (kind->replacement) {
  case GC_REPLACE_PLRU:
    return plru_victim(tree, kind->ways);
  case GC_REPLACE_RANDOM:
    return gc_random_below(random, kind->ways);
  case GC_REPLACE_WEIGHTED:
    return drawn_way(cache, tree, random);
  case GC_REPLACE_LRU:
  case GC_REPLACE_SLRU:
    break;
  }
  return 0;
}

/* A line that is in this way, or missed (way == filled). Returns its way. */
__attribute__((always_inline)) static inline uint32_t place(struct gc_cache *cache, uint32_t set,
                                                            uint64_t *tree, uint32_t filled,
                                                            uint32_t way, const struct kind *kind,
                                                            struct gc_random *random)
{
  const bool old = way == filled && gc_placement_old(cache, set, random);

  if (way == kind->ways)
    way = victim(cache, tree, kind, random);
  if (kind->replacement == GC_REPLACE_PLRU && !old)
    plru_touch(tree, kind->ways, way);
  return way;
}

/* More lines than this are not in the nearest caches of the host. */
#define FAR_LINES 4096

static inline bool is_far(const struct gc_cache *c)
{
  return (uint64_t)c->sets * c->ways > FAR_LINES;
}

/* Brings the tags of a set into the host's caches, while its record is on its way. */
static inline void prefetch_tags(const struct gc_cache *c, uint32_t set)
{
  for (uint32_t way = 0; way < c->ways; way += GC_SET_HOST_LINE)
    __builtin_prefetch(c->tags + (size_t)set * c->ways + way, 1);
}

/* Brings the records and tags of all lines into the host's caches, at the same time. */
static inline void prefetch(const struct gc_cache *c, const uint64_t *address, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const uint32_t set = gc_placement_set(c, address[i]);

    __builtin_prefetch(c->records + (size_t)set * c->record, 1);
    prefetch_tags(c, set);
  }
}

static uint64_t *changed_word(const struct gc_cache *cache, uint32_t set, uint32_t way)
{
  return cache->changed + (size_t)set * gc_fixed_changed_words(cache) + way / 64;
}

/* The line in this way is replaced. */
static void write_back(struct gc_cache *cache, uint32_t set, uint32_t way)
{
  uint64_t *word = changed_word(cache, set, way);
  const uint64_t bit = *word >> way % 64 & 1;

  *word &= ~(1ull << way % 64);
  cache->changed_lines -= bit;
  cache->written_back += bit;
}

/* The way that has the line; `filled`: none. Comparing few tags takes less time than their marks,
 * which are not kept then. All of them are compared: where a random way was replaced, the host
 * could not predict which comparison is the last. */
static inline uint32_t find(uint64_t *record, const uint64_t *tags, uint32_t ways, uint32_t filled,
                            uint64_t line, struct gc_set_layout layout)
{
  uint32_t same = 0;

  if (layout.words > 1)
    return gc_set_find(gc_set_marks(record), layout.words, tags, filled, line);
#pragma GCC unroll 4
  for (uint32_t way = 0; way < ways; way++)
    same |= (uint32_t)(tags[way] == line) << way;
  same &= (1u << filled) - 1; /* other ways have lines of earlier periods */
  return same ? (uint32_t)__builtin_ctz(same) : filled;
}

/* Makes a line, which is not the one used last, the one used last. Returns its sectors. c: what
 * `cache` pointed to before, in registers. */
__attribute__((always_inline)) static inline uint8_t *
select_line(struct gc_cache *cache, const struct gc_cache *c, uint64_t line, uint32_t set,
            struct gc_random *random, const struct kind *kind)
{
  const struct gc_set_layout layout = kind->layout;
  const uint32_t ways = kind->ways;
  uint64_t *record = c->records + (size_t)set * c->record;
  uint64_t *tags = c->tags + (size_t)set * ways;
  uint64_t *tree = gc_set_order(record, layout);
  uint8_t *sectors = gc_set_sectors(record, layout);
  uint32_t filled, way, found;

  if (is_far(c))
    prefetch_tags(c, set);
  if (*record < c->period) {
    *record = c->period;
    memset(tree, 0, gc_set_order_words(layout) * sizeof(*tree));
  }
  filled = (uint32_t)(*record - c->period);
  found = find(record, tags, ways, filled, line, layout);
  way = place(cache, set, tree, filled, found, kind, random);
  if (found == filled) {
    if (cache->changed_lines)
      write_back(cache, set, way);
    *record += filled < ways;
    if (layout.words > 1)
      gc_set_put(gc_set_marks(record), 8, way, gc_set_mark(line));
    tags[way] = line;
    sectors[way] = 0;
  }
  return &sectors[way];
}

/* gc_cache_access_lines for such a cache. */
__attribute__((always_inline)) static inline void
access_lines(struct gc_cache *cache, const uint64_t *address, uint8_t *mask, unsigned n,
             struct gc_random *random, struct kind kind)
{
  const struct gc_cache c = *cache;
  uint64_t last_line = c.last_line, placed = c.placed_line;
  uint32_t set = c.placed_set;
  uint8_t *last = c.last_sectors;
  struct gc_random own = *random; /* in registers */

  if (n > 1 && is_far(&c))
    prefetch(&c, address, n);
  for (unsigned i = 0; i < n; i++) {
    const uint64_t line = address[i] >> c.line_shift;

    if (line != last_line) {
      set = gc_placement_next(&c, address[i], placed, set);
      placed = line;
      last = select_line(cache, &c, line, set, &own, &kind);
      last_line = line;
    }
    mask[i] &= (uint8_t)~*last;
    *last |= mask[i];
  }
  cache->used = true;
  cache->last_line = last_line;
  cache->placed_line = placed;
  cache->placed_set = set;
  cache->last_sectors = last;
  *random = own;
}

uint32_t gc_fixed_find(const struct gc_cache *cache, uint32_t set, uint64_t address)
{
  const struct gc_set_layout layout = gc_set_layout(cache->ways);
  uint64_t *record = cache->records + (size_t)set * cache->record;
  uint32_t filled, way;

  if (*record < cache->period)
    return cache->ways;
  filled = (uint32_t)(*record - cache->period);
  way = find(record, cache->tags + (size_t)set * cache->ways, cache->ways, filled,
             address >> cache->line_shift, layout);
  return way < filled ? way : cache->ways;
}

void gc_fixed_change(struct gc_cache *cache, uint32_t set, uint32_t way)
{
  uint64_t *word = cache->changed ? changed_word(cache, set, way) : NULL;

  if (!word)
    return;
  cache->changed_lines += !(*word >> way % 64 & 1);
  *word |= 1ull << way % 64;
}

#define ACCESS(name, ...)                                                                          \
  void name(struct gc_cache *cache, const uint64_t *address, uint8_t *mask, const uint8_t *loads,  \
            unsigned n, struct gc_random *random)                                                  \
  {                                                                                                \
    (void)loads;                                                                                   \
    access_lines(cache, address, mask, n, random, (struct kind){__VA_ARGS__});                     \
  }
ACCESS(gc_fixed_access_plru_four, gc_set_layout(4), 4, GC_REPLACE_PLRU)
ACCESS(gc_fixed_access_random_four, gc_set_layout(4), 4, GC_REPLACE_RANDOM)
ACCESS(gc_fixed_access_few, gc_set_layout(GC_FIXED_FEW), cache->ways, cache->shape->replacement)
ACCESS(gc_fixed_access, gc_set_layout(cache->ways), cache->ways, cache->shape->replacement)
#undef ACCESS
