/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A row of slots, of which some are live, and the number of live slots behind a given one. A new
 * slot is always appended at the end, and any live slot can be removed.
 *
 * The live slots are bits of words. Above the words is a tree: a node has, for each of its 16
 * children, the number of live slots in the children before it. Counting and removing visit one
 * node on each level. No branch depends on the slot, and an appended slot changes the tree only
 * once in 64 times.
 */
#ifndef GC_PREDICT_DISTANCE_SLOTS_H
#define GC_PREDICT_DISTANCE_SLOTS_H

#include "util/bits.h"

#include <stdint.h>

#define GC_SLOT_FAN 16
#define GC_SLOT_LEAST (64 * GC_SLOT_FAN) /* slots in a row with one node */
#define GC_SLOT_MOST (UINT32_C(1) << 30)
#define GC_SLOT_LEVELS 6 /* 64 * 16^6 = 2^30 */

/* A new row has room for at least this number of times its live slots. */
#define GC_SLOT_ROOM 4

/* Vectors of the size that every x86-64 and Arm CPU has. GCC breaks larger ones into numbers, and
 * compares unsigned ones slowly. */
typedef int32_t gc_slot_vector __attribute__((vector_size(16)));

struct gc_slot_node {
  gc_slot_vector before[GC_SLOT_FAN / 4];
};

struct gc_slots {
  uint32_t capacity; /* a power of two */
  uint32_t end;      /* slots in use, live or not */
  uint32_t live;
  unsigned levels;
  /* A bit for each live slot, and for each that is not yet in use. */
  uint64_t *words;
  /* nodes[0] count in words, nodes[1] in nodes[0], and so on. The counts of children behind the
   * last slot are undefined. */
  struct gc_slot_node *nodes[GC_SLOT_LEVELS];
};

/* Makes a row of live slots only, with at least this capacity; *slots is overwritten. 0 or
 * -ENOMEM. */
int gc_slots_new(struct gc_slots *slots, uint32_t live, uint32_t least);
void gc_slots_free(struct gc_slots *slots);

/* Forgets all slots; keeps the memory. */
void gc_slots_clear(struct gc_slots *slots);

/* For gc_slots_append. */
void gc_slots_open_word(struct gc_slots *slots, uint32_t word);

static inline uint32_t gc_slot_before(const struct gc_slot_node *node, uint32_t child)
{
  return (uint32_t)node->before[child / 4][child % 4];
}

/* Live slots before a live one. */
static inline uint32_t gc_slots_rank(const struct gc_slots *slots, uint32_t slot)
{
  uint32_t child = slot / 64;
  uint32_t count = (uint32_t)gc_ones(slots->words[child] & ((UINT64_C(1) << slot % 64) - 1));

  for (unsigned level = 0; level < slots->levels; level++, child /= GC_SLOT_FAN)
    count += gc_slot_before(&slots->nodes[level][child / GC_SLOT_FAN], child % GC_SLOT_FAN);
  return count;
}

/* Removes a live slot. Returns the number of live slots behind it. */
static inline uint32_t gc_slots_remove(struct gc_slots *slots, uint32_t slot)
{
  static const struct gc_slot_node number = {
      {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}};
  const uint64_t bit = UINT64_C(1) << slot % 64;
  uint32_t child = slot / 64;
  uint32_t count = (uint32_t)gc_ones(slots->words[child] & (bit - 1));

  slots->words[child] ^= bit;
  for (unsigned level = 0; level < slots->levels; level++) {
    struct gc_slot_node *node = &slots->nodes[level][child / GC_SLOT_FAN];
    const int32_t in_node = child % GC_SLOT_FAN;

    count += gc_slot_before(node, in_node);
    for (unsigned i = 0; i < GC_SLOT_FAN / 4; i++)
      node->before[i] += number.before[i] > in_node; /* true is -1 */
    child /= GC_SLOT_FAN;
  }
  return --slots->live - count;
}

/* Needs end < capacity. Returns the number of the new slot. */
static inline uint32_t gc_slots_append(struct gc_slots *slots)
{
  const uint32_t slot = slots->end++;

  if (slot % 64 == 0)
    gc_slots_open_word(slots, slot / 64);
  slots->live++;
  return slot;
}

#endif
