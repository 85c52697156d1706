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
  /* the host provides pages when they are used */
  wide->way = calloc((size_t)wide->blocks * ways, sizeof(*wide->way));
  wide->period = calloc(wide->blocks, sizeof(*wide->period));
  if (!wide->way || !wide->period) {
    gc_wide_free(wide);
    return NULL;
  }
  return wide;
}

void gc_wide_free(struct gc_wide *wide)
{
  if (!wide)
    return;
  free(wide->way);
  free(wide->period);
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

static inline uint8_t *lane_of(lanes *vector, uint32_t lane)
{
  return (uint8_t *)vector + lane;
}

/* The ways of a block. It becomes empty if the cache was emptied. */
static inline struct gc_wide_way *ways_of(struct gc_wide *wide, uint32_t block, uint64_t period)
{
  struct gc_wide_way *ways = wide->way + (size_t)block * wide->ways;

  if (wide->period[block] == period)
    return ways;
  wide->period[block] = period;
  for (uint32_t w = 0; w < wide->ways; w++) {
    memset(&ways[w].key[GC_WIDE_KEY_BYTES - 1], NO_UPPER, GC_WIDE_LANES);
    memset(&ways[w].age, (int)(wide->ways - 1 - w), GC_WIDE_LANES);
    memset(&ways[w].changed, 0, GC_WIDE_LANES);
  }
  return ways;
}

static inline uint32_t find(struct gc_wide_way *ways, uint32_t count,
                            const struct gc_wide_line *line)
{
  for (uint32_t w = 0; w < count; w++) {
    uint32_t same = 0;

    while (same < GC_WIDE_KEY_BYTES &&
           *lane_of(&ways[w].key[same], line->lane) == line->key[same])
      same++;
    if (same == GC_WIDE_KEY_BYTES)
      return w;
  }
  return count;
}

uint32_t gc_wide_find(const struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period)
{
  if (wide->period[line->block] != period)
    return wide->ways;
  return find(wide->way + (size_t)line->block * wide->ways, wide->ways, line);
}

void gc_wide_change(struct gc_wide *wide, const struct gc_wide_line *line, uint32_t way)
{
  struct gc_wide_way *ways = wide->way + (size_t)line->block * wide->ways;

  if (wide->writes_back)
    *lane_of(&ways[way].changed, line->lane) = 0xff;
}

uint8_t *gc_wide_access(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                        uint64_t *written_back)
{
  struct gc_wide_way *ways = ways_of(wide, line->block, period);
  uint32_t way = find(ways, wide->ways, line);
  const bool absent = way == wide->ways;
  const uint8_t age =
    absent ? (uint8_t)(wide->ways - 1) : *lane_of(&ways[way].age, line->lane);

  for (uint32_t w = 0; w < wide->ways; w++) {
    uint8_t *const own = lane_of(&ways[w].age, line->lane);

    if (*own == age)
      way = w;
    *own += *own < age;
  }
  *lane_of(&ways[way].age, line->lane) = 0;
  if (absent) {
    for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
      *lane_of(&ways[way].key[i], line->lane) = line->key[i];
    *written_back += *lane_of(&ways[way].changed, line->lane) != 0;
    *lane_of(&ways[way].changed, line->lane) = 0;
    *lane_of(&ways[way].sectors, line->lane) = 0;
  }
  return lane_of(&ways[way].sectors, line->lane);
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

/* How many lanes are all ones; the others are 0. */
static inline uint64_t count_lanes(lanes vector)
{
  const words pair = (words)vector & 0x0101010101010101;

  return ((pair[0] + pair[1]) * 0x0101010101010101) >> 56;
}

/* The age of each line with this key; *found: in which lanes it is present. */
static inline lanes ages_of(const struct gc_wide_way *ways, uint32_t count, const uint8_t *key,
                            lanes *found)
{
  const lanes k0 = all(key[0]), k1 = all(key[1]), k2 = all(key[2]), k3 = all(key[3]);
  lanes ages = {0}, some = {0};

  for (uint32_t w = 0; w < count; w++) {
    const struct gc_wide_way *way = &ways[w];
    const lanes same = (lanes)(way->key[0] == k0) & (lanes)(way->key[1] == k1) &
                       (lanes)(way->key[2] == k2) & (lanes)(way->key[3] == k3);

    some |= same;
    ages |= same & way->age;
  }
  *found = some;
  return ages;
}

/* The lines with this key come into the lanes `in` of a way. Returns where one is written back. */
static inline lanes replace(struct gc_wide_way *way, const uint8_t *key, lanes in)
{
  const lanes written = way->changed & in;

  for (uint32_t i = 0; i < GC_WIDE_KEY_BYTES; i++)
    way->key[i] = (way->key[i] & ~in) | (all(key[i]) & in);
  way->sectors &= ~in;
  way->changed &= ~in;
  return written;
}

void gc_wide_access_block(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                          uint8_t mask[GC_WIDE_LANES], const uint8_t changes[GC_WIDE_LANES],
                          uint64_t *written_back)
{
  struct gc_wide_way *ways = ways_of(wide, line->block, period);
  const uint32_t count = wide->ways;
  lanes wanted, change, found, ages, active, had = {0}, written = {0};

  memcpy(&wanted, mask, sizeof(wanted));
  memcpy(&change, changes, sizeof(change));
  change = (lanes)(change != 0) & all(wide->writes_back ? 0xff : 0);
  active = (lanes)(wanted != 0);
  ages = ages_of(ways, count, line->key, &found);
  ages |= all((uint8_t)(count - 1)) & ~found;
  for (uint32_t w = 0; w < count; w++) {
    struct gc_wide_way *way = &ways[w];
    const lanes used = (lanes)(way->age == ages) & active;
    const lanes younger = (lanes)(way->age < ages) & active;

    way->age = (way->age - younger) & ~used; /* true is -1 */
    if (!any(used))
      continue;
    if (any(used & ~found))
      written |= replace(way, line->key, used & ~found);
    had |= way->sectors & used;
    way->sectors |= wanted & used;
    way->changed |= change & used;
  }
  *written_back += count_lanes(written);
  wanted &= ~had;
  memcpy(mask, &wanted, sizeof(wanted));
}
