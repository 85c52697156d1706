/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One set-associative cache. It stores no data, only which sectors of which lines are present, in
 * arrays that are allocated once. Hundreds of millions of accesses must be affordable. So all that
 * most accesses need of a set is in one cache line of the host (cache_set.h), large LRU caches keep
 * their sets side by side (wide.h), emptying a cache changes one number, and the line used last is
 * found without a search.
 */
#ifndef GC_MODEL_CACHE_H
#define GC_MODEL_CACHE_H

#include "model/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_CACHE_WAYS_MAX 192
#define GC_CACHE_SECTORS_MAX 8
#define GC_CACHE_HASH_BITS_MAX 16

enum gc_replacement {
  GC_REPLACE_LRU,
  GC_REPLACE_SLRU,     /* segmented LRU: lines that hit are protected, up to half of the ways; the
                          oldest of the others is replaced (Karedla et al. 1994) */
  GC_REPLACE_PLRU,     /* binary tree over the ways, whose number is a power of two */
  GC_REPLACE_RANDOM,   /* every way with the same probability */
  GC_REPLACE_WEIGHTED, /* way i with probability weights[i] / sum: Fermi (Mei et al. 2014, 4.2); a
                          way that was drawn is replaced in redraw_every successive misses */
};

/* Where a new line comes in, if lines are replaced by age. */
enum gc_insertion {
  GC_INSERT_YOUNGEST, /* as the line used last */
  GC_INSERT_BIMODAL,  /* as the oldest line, and one time in insert_every as the youngest */
  GC_INSERT_DUEL,     /* as the one of these two ways that misses less in some sets of each (set
                         duelling: DIP, Qureshi et al. 2007) */
};

enum gc_set_hash {
  GC_HASH_NONE,  /* set = line mod sets */
  GC_HASH_XOR,   /* low bits xor the bits above them; the number of sets is a power of two */
  GC_HASH_SKEW,  /* each run of `sets` lines is rotated further; any number of sets */
  GC_HASH_BITS,  /* bit i of the set xor bit hash_bits[i] of the address, as on Fermi (Nugteren et
                    al. 2014, 5.1); the number of sets is a power of two */
  GC_HASH_MASKS, /* bit i of the set is the parity of the address bits hash_masks[i]; there are
                    2^hash_bit_count sets */
};

struct gc_cache_shape {
  uint32_t line, sector;  /* bytes, powers of two; a miss fetches one sector of a line */
  uint32_t interleave;    /* adjacent bytes in the same set: a power of two, at least a line */
  uint32_t ways;
  enum gc_replacement replacement;
  enum gc_insertion insertion;
  uint32_t insert_every;
  enum gc_set_hash hash;
  uint32_t hash_bit_count, hash_bits[GC_CACHE_HASH_BITS_MAX];
  uint64_t hash_masks[GC_CACHE_HASH_BITS_MAX];
  uint32_t weights[GC_CACHE_WAYS_MAX], redraw_every;
};

struct gc_cache;
struct gc_wide;

/* Accesses n times the sectors mask[i] (one bit each) of the line at address[i], in order. A line
 * that was absent comes in without sectors. Afterwards its sectors mask[i] are present, and mask[i]
 * has those of them that were not. loads[i]: how many loads these are, one after the other; NULL:
 * one each. */
typedef void gc_cache_access_lines(struct gc_cache *cache, const uint64_t *address, uint8_t *mask,
                                   const uint8_t *loads, unsigned n, struct gc_random *random);

struct gc_cache {
  gc_cache_access_lines *access_lines;
  const struct gc_cache_shape *shape;
  uint32_t sets, sets_max;
  uint64_t reciprocal;    /* floor(2^64 / sets): replaces division by sets */
  uint32_t above_mask;    /* of the bits above those of the set, which of them the hash uses */
  bool rare_hash;         /* none of the hashes that above_mask is enough for */
  uint64_t last_line;     /* the line used last; UINT64_MAX: none */
  uint8_t *last_sectors;  /* its sectors, one bit each */
  uint32_t last_set;
  uint32_t line_shift, sector_shift, interleave_shift;
  uint32_t weight_sum;
  int32_t duel;           /* misses of sets that insert youngest less those of bimodal ones */
  bool used;              /* it was accessed since it was emptied */
  uint32_t ways, record;  /* record: cache_set.h; 64-bit words of a set */
  uint64_t period;        /* increases when the cache is emptied; a multiple of GC_SET_PERIOD */
  uint32_t limit, lines;  /* limit: the most lines of all sets; 0: what the sets hold. Then lines
                             is how many there are */
  uint32_t turn, stride;  /* with a limit: the set that lost a line last, and how far away the next
                             one in turn is */
  uint64_t *tags;         /* line numbers [sets_max * ways] */
  uint16_t *step;         /* [64], GC_HASH_MASKS: how sets of adjacent lines differ (exclusive or) if the
                             second one is a multiple of 2^i, and not of 2^(i + 1) */
  uint8_t *kept;          /* SLRU: the number of protected lines [sets_max]; else NULL */
  uint64_t *records;      /* [sets_max * record] */
  void *memory;           /* what records are part of */
  bool writes_back;       /* lines that a store has changed are written back */
  uint64_t *changed;      /* [sets_max * words], if lines are not replaced by age: a bit for each way
                             whose line a store has changed; NULL: nothing is to be written back */
  uint64_t changed_lines; /* how many there are */
  uint64_t written_back;  /* how many of such lines have been replaced so far */
  struct gc_wide *wide;   /* instead of tags, kept, records and changed; NULL: the cache is not wide */
};

/* sets_max: the largest number of sets that the cache will have. The shape must outlive the cache.
 * Returns 0 or -ENOMEM. */
int gc_cache_init(struct gc_cache *cache, const struct gc_cache_shape *shape, uint32_t sets_max);
void gc_cache_fini(struct gc_cache *cache);

/* Makes the cache wide (wide.h) if it is a large LRU cache. It must be empty, and never gets a limit.
 * 0 or -ENOMEM. */
int gc_cache_widen(struct gc_cache *cache);

/* Empties the cache; _resize also sets the number of sets, 1 to sets_max, which have as many lines
 * as ways then. */
void gc_cache_resize(struct gc_cache *cache, uint32_t sets);
void gc_cache_empty(struct gc_cache *cache);

/* Empties the cache, which has space for so many lines only from now on, whatever their sets. If it
 * is used up and a line comes into a set with a free way, the sets lose a line in turn, in an order
 * unlike that of their numbers: the line that a full set would lose. The replacement must be LRU or
 * SLRU. */
void gc_cache_limit(struct gc_cache *cache, uint32_t lines);

/* Makes the cache keep track of lines that stores change, so that they are written back when they
 * are replaced. 0 or -ENOMEM. */
int gc_cache_write_back(struct gc_cache *cache);
/* A store has changed the line at this address. Nothing happens if it is not present. */
void gc_cache_change(struct gc_cache *cache, uint64_t address);

/* Whether accesses take random numbers. */
bool gc_cache_draws(const struct gc_cache_shape *shape);

/* Whether the line at this address is present. Changes nothing. */
bool gc_cache_has(const struct gc_cache *cache, uint64_t address);

/* The set of the line at this address. */
uint32_t gc_cache_set(const struct gc_cache *cache, uint64_t address);

/* Accesses `count` adjacent lines, the first one at this address, in order: the sectors mask[i]; 0:
 * none. Afterwards mask[i] has those of them that were absent. loads: see gc_cache_access_lines.
 * changes[i]: not 0 if it is a store, which changes the line; NULL: there are none. */
void gc_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                            const uint8_t *loads, const uint8_t *changes, unsigned count,
                            struct gc_random *random);

/* The sectors of the line at address that are present, one bit each, to be read and written until
 * another line is used. The line becomes the one used last. */
static inline uint8_t *gc_cache_sectors(struct gc_cache *cache, uint64_t address,
                                        struct gc_random *random)
{
  uint8_t none = 0;

  if (address >> cache->line_shift != cache->last_line)
    cache->access_lines(cache, &address, &none, NULL, 1, random);
  return cache->last_sectors;
}

/* Accesses several sectors of the line at address, one bit each. Returns the sectors that were
 * present. Afterwards all of them are. */
static inline uint8_t gc_cache_access_sectors(struct gc_cache *cache, uint64_t address,
                                              uint8_t mask, struct gc_random *random)
{
  uint8_t *const present = gc_cache_sectors(cache, address, random), had = *present;

  *present = had | mask;
  return had & mask;
}

/* The bit of an address's sector. */
static inline uint8_t gc_cache_sector_of(const struct gc_cache *cache, uint64_t address)
{
  const uint32_t index = (uint32_t)(address >> cache->sector_shift) &
                         ((1u << (cache->line_shift - cache->sector_shift)) - 1);

  return (uint8_t)(1u << index);
}

/* One access: returns whether the sector was present. Afterwards it is. */
static inline bool gc_cache_access(struct gc_cache *cache, uint64_t address,
                                   struct gc_random *random)
{
  return gc_cache_access_sectors(cache, address, gc_cache_sector_of(cache, address), random);
}

#endif
