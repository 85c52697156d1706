/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/lines.h"

#include "predict/model/host_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The numbers 0 to 15, the lowest first. */
#define ORDER_AT_FIRST UINT64_C(0xfedcba9876543210)
#define BYTES UINT64_C(0x0101010101010101)

_Static_assert(GC_LINES_SCAN == 16, "an order has 16 numbers of 4 bits");

static int make_tables(struct gc_lines *lines, size_t count)
{
  size_t buckets = 1;

  lines->lines = gc_host_table(count * sizeof *lines->lines);
  if (lines->ways <= GC_LINES_SCAN) {
    lines->heads = gc_host_table(lines->sets * sizeof *lines->heads);
    return lines->lines && lines->heads ? 0 : -ENOMEM;
  }
  while (buckets < 2 * count)
    buckets *= 2;
  lines->bucket_mask = (uint32_t)(buckets - 1);
  lines->buckets = gc_host_table(buckets * sizeof *lines->buckets);
  lines->links = gc_host_table(count * sizeof *lines->links);
  lines->lists = gc_host_table(lines->sets * sizeof *lines->lists);
  return lines->lines && lines->buckets && lines->links && lines->lists ? 0 : -ENOMEM;
}

/* From a set to the next one in turn: no common factor with their number, so that each has its turn
 * once in a round; far away, so that neighbours are not next to each other. */
static uint32_t stride_of_turns(uint32_t sets)
{
  uint32_t stride = sets - sets / 5 * 2;

  for (;; stride++) {
    uint32_t a = sets, b = stride;

    while (b) {
      const uint32_t rest = a % b;

      a = b;
      b = rest;
    }
    if (a == 1)
      return stride;
  }
}

int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed)
{
  size_t count = (size_t)geometry->sets * geometry->ways;

  memset(lines, 0, sizeof *lines);
  lines->geometry = geometry;
  lines->random = seed;
  lines->policy = fully_associative ? GC_POLICY_LRU : geometry->policy;
  if (fully_associative && geometry->limit)
    count = geometry->limit;
  lines->sets = fully_associative ? 1 : geometry->sets;
  lines->stride = stride_of_turns(lines->sets);
  lines->ways = fully_associative ? (uint32_t)count : geometry->ways;
  lines->limit = fully_associative ? 0 : geometry->limit;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_init(lines);
  if (make_tables(lines, count)) {
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
  free(lines->links);
  free(lines->lists);
  free(lines->heads);
  free(lines->lines);
  memset(lines, 0, sizeof *lines);
}

void gc_lines_clear(struct gc_lines *lines)
{
  if (lines->empty)
    return;
  lines->empty = true;
  lines->used = 0;
  lines->turn = 0;
  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_clear(lines);
    return;
  }
  if (lines->heads) {
    memset(lines->lines, 0, (size_t)lines->sets * lines->ways * sizeof *lines->lines);
    for (uint32_t set = 0; set < lines->sets; set++)
      lines->heads[set] = (struct gc_set_head){.order = ORDER_AT_FIRST};
    return;
  }
  for (uint32_t set = 0; set < lines->sets; set++)
    lines->lists[set] = (struct gc_line_list){GC_NO_LINE, GC_NO_LINE, 0};
  memset(lines->buckets, 0xff, ((size_t)lines->bucket_mask + 1) * sizeof *lines->buckets);
}

static uint8_t mark_of(uint64_t line)
{
  return (uint8_t)(gc_mix(line) >> 56);
}

/* The byte at which a mark may be, as its highest bit. A higher byte may be a false one. */
static uint64_t bytes_like(uint64_t marks, uint8_t mark)
{
  const uint64_t zero = marks ^ BYTES * mark;

  return (zero - BYTES) & ~zero & BYTES << 7;
}

static struct gc_line *find_in_set(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  const struct gc_set_head *head = &lines->heads[set];
  struct gc_line *first = &lines->lines[(size_t)set * lines->ways];
  const uint8_t mark = mark_of(line);

  for (uint32_t half = 0; 8 * half < lines->ways; half++) {
    for (uint64_t at = bytes_like(head->marks[half], mark); at; at &= at - 1) {
      const uint32_t way = 8 * half + (uint32_t)__builtin_ctzll(at) / 8;

      if (way < lines->ways && first[way].tag == line + 1)
        return &first[way];
    }
  }
  return NULL;
}

struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  uint32_t hash, i;

  if (lines->heads)
    return find_in_set(lines, set, line);
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_find(lines, line);
  hash = (uint32_t)gc_mix(line);
  i = lines->buckets[hash & lines->bucket_mask];
  while (i != GC_NO_LINE && (lines->links[i].hash != hash || lines->lines[i].tag != line + 1))
    i = lines->links[i].chain;
  return i == GC_NO_LINE ? NULL : &lines->lines[i];
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

/* Moves the number at place `from` to the place `to`, which is not behind it. */
static void move_up(uint64_t *order, unsigned from, unsigned to)
{
  const uint64_t ahead = (UINT64_C(1) << 4 * to) - 1;
  const uint64_t rest = from == 15 ? 0 : *order & ~UINT64_C(0) << 4 * (from + 1);
  const uint64_t way = *order >> 4 * from & 15;
  const uint64_t between = *order & ~ahead & ((UINT64_C(1) << 4 * from) - 1);

  *order = rest | between << 4 | way << 4 * to | (*order & ahead);
}

/* A line that is there is used. */
static void protect(struct gc_set_head *head, unsigned way, uint32_t ways)
{
  unsigned place = 0;

  while ((head->order >> 4 * place & 15) != way)
    place++;
  move_up(&head->order, place, 0);
  head->kept += place >= head->kept && head->kept < ways / 2;
}

static void unlink_line(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  const struct gc_line_link *link = &lines->links[i];

  if (link->newer == GC_NO_LINE)
    list->newest = link->older;
  else
    lines->links[link->newer].older = link->older;
  if (link->older == GC_NO_LINE)
    list->oldest = link->newer;
  else
    lines->links[link->older].newer = link->newer;
}

static void link_newest(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  lines->links[i].newer = GC_NO_LINE;
  lines->links[i].older = list->newest;
  if (list->newest == GC_NO_LINE)
    list->oldest = i;
  else
    lines->links[list->newest].newer = i;
  list->newest = i;
}

void gc_lines_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  const uint32_t i = (uint32_t)(line - lines->lines);

  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_use(lines, line);
  } else if (lines->policy == GC_POLICY_SLRU) {
    protect(&lines->heads[set], i - set * lines->ways, lines->ways);
  } else if (lines->policy != GC_POLICY_LRU) {
    return;
  } else if (lines->heads) {
    move_to_front(&lines->heads[set].order, i - set * lines->ways);
  } else if (lines->links[i].newer != GC_NO_LINE) {
    unlink_line(lines, &lines->lists[set], i);
    link_newest(lines, &lines->lists[set], i);
  }
}

static void unhash(struct gc_lines *lines, uint32_t i)
{
  uint32_t *link = &lines->buckets[lines->links[i].hash & lines->bucket_mask];

  while (*link != i)
    link = &lines->links[*link].chain;
  *link = lines->links[i].chain;
}

/* The next fill of this set will evict its oldest line. */
static void prefetch_victim(const struct gc_lines *lines, const struct gc_line_list *list)
{
  const struct gc_line_link *oldest = &lines->links[list->oldest];

  __builtin_prefetch(&lines->buckets[oldest->hash & lines->bucket_mask]);
  __builtin_prefetch(&lines->lines[list->oldest], 1);
  if (oldest->newer != GC_NO_LINE)
    __builtin_prefetch(&lines->links[oldest->newer]);
}

static uint32_t add_to_table(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  const uint32_t hash = (uint32_t)gc_mix(line);
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
  if (list->used == lines->ways)
    prefetch_victim(lines, list);
  bucket = &lines->buckets[hash & lines->bucket_mask];
  lines->links[i].hash = hash;
  lines->links[i].chain = *bucket;
  *bucket = i;
  return i;
}

/* The next set in turn that has a line loses the last one in its order. */
static void evict_in_turn(struct gc_lines *lines)
{
  struct gc_set_head *head;

  do {
    lines->turn = (uint32_t)(((uint64_t)lines->turn + lines->stride) % lines->sets);
    head = &lines->heads[lines->turn];
  } while (!head->used);
  head->used--;
  if (head->kept > head->used)
    head->kept = head->used;
  lines->lines[(size_t)lines->turn * lines->ways + (head->order >> 4 * head->used & 15)].tag = 0;
  lines->used--;
}

static uint32_t add_to_set(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  struct gc_set_head *head = &lines->heads[set];
  unsigned way, place = lines->ways - 1;

  if (head->used < lines->ways) {
    if (lines->limit && lines->used == lines->limit)
      evict_in_turn(lines);
    place = head->used++;
    way = head->order >> 4 * place & 15;
    lines->used++;
  } else if (lines->policy == GC_POLICY_RANDOM) {
    way = gc_draw_below(&lines->random, lines->ways);
  } else {
    way = head->order >> 4 * place & 15;
  }
  if (lines->policy == GC_POLICY_SLRU)
    move_up(&head->order, place, head->kept);
  else
    move_to_front(&head->order, way);
  head->marks[way / 8] &= ~(UINT64_C(255) << 8 * (way % 8));
  head->marks[way / 8] |= (uint64_t)mark_of(line) << 8 * (way % 8);
  return set * lines->ways + way;
}

struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  struct gc_line *added;

  lines->empty = false;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_add(lines, line);
  added =
      &lines->lines[lines->heads ? add_to_set(lines, set, line) : add_to_table(lines, set, line)];
  added->tag = line + 1;
  added->sectors = added->pending = added->stored = 0;
  added->arrival = 0;
  return added;
}
