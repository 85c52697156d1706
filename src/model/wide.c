/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large LRU caches, sixteen sets at a time. The vectors are those of GCC, so every host has them.
 */
#include "model/wide.h"

#include <stdlib.h>
#include <string.h>

typedef gc_wide_lanes lanes;
typedef uint64_t words __attribute__((vector_size(GC_WIDE_LANES)));

#define NO_UPPER 0xff /* of the key of a free way */

struct gc_wide *gc_wide_new(uint32_t sets, uint32_t ways)
{
  struct gc_wide *wide = calloc(1, sizeof(*wide));

  if (!wide)
    return NULL;
  wide->ways = ways;
  wide->blocks = (sets + GC_WIDE_LANES - 1) / GC_WIDE_LANES;
  /* the host provides a page when it is first used */
  wide->lanes = calloc((size_t)wide->blocks * GC_WIDE_FIELDS * ways, sizeof(*wide->lanes));
  wide->list = calloc((size_t)wide->blocks * ways, sizeof(*wide->list));
  wide->block = calloc(wide->blocks, sizeof(*wide->block));
  if (!wide->lanes || !wide->list || !wide->block) {
    gc_wide_free(wide);
    return NULL;
  }
  return wide;
}

void gc_wide_free(struct gc_wide *wide)
{
  if (!wide)
    return;
  free(wide->lanes);
  free(wide->list);
  free(wide->block);
  free(wide);
}

static uint8_t index_of_upper(struct gc_wide *wide, uint64_t upper)
{
  uint32_t i = 0;

  while (i < wide->uppers && wide->upper[i] != upper)
    i++;
  if (i == wide->uppers) {
    if (i == GC_WIDE_UPPER_MAX)
      abort(); /* an address outside of all spaces */
    wide->upper[wide->uppers++] = upper;
  }
  return (uint8_t)i;
}

struct gc_wide_line gc_wide_line(struct gc_wide *wide, uint32_t set, uint64_t key)
{
  return (struct gc_wide_line){
    .block = set / GC_WIDE_LANES,
    .lane = set % GC_WIDE_LANES,
    .key = {(uint8_t)key, (uint8_t)(key >> 8), (uint8_t)(key >> 16),
            index_of_upper(wide, key >> GC_WIDE_KEY_BITS)},
  };
}

/* The vectors of a block. */
struct vectors {
  lanes *key[GC_WIDE_KEY_BYTES], *age, *sectors, *changed; /* [ways] */
};

static inline struct vectors vectors_of(const struct gc_wide *wide, uint32_t block)
{
  const size_t ways = wide->ways;
  lanes *first = wide->lanes + block * GC_WIDE_FIELDS * ways;

  return (struct vectors){
    .key = {first, first + ways, first + 2 * ways, first + 3 * ways},
    .age = first + GC_WIDE_AGE * ways,
    .sectors = first + GC_WIDE_SECTORS * ways,
    .changed = first + GC_WIDE_CHANGED * ways,
  };
}

static inline uint8_t *lane_of(lanes *vector, uint32_t lane)
{
  return (uint8_t *)vector + lane;
}

/* An entry of the list of an even block: the key in the lower half, then the sectors, and whether
 * the lines are to be written back. */
#define SECTORS_SHIFT 32
#define CHANGED (1ull << 40)

static inline uint64_t entry_of(const uint8_t key[GC_WIDE_KEY_BYTES])
{
  return key[0] | (uint64_t)key[1] << 8 | (uint64_t)key[2] << 16 | (uint64_t)key[3] << 24;
}

/* A block of a cache that was emptied becomes even and empty. Returns its list. */
static inline uint64_t *list_of(struct gc_wide *wide, uint32_t block, uint64_t period)
{
  struct gc_wide_block *own = &wide->block[block];
  uint64_t *list = wide->list + (size_t)block * wide->ways;

  if (own->period == period)
    return list;
  *own = (struct gc_wide_block){.period = period, .even = true};
  for (uint32_t i = 0; i < wide->ways; i++)
    list[i] = UINT32_MAX; /* the key of a free way */
  return list;
}

/* Makes a block not even, and returns its ways. */
static struct vectors ways_of(struct gc_wide *wide, uint32_t block, uint64_t period)
{
  const struct vectors v = vectors_of(wide, block);
  const uint64_t *list = list_of(wide, block, period);

  wide->block[block].alike = 0;
  if (!wide->block[block].even)
    return v;
  wide->block[block].even = false;
  for (uint32_t w = 0; w < wide->ways; w++) {
    for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
      memset(&v.key[i][w], (int)(list[w] >> 8 * i & 0xff), GC_WIDE_LANES);
    memset(&v.age[w], (int)w, GC_WIDE_LANES);
    memset(&v.sectors[w], (int)(list[w] >> SECTORS_SHIFT & 0xff), GC_WIDE_LANES);
    memset(&v.changed[w], list[w] & CHANGED ? 0xff : 0, GC_WIDE_LANES);
  }
  return v;
}

/* All sets have the same keys in the same order. The block is even if their sectors agree, too, and
 * what is to be written back. */
static bool make_even(struct gc_wide *wide, uint32_t block)
{
  const struct vectors v = vectors_of(wide, block);
  uint64_t *list = wide->list + (size_t)block * wide->ways;

  for (uint32_t lane = 0; lane < GC_WIDE_LANES; lane++)
    for (uint32_t w = 0; w < wide->ways; w++) {
      uint64_t *to = &list[*lane_of(&v.age[w], lane)];
      uint64_t entry = (uint64_t)*lane_of(&v.sectors[w], lane) << SECTORS_SHIFT |
                       (*lane_of(&v.changed[w], lane) ? CHANGED : 0);

      for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
        entry |= (uint64_t)*lane_of(&v.key[i][w], lane) << 8 * i;
      if (lane && *to != entry)
        return false;
      *to = entry;
    }
  return true;
}

static inline uint32_t find(const struct vectors *v, uint32_t count,
                            const struct gc_wide_line *line)
{
  for (uint32_t w = 0; w < count; w++) {
    uint32_t same = 0;

    while (same < GC_WIDE_KEY_BYTES && *lane_of(&v->key[same][w], line->lane) == line->key[same])
      same++;
    if (same == GC_WIDE_KEY_BYTES)
      return w;
  }
  return count;
}

uint32_t gc_wide_find(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period)
{
  const uint64_t key = entry_of(line->key), *list = list_of(wide, line->block, period);

  if (!wide->block[line->block].even) {
    const struct vectors v = vectors_of(wide, line->block);

    return find(&v, wide->ways, line);
  }
  for (uint32_t w = 0; w < wide->ways; w++)
    if ((uint32_t)list[w] == key)
      return w;
  return wide->ways;
}

void gc_wide_change(struct gc_wide *wide, const struct gc_wide_line *line, uint32_t way)
{
  /* the ways of an even block are in the order of its list */
  const struct vectors v = ways_of(wide, line->block, wide->block[line->block].period);

  if (wide->writes_back)
    *lane_of(&v.changed[way], line->lane) = 0xff;
}

uint8_t *gc_wide_access(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                        uint64_t *written_back)
{
  const struct vectors v = ways_of(wide, line->block, period);
  uint32_t way = find(&v, wide->ways, line);
  const bool absent = way == wide->ways;
  const uint8_t age =
    absent ? (uint8_t)(wide->ways - 1) : *lane_of(&v.age[way], line->lane);

  for (uint32_t w = 0; w < wide->ways; w++) {
    uint8_t *const own = lane_of(&v.age[w], line->lane);

    if (*own == age)
      way = w;
    *own += *own < age;
  }
  *lane_of(&v.age[way], line->lane) = 0;
  if (absent) {
    for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
      *lane_of(&v.key[i][way], line->lane) = line->key[i];
    *written_back += *lane_of(&v.changed[way], line->lane) != 0;
    *lane_of(&v.changed[way], line->lane) = 0;
    *lane_of(&v.sectors[way], line->lane) = 0;
  }
  return lane_of(&v.sectors[way], line->lane);
}

static inline bool any(lanes vector)
{
  const words pair = (words)vector;

  return pair[0] | pair[1];
}

static inline lanes all(uint8_t value)
{
  return (lanes){0} + (int8_t)value;
}

/* The number of lanes that are all ones. Each of the others is 0. */
static inline uint64_t count_lanes(lanes vector)
{
  const words pair = (words)vector & 0x0101010101010101;

  return ((pair[0] + pair[1]) * 0x0101010101010101) >> 56;
}

/* The age of each line with this key; *found: in which lanes it is present. */
static inline lanes ages_of(const struct vectors *v, uint32_t count, const uint8_t *key,
                            lanes *found)
{
  const lanes k0 = all(key[0]), k1 = all(key[1]), k2 = all(key[2]), k3 = all(key[3]);
  lanes ages = {0}, some = {0};

  for (uint32_t w = 0; w < count; w++) {
    const lanes same = (lanes)(v->key[0][w] == k0) & (lanes)(v->key[1][w] == k1) &
                       (lanes)(v->key[2][w] == k2) & (lanes)(v->key[3][w] == k3);

    some |= same;
    ages |= same & v->age[w];
  }
  *found = some;
  return ages;
}

/* The lines with this key come into the lanes `in` of a way. Returns where one is written back. */
static inline lanes replace(const struct vectors *v, uint32_t way, const uint8_t *key, lanes in)
{
  const lanes written = v->changed[way] & in;

  for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
    v->key[i][way] = (v->key[i][way] & ~in) | (all(key[i]) & in);
  v->sectors[way] &= ~in;
  v->changed[way] &= ~in;
  return written;
}

/* Whether all bytes are the same. *first: the first of them. */
static inline bool same_bytes(const uint8_t bytes[GC_WIDE_LANES], uint8_t *first)
{
  lanes vector;

  memcpy(&vector, bytes, sizeof(vector));
  *first = bytes[0];
  return !any(vector ^ all(*first));
}

/* Accesses of the same sectors in all sets of an even block. The lines before this one in the list
 * become older. Returns the sectors that were absent. */
static inline uint8_t access_even(uint64_t *list, uint32_t count, uint64_t key, uint8_t mask,
                                  bool change, uint64_t *written_back)
{
  uint64_t carried = key;
  uint32_t i;

  for (i = 0; i < count; i++) {
    const uint64_t old = list[i];

    list[i] = carried;
    carried = old;
    if ((uint32_t)old == (uint32_t)key)
      break;
  }
  if (i == count) { /* the oldest one goes */
    *written_back += carried & CHANGED ? GC_WIDE_LANES : 0;
    carried = 0;
  }
  list[0] = key | (carried & ~(uint64_t)UINT32_MAX) | (uint64_t)mask << SECTORS_SHIFT |
            (change ? CHANGED : 0);
  return mask & (uint8_t)~(carried >> SECTORS_SHIFT);
}

void gc_wide_access_block(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                          uint8_t mask[GC_WIDE_LANES], const uint8_t changes[GC_WIDE_LANES],
                          uint64_t *written_back)
{
  const uint32_t count = wide->ways;
  uint64_t *list = list_of(wide, line->block, period);
  struct gc_wide_block *block = &wide->block[line->block];
  uint8_t alike = block->alike, same, stores;
  const bool whole = same_bytes(mask, &same) && same && same_bytes(changes, &stores);
  lanes wanted, change, found, ages, active, had = {0}, written = {0};
  struct vectors v;

  if (whole && block->even) {
    memset(mask,
           access_even(list, count, entry_of(line->key), same, stores && wide->writes_back,
                       written_back),
           GC_WIDE_LANES);
    return;
  }
  v = ways_of(wide, line->block, period);
  memcpy(&wanted, mask, sizeof(wanted));
  memcpy(&change, changes, sizeof(change));
  change = (lanes)(change != 0) & all(wide->writes_back ? 0xff : 0);
  active = (lanes)(wanted != 0);
  ages = ages_of(&v, count, line->key, &found);
  ages |= all((uint8_t)(count - 1)) & ~found;
  for (uint32_t w = 0; w < count; w++) {
    const lanes age = v.age[w];
    const lanes used = (lanes)(age == ages) & active;
    const lanes younger = (lanes)(age < ages) & active;

    v.age[w] = (age - younger) & ~used; /* true is -1 */
    if (!any(used))
      continue;
    if (any(used & ~found))
      written |= replace(&v, w, line->key, used & ~found);
    had |= v.sectors[w] & used;
    v.sectors[w] |= wanted & used;
    v.changed[w] |= change & used;
  }
  *written_back += count_lanes(written);
  wanted &= ~had;
  memcpy(mask, &wanted, sizeof(wanted));
  if (!whole)
    return;
  /* now it is the youngest line in all sets; before, it may have been one of those that are alike */
  block->alike = (uint8_t)(alike + (*lane_of(&ages, 0) >= alike));
  if (block->alike == count) {
    block->even = make_even(wide, line->block);
    block->alike = 0;
  }
}
