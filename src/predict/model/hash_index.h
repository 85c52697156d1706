/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From hashes to numbers, which may be several for one hash: open addressing. A slot has 32 bits of
 * the hash, so that a search reads what a number stands for only if that is almost surely right.
 */
#ifndef GC_PREDICT_MODEL_HASH_INDEX_H
#define GC_PREDICT_MODEL_HASH_INDEX_H

#include "predict/model/host_table.h"
#include "predict/model/random.h"

#include <string.h>

struct gc_hash_slot {
  uint32_t hash;
  uint32_t number; /* + 1; 0: empty */
};

struct gc_hash_index {
  struct gc_hash_slot *slots; /* a power of two, at most half of them full */
  uint32_t mask;
};

static inline uint32_t gc_hash_of(uint64_t line)
{
  return (uint32_t)gc_mix(line);
}

static inline void gc_hash_index_clear(struct gc_hash_index *index)
{
  if (index->slots)
    memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof *index->slots);
}

/* Empty, for so many numbers; *index must have no slots. false: no memory. */
static inline bool gc_hash_index_init(struct gc_hash_index *index, uint64_t numbers)
{
  uint64_t slots = 64;

  while (slots < 2 * numbers)
    slots *= 2;
  index->mask = (uint32_t)(slots - 1);
  index->slots = gc_host_table(slots * sizeof *index->slots);
  gc_hash_index_clear(index);
  return index->slots;
}

/* The slot of a number with this hash, or the empty slot at which the search ended. For the first
 * number, from is the hash; for another one, it is the slot after the one before. */
static inline const struct gc_hash_slot *gc_hash_search(const struct gc_hash_index *index,
                                                        uint32_t hash, uint32_t from)
{
  const struct gc_hash_slot *slot = &index->slots[from & index->mask];

  while (slot->number && slot->hash != hash)
    slot = &index->slots[++from & index->mask];
  return slot;
}

static inline void gc_hash_add(struct gc_hash_index *index, uint32_t hash, uint32_t number)
{
  uint32_t at = hash & index->mask;

  while (index->slots[at].number)
    at = (at + 1) & index->mask;
  index->slots[at] = (struct gc_hash_slot){hash, number + 1};
}

/* Removes a number that is there. Those after it move up, so that no gap ends their search. */
static inline void gc_hash_remove(struct gc_hash_index *index, uint32_t hash, uint32_t number)
{
  struct gc_hash_slot *slots = index->slots;
  const uint32_t mask = index->mask;
  uint32_t gap = hash & mask;

  while (slots[gap].number != number + 1)
    gap = (gap + 1) & mask;
  for (uint32_t at = (gap + 1) & mask; slots[at].number; at = (at + 1) & mask) {
    if (((at - slots[at].hash) & mask) >= ((at - gap) & mask)) {
      slots[gap] = slots[at];
      gap = at;
    }
  }
  slots[gap].number = 0;
}

static inline void gc_hash_prefetch(const struct gc_hash_index *index, uint32_t hash)
{
  gc_prefetch(&index->slots[hash & index->mask]);
}

#endif
