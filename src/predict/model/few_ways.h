/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of up to GC_LINES_SCAN ways. A search compares a byte of the hash with those of all ways.
 */
#ifndef GC_PREDICT_MODEL_FEW_WAYS_H
#define GC_PREDICT_MODEL_FEW_WAYS_H

#include "predict/model/cache_lines.h"

int gc_few_ways_init(struct gc_lines *lines);
void gc_few_ways_clear(struct gc_lines *lines);

/* The next set in turn that has a line loses the last one in its order. */
void gc_few_ways_evict(struct gc_lines *lines);

/* The highest bit of each byte for a way with the mark of this hash. */
static inline gc_mark_words gc_marked_ways(const struct gc_set_head *head, uint64_t mix)
{
  return (gc_mark_words)((gc_marks)(head->marks == (uint8_t)(mix >> 56)) & 0x80);
}

/* All 16 numbers are in the order, so one of the digits is way. */
static inline unsigned gc_place_of(uint64_t order, uint32_t way)
{
  const uint64_t ones = UINT64_C(0x1111111111111111), zero_at_way = order ^ ones * way;

  return (unsigned)__builtin_ctzll((zero_at_way - ones) & ~zero_at_way & ones << 3) / 4;
}

GC_ALWAYS_INLINE struct gc_line *gc_few_ways_find(struct gc_lines *lines, uint32_t set,
                                                  uint64_t line, uint64_t mix)
{
  const struct gc_set_head *head = &lines->heads[set];
  const gc_mark_words marked = gc_marked_ways(head, mix);

  if (!(marked[0] | marked[1])) /* almost surely, if the line is not there */
    return NULL;
  for (uint32_t word = 0; word < GC_LINES_SCAN / 8; word++) {
    for (uint64_t at = marked[word]; at; at &= at - 1) {
      const uint32_t way = 8 * word + (uint32_t)__builtin_ctzll(at) / 8;
      struct gc_line *found = &lines->lines[(size_t)set * lines->ways + way];

      if (way >= lines->ways || found->tag != line + 1) /* ways that do not exist have mark 0 */
        continue;
      if (gc_place_of(head->order, way) < head->used)
        return found;
      found->tag = 0; /* it was evicted; an arrival (gc_event.place) must not find it here */
    }
  }
  return NULL;
}

/* Moves the way at a place of the order to the front. */
static inline uint64_t gc_moved_to_front(uint64_t order, unsigned place)
{
  const uint64_t way = order >> 4 * place & 15, ahead = (UINT64_C(1) << 4 * place) - 1;

  return (order & ~(ahead << 4 | 15)) | (order & ahead) << 4 | way;
}

/* Moves the way at a place of the order up to another place, which is not behind it. */
static inline uint64_t gc_moved_up(uint64_t order, unsigned place, unsigned to)
{
  const unsigned shift = 4 * place;
  const uint64_t way = order >> shift & 15, ahead = (UINT64_C(1) << 4 * to) - 1;
  const uint64_t below = ((UINT64_C(1) << shift) - 1) & ~ahead;

  return (order & ~(below << 4 | below | UINT64_C(15) << 4 * to)) | (order & below) << 4 |
         way << 4 * to;
}

static inline void gc_few_ways_use(struct gc_lines *lines, uint32_t set, const struct gc_line *line)
{
  uint64_t *order = &lines->heads[set].order;
  const uint32_t way = (uint32_t)(line - lines->lines) - set * lines->ways;

  if ((*order & 15) != way)
    *order = gc_moved_to_front(*order, gc_place_of(*order, way));
}

/* SLRU: the line is protected from now on. */
static inline void gc_few_ways_protect(struct gc_lines *lines, uint32_t set,
                                       const struct gc_line *line)
{
  struct gc_set_head *head = &lines->heads[set];
  const unsigned place =
      gc_place_of(head->order, (uint32_t)(line - lines->lines) - set * lines->ways);

  head->order = gc_moved_to_front(head->order, place);
  head->kept += place >= head->kept && head->kept < lines->ways / 2;
}

static inline void gc_set_mark(struct gc_set_head *head, unsigned way, uint8_t mark)
{
  const bool lowest_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

  ((uint8_t *)&head->marks)[lowest_first ? way : way ^ 7] = mark;
}

/* The place in the order of the way that a new line gets. */
GC_ALWAYS_INLINE unsigned gc_place_for_new(struct gc_lines *lines, struct gc_set_head *head)
{
  if (head->used == lines->ways)
    return lines->policy == GC_POLICY_RANDOM
               ? gc_place_of(head->order, gc_draw_below(&lines->random, lines->ways))
               : lines->ways - 1;
  if (lines->limit && lines->used == lines->limit)
    gc_few_ways_evict(lines);
  lines->used++;
  return (unsigned)head->used++;
}

GC_ALWAYS_INLINE struct gc_line *gc_few_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  struct gc_set_head *head = &lines->heads[set];
  const unsigned place = gc_place_for_new(lines, head);
  const unsigned way = head->order >> 4 * place & 15;

  if (lines->policy == GC_POLICY_SLRU)
    head->order = gc_moved_up(head->order, place, head->kept);
  else
    head->order = gc_moved_to_front(head->order, place);
  gc_set_mark(head, way, (uint8_t)(mix >> 56));
  return &lines->lines[(size_t)set * lines->ways + way];
}

#endif
