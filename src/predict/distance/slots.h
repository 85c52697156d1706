/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A row of slots, of which some are live, and the number of live slots behind a given one. A new
 * slot is always appended at the end, and any live slot can be removed.
 *
 * The live slots are bits. Above their words is a tree: a node counts, for each of its children, the
 * live slots in the children before it. Counting and removing visit one node on each level, without
 * a branch that depends on the slot. (A Fenwick tree visits four times as many levels, a number that
 * depends on the slot: doc/results/predict-speed.md compares.)
 */
#ifndef GC_PREDICT_DISTANCE_SLOTS_H
#define GC_PREDICT_DISTANCE_SLOTS_H

#include <stdint.h>

#define GC_SLOT_WORD_BITS 6
#define GC_SLOT_FAN_BITS 4
#define GC_SLOT_FAN (1u << GC_SLOT_FAN_BITS)
#define GC_SLOTS_MOST (UINT32_C(1) << 30)
#define GC_SLOT_LEVELS ((30 - GC_SLOT_WORD_BITS) / GC_SLOT_FAN_BITS)

/* As a vector, because compilers do not find the best code for the loop. */
typedef int32_t gc_slot_vector __attribute__((vector_size(16)));
typedef struct {
  gc_slot_vector part[GC_SLOT_FAN / 4];
} gc_slot_node;

struct gc_slots {
  uint32_t capacity; /* a power of two */
  uint32_t end;      /* slots in use, live or not */
  uint32_t live;
  unsigned levels;
  uint64_t *words;
  /* before[0] counts words, before[1] nodes of before[0], and so on. What a node says of children
   * behind the one that contains the last slot has no meaning. */
  gc_slot_node *before[GC_SLOT_LEVELS];
};

/* Makes *slots, uninitialised before, with this number of live slots and nothing else. The capacity
 * is at least GC_SLOT_ROOM times as large. 0 or -ENOMEM. */
#define GC_SLOT_ROOM 4
int gc_slots_new(struct gc_slots *slots, uint32_t live);
void gc_slots_free(struct gc_slots *slots);

/* Forgets all slots; keeps the memory. */
void gc_slots_clear(struct gc_slots *slots);

/* For gc_slots_append: enters a word. */
void gc_slots_open_word(struct gc_slots *slots, uint32_t word);

/* Without the instruction, which not every x86 has. */
static inline uint32_t gc_count_bits(uint64_t word)
{
#ifdef __POPCNT__
  return (uint32_t)__builtin_popcountll(word);
#else
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (uint32_t)(word * 0x0101010101010101u >> 56);
#endif
}

/* Live slots before this one. */
static inline uint32_t gc_slots_rank(const struct gc_slots *slots, uint32_t slot)
{
  uint32_t child = slot >> GC_SLOT_WORD_BITS;
  uint32_t count = gc_count_bits(slots->words[child] & ((UINT64_C(1) << slot % 64) - 1));

  for (unsigned level = 0; level < slots->levels; level++, child >>= GC_SLOT_FAN_BITS)
    count += ((const uint32_t *)slots->before[level])[child];
  return count;
}

/* Removes a live slot. Returns the number of live slots behind it. */
static inline uint32_t gc_slots_remove(struct gc_slots *slots, uint32_t slot)
{
  static const gc_slot_node number = {{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}};
  uint32_t child = slot >> GC_SLOT_WORD_BITS;
  const uint64_t bit = UINT64_C(1) << slot % 64;
  uint32_t count = gc_count_bits(slots->words[child] & (bit - 1));

  slots->words[child] ^= bit;
  for (unsigned level = 0; level < slots->levels; level++) {
    gc_slot_node *node = &slots->before[level][child >> GC_SLOT_FAN_BITS];
    const int32_t in_node = child % GC_SLOT_FAN;

    count += (uint32_t)node->part[in_node / 4][in_node % 4];
    for (unsigned i = 0; i < GC_SLOT_FAN / 4; i++)
      node->part[i] += number.part[i] > in_node; /* true is -1 */
    child >>= GC_SLOT_FAN_BITS;
  }
  return --slots->live - count;
}

/* Needs end < capacity. Returns the number of the new slot. */
static inline uint32_t gc_slots_append(struct gc_slots *slots)
{
  const uint32_t slot = slots->end++;

  if (slot % 64 == 0)
    gc_slots_open_word(slots, slot >> GC_SLOT_WORD_BITS);
  slots->words[slot >> GC_SLOT_WORD_BITS] |= UINT64_C(1) << slot % 64;
  slots->live++;
  return slot;
}

#endif
