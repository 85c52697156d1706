/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of an LRU cache outside the SMs, GC_WIDE_LANES of them in a block. A line is known by its set
 * and its key: the number of lines that this set gets from lower addresses. Most loads at such a cache are
 * of adjacent lines, which are in adjacent sets and have the same key. So a block is a list of rows,
 * from the oldest to the youngest. A row is a key, and the sets that have this line: its lanes, one
 * bit each. The lines of a set are the rows that have its lane, and a set has as many of them as
 * ways. An access to adjacent lines takes their lanes out of one row or of a few, and makes a row of
 * them at the end. chip.c and wide_cache.c decide which caches are wide.
 */
#ifndef GC_MODEL_WIDE_H
#define GC_MODEL_WIDE_H

#include "model/again.h"
#include "model/cache_state.h"

#define GC_WIDE_LANES 64
#define GC_WIDE_SET_BYTES (8 << 10) /* least size of one way of all sets: 64 lines of 128 bytes */

struct gc_wide_row {
  uint64_t lanes;
  uint64_t entry; /* the key, whether the lines are to be written back, and their sectors */
};

struct gc_wide_block {
  uint64_t period;     /* of the cache, when the block was used last */
  uint32_t first, end; /* the rows in use; those without lanes between them do not count */
  uint32_t limit;      /* when `end` is at it, the others move together */
  uint32_t recent;     /* the row where the line of the last single access was, unless they moved */
};

struct gc_wide {
  uint32_t ways, blocks, capacity; /* capacity: rows of a block */
  struct gc_wide_row *rows;        /* [blocks * capacity] */
  struct gc_wide_block *block;
  bool writes_back;
  uint64_t news;          /* increases when lines come in */
  struct gc_again *again; /* NULL: nothing was noted yet */
};

/* Lines of a block with the same key. */
struct gc_wide_lines {
  uint32_t block;
  uint64_t lanes, key;
};

/* NULL: out of memory. */
struct gc_wide *gc_wide_new(uint32_t sets, uint32_t ways);
void gc_wide_free(struct gc_wide *wide); /* NULL is fine */

/* Whether any of the lines is present. period: of the cache. */
bool gc_wide_has(const struct gc_wide *wide, const struct gc_wide_lines *lines, uint64_t period);
/* The sectors of a line that are present. */
uint8_t gc_wide_sectors(const struct gc_wide *wide, const struct gc_wide_lines *line,
                        uint64_t period);
/* A store changes a line, if it is present. */
void gc_wide_change(struct gc_wide *wide, const struct gc_wide_lines *line, uint64_t period);

/* Accesses one line, which comes in without sectors if it was absent. Returns its sectors, to be
 * read and written until the next access. Adds to *written_back the lines that are written back. */
uint8_t *gc_wide_access(struct gc_wide *wide, const struct gc_wide_lines *line, uint64_t period,
                        uint64_t *written_back);

/* Accesses these sectors of all lines. change: stores, which change the lines. missed[i]: which
 * lanes did not have sector i, if it is one of these. */
void gc_wide_access_block(struct gc_wide *wide, const struct gc_wide_lines *lines, uint64_t period,
                          uint8_t sectors, bool change, uint64_t missed[GC_CACHE_SECTORS_MAX],
                          uint64_t *written_back);

#endif
