/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of up to GC_LINES_SCAN ways. A search compares a byte of the hash with those of all ways.
 */
#include "predict/model/lines.h"

#include <errno.h>

/* The numbers 0 to 15, the lowest first. */
#define ORDER_AT_FIRST UINT64_C(0xfedcba9876543210)

_Static_assert(GC_LINES_SCAN == 16, "an order has 16 numbers of 4 bits");

int gc_few_ways_init(struct gc_lines *lines)
{
  lines->lines = gc_host_table((uint64_t)lines->sets * lines->ways * sizeof *lines->lines);
  lines->heads = gc_host_table(lines->sets * sizeof *lines->heads);
  return lines->lines && lines->heads ? 0 : -ENOMEM;
}

void gc_few_ways_clear(struct gc_lines *lines)
{
  memset(lines->lines, 0, (size_t)lines->sets * lines->ways * sizeof *lines->lines);
  for (uint32_t set = 0; set < lines->sets; set++)
    lines->heads[set] = (struct gc_set_head){.order = ORDER_AT_FIRST};
}

/* Makes the way at a place of the order the newest one. */
static uint64_t moved_to_front(uint64_t order, unsigned place)
{
  const unsigned shift = 4 * place;
  const uint64_t way = order >> shift & 15, below = (UINT64_C(1) << shift) - 1;

  return (order & ~(below << 4 | 15)) | (order & below) << 4 | way;
}

/* All 16 numbers are in the order, so one of the digits is way. */
static unsigned place_of(uint64_t order, uint32_t way)
{
  const uint64_t ones = UINT64_C(0x1111111111111111), zero_at_way = order ^ ones * way;

  return (unsigned)__builtin_ctzll((zero_at_way - ones) & ~zero_at_way & ones << 3) / 4;
}

void gc_few_ways_use(struct gc_lines *lines, uint32_t set, const struct gc_line *line)
{
  uint64_t *order = &lines->heads[set].order;

  *order = moved_to_front(*order,
                          place_of(*order, (uint32_t)(line - lines->lines) - set * lines->ways));
}

/* A random set loses its oldest line. */
static void evict_anywhere(struct gc_lines *lines)
{
  struct gc_set_head *head;
  uint32_t set;

  do {
    set = gc_draw_below(&lines->random, lines->sets);
    head = &lines->heads[set];
  } while (!head->used);
  head->used--;
  lines->lines[(size_t)set * lines->ways + (head->order >> 4 * head->used & 15)].tag = 0;
  lines->used--;
}

/* The place in the order of the way that a new line gets. */
static unsigned place_for_new(struct gc_lines *lines, struct gc_set_head *head)
{
  if (head->used == lines->ways)
    return lines->policy == GC_POLICY_RANDOM
               ? place_of(head->order, gc_draw_below(&lines->random, lines->ways))
               : lines->ways - 1;
  if (lines->limit && lines->used == lines->limit)
    evict_anywhere(lines);
  lines->used++;
  return (unsigned)head->used++;
}

struct gc_line *gc_few_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  struct gc_set_head *head = &lines->heads[set];
  uint64_t *marks;
  unsigned way, shift;

  head->order = moved_to_front(head->order, place_for_new(lines, head));
  way = head->order & 15;
  marks = &head->marks[way / 8];
  shift = 8 * (way % 8);
  *marks = (*marks & ~(UINT64_C(255) << shift)) | mix >> 56 << shift;
  return &lines->lines[(size_t)set * lines->ways + way];
}
