/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/lines.h"

#include "predict/model/host_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed)
{
  size_t count = (size_t)geometry->sets * geometry->ways, buckets = 1;

  memset(lines, 0, sizeof *lines);
  lines->geometry = geometry;
  lines->random = seed;
  lines->policy = fully_associative ? GC_POLICY_LRU : geometry->policy;
  lines->sets = fully_associative ? 1 : geometry->sets;
  lines->ways = fully_associative ? (uint32_t)count : geometry->ways;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_init(lines);
  lines->lines = gc_host_table(count * sizeof *lines->lines);
  if (lines->ways > GC_LINES_SCAN) {
    while (buckets < count)
      buckets *= 2;
    lines->bucket_mask = (uint32_t)(buckets - 1);
    lines->buckets = gc_host_table(buckets * sizeof *lines->buckets);
    lines->lists = gc_host_table(lines->sets * sizeof *lines->lists);
  } else {
    lines->words =
        gc_host_table((size_t)lines->sets * (lines->ways + GC_SET_TAGS) * sizeof *lines->words);
  }
  if (!lines->lines || (!lines->words && (!lines->buckets || !lines->lists))) {
    gc_lines_fini(lines);
    return -ENOMEM;
  }
  gc_lines_clear(lines);
  return 0;
}

void gc_lines_fini(struct gc_lines *lines)
{
  free(lines->tags);
  free(lines->buckets);
  free(lines->lists);
  free(lines->words);
  free(lines->lines);
  memset(lines, 0, sizeof *lines);
}

void gc_lines_clear(struct gc_lines *lines)
{
  if (lines->empty)
    return;
  lines->empty = true;
  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_clear(lines);
    return;
  }
  if (lines->words) {
    size_t words = lines->ways + GC_SET_TAGS;

    memset(lines->words, 0, lines->sets * words * sizeof *lines->words);
    for (size_t set = 0; set < lines->sets; set++)
      lines->words[set * words + GC_SET_ORDER] = UINT64_C(0xfedcba9876543210);
    return;
  }
  for (uint32_t set = 0; set < lines->sets; set++)
    lines->lists[set] = (struct gc_line_list){GC_NO_LINE, GC_NO_LINE, 0};
  memset(lines->buckets, 0xff, ((size_t)lines->bucket_mask + 1) * sizeof *lines->buckets);
}

static uint64_t *words_of(const struct gc_lines *lines, uint32_t set)
{
  return &lines->words[(size_t)set * (lines->ways + GC_SET_TAGS)];
}

struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  uint64_t tag = line + 1;

  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_find(lines, line);
  if (lines->buckets) {
    uint32_t i = lines->buckets[gc_mix(line) & lines->bucket_mask];

    while (i != GC_NO_LINE && lines->lines[i].tag != tag)
      i = lines->lines[i].chain;
    return i == GC_NO_LINE ? NULL : &lines->lines[i];
  }
  const uint64_t *tags = words_of(lines, set) + GC_SET_TAGS;
  for (uint32_t way = 0; way < lines->ways; way++)
    if (tags[way] == tag)
      return &lines->lines[(size_t)set * lines->ways + way];
  return NULL;
}

/* Makes a way the newest one. All 16 numbers are in the order, so one of the digits is way. */
static void move_to_front(uint64_t *order, unsigned way)
{
  const uint64_t ones = UINT64_C(0x1111111111111111);
  uint64_t zero_at_way = *order ^ ones * way;
  uint64_t found = (zero_at_way - ones) & ~zero_at_way & ones << 3;
  unsigned shift = (unsigned)__builtin_ctzll(found) & ~3u;
  uint64_t newer = *order & ((UINT64_C(1) << shift) - 1);
  uint64_t older = *order & ~(UINT64_C(15) << shift) & ~((UINT64_C(1) << shift) - 1);

  *order = older | newer << 4 | way;
}

static void unlink_line(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  const struct gc_line *line = &lines->lines[i];

  if (line->newer == GC_NO_LINE)
    list->newest = line->older;
  else
    lines->lines[line->newer].older = line->older;
  if (line->older == GC_NO_LINE)
    list->oldest = line->newer;
  else
    lines->lines[line->older].newer = line->newer;
}

static void link_newest(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  lines->lines[i].newer = GC_NO_LINE;
  lines->lines[i].older = list->newest;
  if (list->newest == GC_NO_LINE)
    list->oldest = i;
  else
    lines->lines[list->newest].newer = i;
  list->newest = i;
}

void gc_lines_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_use(lines, line);
  } else if (lines->policy != GC_POLICY_LRU) {
    return;
  } else if (lines->words) {
    size_t way = (size_t)(line - lines->lines) - (size_t)set * lines->ways;

    move_to_front(&words_of(lines, set)[GC_SET_ORDER], (unsigned)way);
  } else if (line->newer != GC_NO_LINE) {
    uint32_t i = (uint32_t)(line - lines->lines);

    unlink_line(lines, &lines->lists[set], i);
    link_newest(lines, &lines->lists[set], i);
  }
}

static void unhash(struct gc_lines *lines, uint32_t i)
{
  uint32_t *link = &lines->buckets[gc_mix(lines->lines[i].tag - 1) & lines->bucket_mask];

  while (*link != i)
    link = &lines->lines[*link].chain;
  *link = lines->lines[i].chain;
}

static uint32_t add_to_table(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  struct gc_line_list *list = &lines->lists[set];
  uint32_t *bucket, i;

  if (list->used < lines->ways) {
    i = set * lines->ways + list->used++;
  } else {
    i = lines->policy == GC_POLICY_RANDOM
            ? set * lines->ways + gc_draw_below(&lines->random, lines->ways)
            : list->oldest;
    unlink_line(lines, list, i);
    unhash(lines, i);
  }
  link_newest(lines, list, i);
  bucket = &lines->buckets[gc_mix(line) & lines->bucket_mask];
  lines->lines[i].tag = line + 1;
  lines->lines[i].chain = *bucket;
  *bucket = i;
  return i;
}

static uint32_t add_to_set(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  uint64_t *words = words_of(lines, set);
  unsigned way;

  if (words[GC_SET_USED] < lines->ways)
    way = (unsigned)words[GC_SET_USED]++;
  else if (lines->policy == GC_POLICY_RANDOM)
    way = gc_draw_below(&lines->random, lines->ways);
  else
    way = words[GC_SET_ORDER] >> 4 * (lines->ways - 1) & 15;
  move_to_front(&words[GC_SET_ORDER], way);
  words[GC_SET_TAGS + way] = line + 1;
  return set * lines->ways + way;
}

struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  struct gc_line *added;

  lines->empty = false;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_add(lines, line);
  added =
      &lines->lines[lines->words ? add_to_set(lines, set, line) : add_to_table(lines, set, line)];
  added->sectors = added->pending = 0;
  added->arrival = 0;
  return added;
}
