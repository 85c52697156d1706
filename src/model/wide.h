/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of a large LRU cache, GC_WIDE_LANES of them side by side. Most loads at such a cache are of
 * adjacent lines, which are in adjacent sets. So one vector instruction compares or ages a way of
 * all of these sets. cache.c decides which caches are wide; only it calls these functions.
 *
 * A line is known by its set and its key: the number of lines that this set gets from lower
 * addresses. The order of a set is the age of each way, from 0 (used last) to ways - 1. Free ways
 * are the oldest ones, so the oldest way is always the one to replace.
 */
#ifndef GC_MODEL_WIDE_H
#define GC_MODEL_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define GC_WIDE_LANES 16
#define GC_WIDE_KEY_BYTES 4
/* A key has more bits than it has bytes here. Its upper bits are an index: few values of them
 * occur, because a cache with so many lines per way divides the addresses in use (48 bits, and the
 * lowest ones of two more spaces) into at most 2^31 keys. */
#define GC_WIDE_KEY_BITS 24
#define GC_WIDE_UPPER_MAX 255
#define GC_WIDE_SET_BYTES (128 << 10) /* least bytes of a way of all sets */
#define GC_WIDE_WAYS_MAX 64

typedef int8_t gc_wide_lanes __attribute__((vector_size(GC_WIDE_LANES)));

/* A block is even if all of its sets have the same keys in the same order, with the same sectors.
 * Walks over whole blocks keep it even, or make it even again after a while. Then one list states
 * the contents of all sets. */
struct gc_wide_block {
  uint64_t period; /* of the cache, when the block was used last */
  bool even;
  uint8_t alike;   /* if it is not even: all sets have the same lines in so many of the youngest places */
};

/* What the vectors of a block state. One vector for each way comes after the other, so that a
 * search for one line reads few cache lines of the host. */
enum gc_wide_field {
  GC_WIDE_KEY, /* of each byte of it */
  GC_WIDE_AGE = GC_WIDE_KEY + GC_WIDE_KEY_BYTES,
  GC_WIDE_SECTORS, /* a bit for each one that is present */
  GC_WIDE_CHANGED, /* all ones: to be written back */
  GC_WIDE_FIELDS
};

struct gc_wide {
  uint32_t ways, blocks;    /* blocks: of GC_WIDE_LANES sets */
  gc_wide_lanes *lanes;     /* [blocks][GC_WIDE_FIELDS][ways] */
  uint64_t *list;           /* [blocks * ways]: of even blocks, from the youngest line on */
  struct gc_wide_block *block;
  bool writes_back;
  uint32_t uppers;          /* different upper bits of keys so far */
  uint64_t upper[GC_WIDE_UPPER_MAX];
};

/* A line as this cache knows it. */
struct gc_wide_line {
  uint32_t block, lane;
  uint8_t key[GC_WIDE_KEY_BYTES];
};

/* NULL: out of memory. */
struct gc_wide *gc_wide_new(uint32_t sets, uint32_t ways);
void gc_wide_free(struct gc_wide *wide); /* NULL is fine */

/* The line with this key in this set. */
struct gc_wide_line gc_wide_line(struct gc_wide *wide, uint32_t set, uint64_t key);

/* The way that has the line; ways: none. period: of the cache. */
uint32_t gc_wide_find(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period);
/* A store changes the line in this way. */
void gc_wide_change(struct gc_wide *wide, const struct gc_wide_line *line, uint32_t way);

/* Accesses the line, which comes in without sectors if it was absent. Returns its sectors. Adds to
 * *written_back the lines that are written back. */
uint8_t *gc_wide_access(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                        uint64_t *written_back);

/* Accesses of lines with the same key, each in its lane of the block of `line`: the sectors
 * mask[lane]; 0: none. Afterwards mask has those of them that were absent. changes[lane]: not 0 if
 * it is a store, which changes the line. */
void gc_wide_access_block(struct gc_wide *wide, const struct gc_wide_line *line, uint64_t period,
                          uint8_t mask[GC_WIDE_LANES], const uint8_t changes[GC_WIDE_LANES],
                          uint64_t *written_back);

#endif
