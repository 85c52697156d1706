/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A set-associative cache: placement, replacement, lookup.
 */
#include "model/cache.h"

#include "model/cache_set.h"
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
  free(cache->step);
  free(cache->memory);
  free(cache->changed);
  gc_wide_free(cache->wide);
  memset(cache, 0, sizeof(*cache));
}

/* Words of `changed` for each set. */
static inline uint32_t changed_words(const struct gc_cache *cache)
{
  return (cache->ways + 63) / 64;
}

static size_t changed_bytes(const struct gc_cache *cache)
{
  return (size_t)cache->sets_max * changed_words(cache) * sizeof(*cache->changed);
}

int gc_cache_write_back(struct gc_cache *cache)
{
  if (cache->wide) {
    cache->wide->writes_back = true;
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
  if (cache->changed_lines)
    memset(cache->changed, 0, changed_bytes(cache));
  cache->changed_lines = 0;
  if (cache->wide)
    cache->wide->uppers = 0;
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

static uint32_t masked_set(const struct gc_cache_shape *shape, uint64_t address)
{
  uint32_t set = 0;

  for (uint32_t i = 0; i < shape->hash_bit_count; i++)
    set |= (uint32_t)__builtin_parityll(address & shape->hash_masks[i]) << i;
  return set;
}

/* Set hashes that few GPUs have. */
static uint32_t rare_set(const struct gc_cache *cache, uint64_t address, uint64_t above,
                         uint32_t set)
{
  if (cache->shape->hash == GC_HASH_MASKS)
    set = masked_set(cache->shape, address);
  else if (cache->shape->hash == GC_HASH_SKEW)
    divide(cache, above * 61 + set, &set);
  else
    for (uint32_t i = 0; i < cache->shape->hash_bit_count; i++)
      set ^= (uint32_t)(address >> cache->shape->hash_bits[i] & 1) << i;
  return set;
}

static inline uint32_t set_of(const struct gc_cache *cache, uint64_t address)
{
  uint32_t set;
  const uint64_t above = divide(cache, address >> cache->interleave_shift, &set);

  if (cache->rare_hash)
    return rare_set(cache, address, above, set);
  return set ^ ((uint32_t)above & cache->above_mask);
}

/* The set of a line, where the one before it is in set `set`: only few bits differ if it is the next
 * one. */
static inline uint32_t next_set(const struct gc_cache *cache, uint64_t address, uint64_t before,
                                uint32_t set)
{
  const uint64_t line = address >> cache->line_shift;

  if (cache->shape->hash == GC_HASH_MASKS && line == before + 1 && before != UINT64_MAX)
    return set ^ cache->step[__builtin_ctzll(line)];
  return set_of(cache, address);
}

uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address)
{
  return set_of(cache, address);
}

/* A line as a wide cache knows it, in the set that its unit (its bytes in one set) is in. */
static inline struct gc_wide_line wide_line(const struct gc_cache *cache, uint64_t line)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift;
  uint32_t low;
  const uint64_t above = divide(cache, line >> shift, &low);

  return gc_wide_line(cache->wide, low ^ ((uint32_t)above & cache->above_mask),
                      above << shift | (line & ((1u << shift) - 1)));
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

/* The word of a set that would be the tree states the way that was drawn last, and how often it will
 * still be replaced. */
static uint32_t drawn_way(const struct gc_cache *cache, uint64_t *drawn, struct gc_random *random)
{
  const uint32_t left = (uint32_t)*drawn, way = (uint32_t)(*drawn >> 32);
  const uint64_t next = left ? way : weighted_way(cache, random);

  *drawn = next << 32 | ((left ? left : cache->shape->redraw_every) - 1);
  return (uint32_t)next;
}

/* Of so many sets, one leads each side of a duel; the counter is bounded as its 10 bits are in
 * hardware. */
#define LEAD_EVERY 32
#define DUEL_MAX 512

static bool bimodal_or_duel(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  const struct gc_cache_shape *shape = cache->shape;

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

/* Whether the line that just missed comes in as the oldest one. */
static inline bool comes_in_old(struct gc_cache *cache, uint32_t set, struct gc_random *random)
{
  return cache->shape->insertion != GC_INSERT_YOUNGEST && bimodal_or_duel(cache, set, random);
}

/* The way of a full set for a new line, if lines are not replaced by age. */
static uint32_t victim(const struct gc_cache *cache, uint64_t *tree, struct gc_random *random)
{
  switch (cache->shape->replacement) {
  case GC_REPLACE_PLRU:
    return plru_victim(tree, cache->shape->ways);
  case GC_REPLACE_RANDOM:
    return gc_random_below(random, cache->shape->ways);
  case GC_REPLACE_WEIGHTED:
    return drawn_way(cache, tree, random);
  case GC_REPLACE_LRU:
  case GC_REPLACE_SLRU:
    break;
  }
  return 0;
}

/* A line that is in this way, or missed (way == filled). LRU. Returns its way. */
static inline uint32_t place_lru(struct gc_cache *cache, uint32_t set, uint64_t *order,
                                 struct gc_set_layout layout, uint32_t filled, uint32_t way,
                                 struct gc_random *random)
{
  if (way < filled) {
    gc_set_to_front(order, layout, way);
    return way;
  }
  if (filled == cache->ways)
    way = gc_set_get(order, layout.bits, filled - 1);
  if (!comes_in_old(cache, set, random))
    gc_set_push(order, layout, way);
  else if (filled < cache->ways)
    gc_set_put(order, layout.bits, filled, way);
  return way;
}

/* The same for SLRU. The protected lines are the first ones in the order. again: the line is used a
 * second time at once, which protects it; further uses change nothing. */
static inline uint32_t place_slru(const struct gc_cache *cache, uint32_t set, uint64_t *order,
                                  struct gc_set_layout layout, uint32_t filled, uint32_t way,
                                  bool again)
{
  uint8_t *const kept = &cache->kept[set];
  const bool absent = way == filled;

  if (absent && filled == cache->ways)
    way = gc_set_pop(order, layout.bits, filled--);
  if (absent && !again) {
    gc_set_insert(order, layout, filled, *kept, way);
    return way;
  }
  if (absent || gc_set_place(order, layout, way) >= *kept)
    *kept += *kept < cache->ways / 2;
  if (absent)
    gc_set_push(order, layout, way);
  else
    gc_set_to_front(order, layout, way);
  return way;
}

/* The same for other policies. */
static inline uint32_t place_fixed(struct gc_cache *cache, uint32_t set, uint64_t *tree,
                                   uint32_t filled, uint32_t way, struct gc_random *random)
{
  const bool old = way == filled && comes_in_old(cache, set, random);

  if (way == cache->ways)
    way = victim(cache, tree, random);
  if (cache->shape->replacement == GC_REPLACE_PLRU && !old)
    plru_touch(tree, cache->ways, way);
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
    const uint32_t set = set_of(c, address[i]);

    __builtin_prefetch(c->records + (size_t)set * c->record, 1);
    prefetch_tags(c, set);
  }
}

/* This set loses the line that comes last in its order. The line in its last way moves to the free
 * way, so that the ways in use stay the first ones. */
static void drop_last(struct gc_cache *cache, uint32_t set, struct gc_set_layout layout)
{
  uint64_t *record = cache->records + (size_t)set * cache->record;
  uint64_t *tags = cache->tags + (size_t)set * cache->ways;
  uint64_t *order = gc_set_order(record, layout), *marks = gc_set_marks(record);
  uint8_t *sectors = gc_set_sectors(record, layout);
  const uint32_t filled = (uint32_t)(*record - cache->period), last = filled - 1;
  const uint32_t way = gc_set_pop(order, layout.bits, filled);

  if (way != last) {
    gc_set_put(order, layout.bits, gc_set_place(order, layout, last), way);
    gc_set_put(marks, 8, way, gc_set_get(marks, 8, last));
    tags[way] = tags[last];
    sectors[way] = sectors[last];
  }
  --*record;
  cache->lines--;
  if (cache->kept && cache->kept[set] > last)
    cache->kept[set] = (uint8_t)last;
}

/* The next set in turn that has a line loses one. */
static void drop_in_turn(struct gc_cache *cache, struct gc_set_layout layout)
{
  do {
    cache->turn += cache->stride; /* below the number of sets */
    cache->turn -= cache->turn >= cache->sets ? cache->sets : 0;
  } while (cache->records[(size_t)cache->turn * cache->record] <= cache->period);
  drop_last(cache, cache->turn, layout);
}

static uint64_t *changed_word(const struct gc_cache *cache, uint32_t set, uint32_t way)
{
  return cache->changed + (size_t)set * changed_words(cache) + way / 64;
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

/* What the order of a set is. */
enum order { AGE, SEGMENTS, FIXED };

/* Makes the line at this address, which is not the one used last, the one used last. again: it is
 * loaded more than once. Returns its sectors. c: what `cache` pointed to before, in registers. */
__attribute__((always_inline)) static inline uint8_t *
select_line(struct gc_cache *cache, const struct gc_cache *c, uint64_t address,
            uint32_t set, bool again, struct gc_random *random, enum order by, bool limited,
            struct gc_set_layout layout)
{
  const uint64_t line = address >> c->line_shift;
  uint64_t *record = c->records + (size_t)set * c->record;
  uint64_t *tags = c->tags + (size_t)set * c->ways;
  uint64_t *marks = gc_set_marks(record), *order = gc_set_order(record, layout);
  uint8_t *sectors = gc_set_sectors(record, layout);
  uint32_t filled, way, found;

  if (is_far(c))
    prefetch_tags(c, set);
  if (*record < c->period) {
    *record = c->period;
    memset(order, 0, gc_set_order_words(layout) * sizeof(*order));
    if (by == SEGMENTS)
      c->kept[set] = 0;
  }
  filled = (uint32_t)(*record - c->period);
  found = gc_set_find(marks, layout.words, tags, filled, line);
  if (limited && found == filled && filled < c->ways) {
    if (cache->lines == c->limit)
      drop_in_turn(cache, layout);
    cache->lines++;
    found = filled = (uint32_t)(*record - c->period); /* it may have been this set */
  }
  way = by == AGE        ? place_lru(cache, set, order, layout, filled, found, random)
        : by == SEGMENTS ? place_slru(cache, set, order, layout, filled, found, again)
                         : place_fixed(cache, set, order, filled, found, random);
  if (found == filled) {
    if (cache->changed_lines)
      write_back(cache, set, way);
    *record += filled < c->ways;
    gc_set_put(marks, 8, way, gc_set_mark(line));
    tags[way] = line;
    sectors[way] = 0;
  }
  return &sectors[way];
}

/* See gc_cache_access_lines. The layout is a constant where it is a frequent one, so that no loop
 * over words is left. */
__attribute__((always_inline)) static inline void
access_lines(struct gc_cache *cache, const uint64_t *address, uint8_t *mask, const uint8_t *loads,
             unsigned n, struct gc_random *random, enum order by, bool limited, struct gc_set_layout layout)
{
  const struct gc_cache c = *cache;
  uint64_t last_line = c.last_line;
  uint32_t set = c.last_set;
  uint8_t *last = c.last_sectors;

  if (n > 1 && is_far(&c))
    prefetch(&c, address, n);
  for (unsigned i = 0; i < n; i++) {
    if (by == SEGMENTS || address[i] >> c.line_shift != last_line) {
      const bool again = by == SEGMENTS && loads && loads[i] > 1;

      set = next_set(&c, address[i], last_line, set);
      last = select_line(cache, &c, address[i], set, again, random, by, limited, layout);
      last_line = address[i] >> c.line_shift;
    }
    mask[i] &= (uint8_t)~*last;
    *last |= mask[i];
  }
  cache->used = true;
  cache->last_line = by == SEGMENTS ? UINT64_MAX : last_line; /* a second access protects the line */
  cache->last_set = set;
  cache->last_sectors = last;
}

/* The way of a line that is present; cache->ways: it is not. */
static uint32_t way_of(const struct gc_cache *cache, uint32_t set, uint64_t address)
{
  const struct gc_set_layout layout = gc_set_layout(cache->ways);
  uint64_t *record = cache->records + (size_t)set * cache->record;
  uint32_t filled, way;

  if (*record < cache->period)
    return cache->ways;
  filled = (uint32_t)(*record - cache->period);
  way = gc_set_find(gc_set_marks(record), layout.words, cache->tags + (size_t)set * cache->ways,
                    filled, address >> cache->line_shift);
  return way < filled ? way : cache->ways;
}

/* The same for a wide cache. */
static bool wide_has(const struct gc_cache *cache, uint64_t address, bool changes)
{
  const struct gc_wide_line line = wide_line(cache, address >> cache->line_shift);
  const uint32_t way = gc_wide_find(cache->wide, &line, cache->period);

  if (changes && way < cache->ways)
    gc_wide_change(cache->wide, &line, way);
  return way < cache->ways;
}

bool gc_cache_has(const struct gc_cache *cache, uint64_t address)
{
  if (cache->wide)
    return wide_has(cache, address, false);
  return way_of(cache, set_of(cache, address), address) < cache->ways;
}

void gc_cache_change(struct gc_cache *cache, uint64_t address)
{
  uint32_t set, way;
  uint64_t *word;

  if (cache->wide) {
    wide_has(cache, address, true);
    return;
  }
  set = set_of(cache, address);
  way = way_of(cache, set, address);
  if (!cache->changed || way == cache->ways)
    return;
  word = changed_word(cache, set, way);
  cache->changed_lines += !(*word >> way % 64 & 1);
  *word |= 1ull << way % 64;
}

#define ACCESS_LINES(name, by, limited, ways)                                                      \
  static void name(struct gc_cache *cache, const uint64_t *address, uint8_t *mask,                 \
                   const uint8_t *loads, unsigned n, struct gc_random *random)                     \
  {                                                                                                \
    access_lines(cache, address, mask, loads, n, random, by, limited, gc_set_layout(ways));               \
  }
ACCESS_LINES(access_lru_of_8, AGE, false, 8)
ACCESS_LINES(access_lru_of_16, AGE, false, 16)
ACCESS_LINES(access_lru, AGE, false, cache->ways)
ACCESS_LINES(access_limited, AGE, true, cache->ways)
ACCESS_LINES(access_slru, SEGMENTS, false, cache->ways)
ACCESS_LINES(access_limited_slru, SEGMENTS, true, cache->ways)
ACCESS_LINES(access_limited_slru_of_8, SEGMENTS, true, 8)
ACCESS_LINES(access_fixed_of_8, FIXED, false, 8)
ACCESS_LINES(access_fixed, FIXED, false, cache->ways)
#undef ACCESS_LINES

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

  divide(cache, line >> shift, &low);
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

    divide(cache, line >> shift, &low);
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
  const uint32_t ways = shape->ways;

  switch (shape->replacement) {
  case GC_REPLACE_LRU:
    return limited ? access_limited
           : ways <= 8 ? access_lru_of_8
           : ways <= 16 ? access_lru_of_16 : access_lru;
  case GC_REPLACE_SLRU:
    return !limited ? access_slru : ways <= 8 ? access_limited_slru_of_8 : access_limited_slru;
  default:
    return ways <= 8 ? access_fixed_of_8 : access_fixed;
  }
}

void gc_cache_resize(struct gc_cache *cache, uint32_t sets)
{
  gc_cache_empty(cache);
  cache->sets = sets;
  /* This equals floor(2^64 / sets) except for powers of two, where it is one less; divide()
   * corrects both. */
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
  free(cache->tags);
  free(cache->memory);
  cache->tags = NULL;
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
  cache->record = gc_set_record_words(gc_set_layout(shape->ways));
  cache->tags = malloc((size_t)sets_max * shape->ways * sizeof(*cache->tags));
  cache->kept = shape->replacement == GC_REPLACE_SLRU ? calloc(sets_max, 1) : NULL;
  /* Not aligned_alloc and memset: the host provides pages when they are used. */
  cache->memory = calloc((size_t)sets_max * cache->record * sizeof(*cache->records) + align, 1);
  cache->step = calloc(STEPS, sizeof(*cache->step));
  if (!cache->tags || !cache->memory || !cache->step ||
      (shape->replacement == GC_REPLACE_SLRU && !cache->kept)) {
    gc_cache_fini(cache);
    return -ENOMEM;
  }
  for (uint32_t bit = 0; bit < STEPS && shape->hash == GC_HASH_MASKS; bit++)
    cache->step[bit] = (uint16_t)masked_set(shape, ((2ull << bit) - 1) << cache->line_shift);
  cache->records = (uint64_t *)(((uintptr_t)cache->memory + align - 1) & -(uintptr_t)align);
  cache->used = true;
  gc_cache_resize(cache, sets_max);
  return 0;
}
