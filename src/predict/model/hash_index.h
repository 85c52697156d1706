/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From hashes to numbers, which may be several for one hash: chains. An entry is a number + 1, and
 * in the bits above it those of the hash, so that a search reads what a number stands for only if
 * that is almost surely right. Most chains are empty or have one entry: adding has no branches, and
 * the CPU can predict those of searching and removing.
 */
#ifndef GC_PREDICT_MODEL_HASH_INDEX_H
#define GC_PREDICT_MODEL_HASH_INDEX_H

#include "predict/model/host_table.h"
#include "predict/model/random.h"

#include <string.h>

struct gc_hash_index {
  uint32_t *first; /* entry of each chain; 0: none. Four for each number, or more */
  uint32_t *next;  /* of each number, the entry after its own */
  uint32_t mask;   /* of hashes, for the chain */
  uint32_t number_mask;
  uint32_t numbers; /* are below this */
};

static inline uint32_t gc_hash_of(uint64_t line)
{
  return (uint32_t)gc_mix(line);
}

static inline void gc_hash_index_clear(struct gc_hash_index *index)
{
  if (index->first)
    memset(index->first, 0, ((size_t)index->mask + 1) * sizeof *index->first);
}

static inline void gc_hash_index_fini(struct gc_hash_index *index)
{
  free(index->first);
  free(index->next);
  memset(index, 0, sizeof *index);
}

/* Empty, for numbers below this one; *index must be zero. false: no memory. */
static inline bool gc_hash_index_init(struct gc_hash_index *index, uint32_t numbers)
{
  uint64_t chains = 64;

  while (chains < 4 * (uint64_t)numbers)
    chains *= 2;
  index->mask = (uint32_t)(chains - 1);
  while (index->number_mask < numbers)
    index->number_mask = 2 * index->number_mask + 1;
  index->numbers = numbers;
  index->first = gc_host_table(chains * sizeof *index->first);
  index->next = gc_host_table(numbers * sizeof *index->next);
  if (!index->first || !index->next) {
    gc_hash_index_fini(index);
    return false;
  }
  gc_hash_index_clear(index);
  return true;
}

static inline uint32_t gc_hash_entry(const struct gc_hash_index *index, uint32_t hash,
                                     uint32_t number)
{
  return (hash & ~index->number_mask) | (number + 1);
}

/* From an entry on, the first one that may have this hash; 0: none. */
static inline uint32_t gc_hash_search(const struct gc_hash_index *index, uint32_t hash,
                                      uint32_t entry)
{
  while (entry && (entry ^ hash) > index->number_mask)
    entry = index->next[(entry & index->number_mask) - 1];
  return entry;
}

static inline uint32_t gc_hash_first(const struct gc_hash_index *index, uint32_t hash)
{
  return gc_hash_search(index, hash, index->first[hash & index->mask]);
}

static inline uint32_t gc_hash_number(const struct gc_hash_index *index, uint32_t entry)
{
  return (entry & index->number_mask) - 1;
}

static inline uint32_t gc_hash_next(const struct gc_hash_index *index, uint32_t hash,
                                    uint32_t entry)
{
  return gc_hash_search(index, hash, index->next[gc_hash_number(index, entry)]);
}

static inline void gc_hash_add(struct gc_hash_index *index, uint32_t hash, uint32_t number)
{
  uint32_t *first = &index->first[hash & index->mask];

  index->next[number] = *first;
  *first = gc_hash_entry(index, hash, number);
}

/* Removes a number that is there. */
static inline void gc_hash_remove(struct gc_hash_index *index, uint32_t hash, uint32_t number)
{
  const uint32_t entry = gc_hash_entry(index, hash, number);
  uint32_t *at = &index->first[hash & index->mask];

  while (*at != entry)
    at = &index->next[gc_hash_number(index, *at)];
  *at = index->next[number];
}

static inline void gc_hash_prefetch(const struct gc_hash_index *index, uint32_t hash)
{
  gc_prefetch(&index->first[hash & index->mask]);
}

#endif
