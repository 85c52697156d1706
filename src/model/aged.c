/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * LRU and SLRU.
 */
#include "model/aged.h"

#include "model/placement.h"

#include <string.h>

/* An entry of a list: the number of the line above these bits. */
#define CHANGED (1ull << GC_CACHE_SECTORS_MAX)
#define LINE_SHIFT (GC_CACHE_SECTORS_MAX + 1)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SECTORS_BYTE 7
#else
#define SECTORS_BYTE 0
#endif

/* Lists are searched by fours; shorter parts of a list are moved without a call. */
#define FOUR 4
#define NEAR 8

/* The place of a line in a list; `filled`: it is not there. */
static inline uint32_t find(const uint64_t *list, uint32_t filled, uint64_t line)
{
  const uint64_t key = line << LINE_SHIFT;
  uint32_t i = 0;

  for (; i + FOUR <= filled; i += FOUR)
    if (((list[i] ^ key) < 1ull << LINE_SHIFT) | ((list[i + 1] ^ key) < 1ull << LINE_SHIFT) |
        ((list[i + 2] ^ key) < 1ull << LINE_SHIFT) | ((list[i + 3] ^ key) < 1ull << LINE_SHIFT))
      break;
  while (i < filled && (list[i] ^ key) >> LINE_SHIFT)
    i++;
  return i;
}

/* Moves the entries between `to` and `from` by one, so that there is space at `to`. */
static inline void make_space(uint64_t *list, uint32_t to, uint32_t from)
{
  if (from - to > NEAR)
    memmove(list + to + 1, list + to, (from - to) * sizeof(*list));
  else
    for (; from > to; from--)
      list[from] = list[from - 1];
}

/* The next set in turn that has a line loses its oldest one. */
static void drop_in_turn(struct gc_cache *cache)
{
  uint64_t *state;
  uint32_t left;

  do {
    cache->turn += cache->stride; /* below the number of sets */
    cache->turn -= cache->turn >= cache->sets ? cache->sets : 0;
    state = cache->records + (size_t)cache->turn * cache->record;
  } while (*state <= cache->period);
  left = (uint32_t)(--*state - cache->period);
  cache->lines--;
  if (cache->kept && cache->kept[cache->turn] > left)
    cache->kept[cache->turn] = (uint8_t)left;
}

/* Makes the line at this address, which is not the one used last, the one used last. again: it is
 * loaded more than once, so SLRU protects it. Returns its entry. c: what `cache` pointed to before,
 * in registers. */
__attribute__((always_inline)) static inline uint64_t *
select_line(struct gc_cache *cache, const struct gc_cache *c, uint64_t line, uint32_t set,
            bool again, struct gc_random *random, bool segments, bool limited)
{
  uint64_t *const state = c->records + (size_t)set * c->record, *const list = state + 1;
  uint8_t *const kept = segments ? &c->kept[set] : NULL;
  uint32_t filled, at, to = 0;
  uint64_t entry;

  if (*state < c->period) {
    *state = c->period;
    if (segments)
      *kept = 0;
  }
  filled = (uint32_t)(*state - c->period);
  at = find(list, filled, line);
  if (at < filled) {
    entry = list[at];
    again = at >= (segments ? *kept : 0); /* a hit protects it, too */
  } else {
    if (limited && filled < c->ways) {
      if (cache->lines == c->limit)
        drop_in_turn(cache);
      cache->lines++;
      filled = (uint32_t)(*state - c->period); /* it may have been this set */
    }
    *state += filled < c->ways;
    at = filled < c->ways ? filled : filled - 1;
    cache->written_back += filled == c->ways && list[at] & CHANGED;
    entry = line << LINE_SHIFT;
    if (segments && !again)
      to = *kept;
    else if (!segments && gc_placement_old(cache, set, random))
      to = at;
  }
  if (segments && again)
    *kept += *kept < c->ways / 2;
  make_space(list, to, at);
  list[to] = entry;
  return &list[to];
}

static inline uint64_t *long_list(uint64_t *state)
{
  return state + 3;
}

/* The places in a long list that are in use, from this one to the last. */
static inline uint32_t first_used(const struct gc_cache *c, uint32_t filled)
{
  return c->ways - filled; /* it is filled from the end on */
}

/* Makes the line at a place of a long list the youngest one. The younger ones become older. */
static void make_youngest(uint64_t *list, uint32_t ways, uint32_t head, uint32_t at)
{
  const uint64_t entry = list[at];

  if (at < head) { /* behind the end */
    make_space(list, 0, at);
    list[0] = list[ways - 1];
    at = ways - 1;
  }
  make_space(list, head, at);
  list[head] = entry;
}

/* select_line for long sets. */
static inline uint64_t *select_long(struct gc_cache *cache, const struct gc_cache *c, uint64_t line,
                                    uint32_t set)
{
  uint64_t *const state = c->records + (size_t)set * c->record, *const list = long_list(state);
  uint16_t *const same = &c->counts[line % GC_AGED_COUNTS];
  const uint64_t key = line << LINE_SHIFT;
  uint32_t filled, from, at, oldest;

  if (*state < c->period)
    *state = c->period;
  filled = (uint32_t)(*state - c->period);
  from = first_used(c, filled);
  if (filled < c->ways)
    state[1] = from;
  oldest = (uint32_t)(state[1] ? state[1] : c->ways) - 1;
  if (*same && filled == c->ways && (list[oldest] ^ key) < 1ull << LINE_SHIFT) {
    state[1] = oldest;
    return &list[oldest];
  }
  at = (uint32_t)state[2];
  if (!*same)
    at = c->ways;
  else if (at < from || at >= c->ways || (list[at] ^ key) >> LINE_SHIFT)
    at = from + find(list + from, filled, line);
  if (at < c->ways) {
    state[2] = at;
    make_youngest(list, c->ways, (uint32_t)state[1], at);
    return &list[state[1]];
  }
  if (filled == c->ways) {
    c->counts[(list[oldest] >> LINE_SHIFT) % GC_AGED_COUNTS]--;
    cache->written_back += (list[oldest] & CHANGED) != 0;
  } else {
    ++*state;
  }
  ++*same;
  state[1] = oldest;
  list[oldest] = key;
  return &list[oldest];
}

/* gc_cache_access_lines for such a cache. */
__attribute__((always_inline)) static inline void
access_lines(struct gc_cache *cache, const uint64_t *address, uint8_t *mask, const uint8_t *loads,
             unsigned n, struct gc_random *random, bool segments, bool limited, bool is_long)
{
  const struct gc_cache c = *cache;
  uint64_t last_line = c.last_line, placed = c.placed_line;
  uint32_t set = c.placed_set;
  uint8_t *last = c.last_sectors;

  for (unsigned i = 0; i < n; i++) {
    const uint64_t line = address[i] >> c.line_shift;

    if (segments || line != last_line) {
      set = gc_placement_next(&c, address[i], placed, set);
      placed = line;
      last = SECTORS_BYTE +
             (uint8_t *)(is_long ? select_long(cache, &c, line, set)
                                 : select_line(cache, &c, line, set, loads && loads[i] > 1, random,
                                               segments, limited));
      last_line = line;
    }
    mask[i] &= (uint8_t)~*last;
    *last |= mask[i];
  }
  cache->used = true;
  cache->last_line = segments ? UINT64_MAX : last_line; /* a second access protects the line */
  cache->placed_line = placed;
  cache->placed_set = set;
  cache->last_sectors = last;
}

#define ACCESS(name, segments, limited, is_long)                                                   \
  void name(struct gc_cache *cache, const uint64_t *address, uint8_t *mask, const uint8_t *loads,  \
            unsigned n, struct gc_random *random)                                                  \
  {                                                                                                \
    access_lines(cache, address, mask, loads, n, random, segments, limited, is_long);              \
  }
ACCESS(gc_aged_access_lru, false, false, false)
ACCESS(gc_aged_access_long, false, false, true)
ACCESS(gc_aged_access_slru, true, false, false)
ACCESS(gc_aged_access_limited_lru, false, true, false)
ACCESS(gc_aged_access_limited_slru, true, true, false)
#undef ACCESS

/* The entry of the line at this address; NULL: it is not present. */
static uint64_t *entry_of(const struct gc_cache *cache, uint64_t address)
{
  uint64_t *const state =
    cache->records + (size_t)gc_placement_set(cache, address) * cache->record;
  const uint32_t filled = *state < cache->period ? 0 : (uint32_t)(*state - cache->period);
  uint64_t *const list =
    cache->access_lines == gc_aged_access_long ? long_list(state) + first_used(cache, filled)
                                               : state + 1;
  const uint32_t at = find(list, filled, address >> cache->line_shift);

  return at < filled ? list + at : NULL;
}

bool gc_aged_has(const struct gc_cache *cache, uint64_t address)
{
  return entry_of(cache, address);
}

void gc_aged_change(struct gc_cache *cache, uint64_t address)
{
  uint64_t *const entry = entry_of(cache, address);

  if (entry)
    *entry |= CHANGED;
}
