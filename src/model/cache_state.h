/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A cache: its shape and its state. The replacement decides how its sets are stored: as lists in
 * the order of age (aged.h), or with lines that stay in their ways (fixed.h). LRU caches
 * outside the SMs are stored in a third way (wide.h).
 */
#ifndef GC_MODEL_CACHE_STATE_H
#define GC_MODEL_CACHE_STATE_H

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
  GC_HASH_BITS,  /* bit i of the set xor bit bits[i] of the address, as on Fermi (Nugteren et al.
                    2014, 5.1); the number of sets is a power of two */
  GC_HASH_MASKS, /* bit i of the set is the parity of the address bits masks[i]; there are
                    2^bit_count sets */
};

/* How an address becomes a set. */
struct gc_cache_index {
  enum gc_set_hash hash;
  uint32_t bit_count, bits[GC_CACHE_HASH_BITS_MAX];
  uint64_t masks[GC_CACHE_HASH_BITS_MAX];
};

/* Loads at an address with this bit use the other hash of the cache. No address has it otherwise.
 */
#define GC_OTHER_HASH (1ull << 55)

struct gc_cache_shape {
  uint32_t line, sector;  /* bytes, powers of two; a miss fetches one sector of a line */
  uint32_t interleave;    /* adjacent bytes in the same set: a power of two, at least a line */
  uint32_t ways;
  enum gc_replacement replacement;
  enum gc_insertion insertion;
  uint32_t insert_every;
  struct gc_cache_index index, other;
  bool has_other;
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
  bool rare_hash;         /* above_mask is not enough for the hash, or there are two */
  bool in_turn;           /* adjacent lines are in adjacent sets */
  uint64_t last_line;     /* the line used last; UINT64_MAX: none */
  uint8_t *last_sectors;  /* its sectors, one bit each */
  uint64_t placed_line;   /* aged.c, fixed.c: the line whose set was found last, and this set */
  uint32_t placed_set;
  uint32_t line_shift, sector_shift, interleave_shift;
  uint32_t other_shift; /* of the bit for the other hash in the number of a line */
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
  uint16_t *step;         /* [64], GC_HASH_MASKS: how the sets of two lines differ (exclusive or) if
                             their numbers differ in bits 0 to i */
  uint16_t *counts;       /* aged.h: of lines with the same low bits; NULL: no set is long */
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

#endif
