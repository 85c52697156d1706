/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One set-associative cache. It keeps no data, only which sectors of which lines are present, in
 * flat arrays that are made once; emptying it forgets one counter per set. Fast enough that
 * hundreds of millions of accesses are no burden: the line used last is found without a look at its
 * set.
 */
#ifndef GC_MODEL_CACHE_H
#define GC_MODEL_CACHE_H

#include "model/noise.h"

#include <stdbool.h>
#include <stdint.h>

#define GC_CACHE_WAYS_MAX 128
#define GC_CACHE_SECTORS_MAX 8
#define GC_CACHE_HASH_BITS_MAX 16

enum gc_replacement {
  GC_REPLACE_LRU,
  GC_REPLACE_PLRU,     /* tree of bits over the ways, a power of two of them */
  GC_REPLACE_RANDOM,   /* every way alike */
  GC_REPLACE_WEIGHTED, /* way i with probability weights[i] / sum: Fermi (Mei et al. 2014, 4.2) */
};

enum gc_set_hash {
  GC_HASH_NONE, /* set = line mod sets */
  GC_HASH_XOR,  /* low bits xor the bits above them; sets a power of two */
  GC_HASH_SKEW, /* each run of `sets` lines is turned a little further; any number of sets */
  GC_HASH_BITS, /* bit i of the set xor bit hash_bits[i] of the address, as on Fermi (Nugteren et
                   al. 2014, 5.1); sets a power of two */
};

struct gc_cache_shape {
  uint32_t line, sector;  /* bytes, powers of two; a miss fetches one sector of a line */
  uint32_t interleave;    /* bytes in a row that go to the same set: a power of two, line or more */
  uint32_t ways;
  enum gc_replacement replacement;
  enum gc_set_hash hash;
  uint32_t hash_bit_count, hash_bits[GC_CACHE_HASH_BITS_MAX];
  uint32_t weights[GC_CACHE_WAYS_MAX];
};

struct gc_cache {
  const struct gc_cache_shape *shape;
  uint32_t sets, sets_max;
  uint64_t reciprocal;    /* floor(2^64 / sets): a division by sets without dividing */
  uint64_t last_line;     /* line used last, and where it is; UINT64_MAX: none */
  uint64_t last_slot;
  uint32_t line_shift, sector_shift, interleave_shift;
  uint32_t weight_sum;
  bool used;              /* something came in since it was emptied */
  uint64_t *tags;         /* line numbers [sets_max * ways] */
  uint8_t *sectors;       /* [sets_max * ways]: bit per sector present */
  uint8_t *filled;        /* [sets_max]: ways in use: the first so many, LRU: the last */
  uint8_t *young;         /* [sets_max], LRU only: the way that was used last */
  uint64_t *tree;         /* [sets_max * 2], PLRU only */
};

/* Largest number of sets it will ever have. The shape must outlive the cache. 0 or -ENOMEM. */
int gc_cache_init(struct gc_cache *cache, const struct gc_cache_shape *shape, uint32_t sets_max);
void gc_cache_fini(struct gc_cache *cache);

/* Empties it and gives it so many sets, 1 to sets_max. */
void gc_cache_resize(struct gc_cache *cache, uint32_t sets);
void gc_cache_empty(struct gc_cache *cache);

/* The line used last is now this one, which comes in if it was not there: then without any sector. */
void gc_cache_turn_to_line(struct gc_cache *cache, uint64_t address, struct gc_random *random);

/* Accesses to several sectors of the line at address, a bit for each: those that were there.
 * Afterwards all are. */
static inline uint8_t gc_cache_access_sectors(struct gc_cache *cache, uint64_t address, uint8_t mask,
                                              struct gc_random *random)
{
  uint8_t had;

  if (address >> cache->line_shift != cache->last_line)
    gc_cache_turn_to_line(cache, address, random);
  had = cache->sectors[cache->last_slot];
  cache->sectors[cache->last_slot] = had | mask;
  return had & mask;
}

/* The bit of the sector that an address is in. */
static inline uint8_t gc_cache_sector_of(const struct gc_cache *cache, uint64_t address)
{
  const uint32_t index = (uint32_t)(address >> cache->sector_shift) &
                         ((1u << (cache->line_shift - cache->sector_shift)) - 1);

  return (uint8_t)(1u << index);
}

/* One access: true when the sector was there; afterwards it is. */
static inline bool gc_cache_access(struct gc_cache *cache, uint64_t address,
                                   struct gc_random *random)
{
  return gc_cache_access_sectors(cache, address, gc_cache_sector_of(cache, address), random);
}

#endif
