/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What few_ways.c, many_ways.c and survival.c share: the state of a cache.
 */
#ifndef GC_PREDICT_MODEL_CACHE_LINES_H
#define GC_PREDICT_MODEL_CACHE_LINES_H

#include "predict/model/gpu.h"
#include "predict/model/hash_index.h"

#include <stddef.h>

struct gc_line {
  uint64_t tag;     /* line number + 1; 0: empty */
  uint64_t arrival; /* L2: the time before which the pending sectors have not arrived */
  uint32_t sectors; /* bit i: sector i is there */
  uint32_t pending; /* L2: of these, those that may not have arrived */
  uint32_t stored;  /* parts (GC_LINE_PARTS) that stores have made valid */
  uint32_t next;    /* many ways: the entry of its chain after its own */
};

#define GC_NO_LINE UINT32_MAX

typedef uint8_t gc_marks __attribute__((vector_size(GC_LINES_SCAN)));
typedef uint64_t gc_mark_words __attribute__((vector_size(GC_LINES_SCAN)));

/* A set of few ways. */
struct gc_set_head {
  gc_marks marks; /* a byte of the hash of each way's line */
  uint64_t order; /* the number of a way in each 4 bits, the newest in the lowest; after those in
                     use come the empty ones */
  uint32_t used;  /* ways */
  uint32_t kept;  /* SLRU: the protected ones, which are the first in the order */
};

/* The lines of a set of many ways. Positions count all slots that were used, modulo 2^32. */
struct gc_ring {
  uint32_t first, end; /* positions that the ring has; those of some are empty: tag 0 */
  uint32_t used;       /* ways; of the first ring of a set, all of its ways */
};

struct gc_lines {
  enum gc_policy policy;
  uint32_t sets, ways;
  uint32_t limit, used; /* lines of all sets; limit 0: as many as the sets hold */
  bool empty;
  struct gc_line *lines;
  struct gc_set_head *heads;  /* few ways, else NULL */
  struct gc_hash_index index; /* survival curve: of the numbers of lines; else zero */
  struct gc_ring *rings;      /* many ways, else NULL: each has slot_mask + 1 lines */
  bool segmented;             /* SLRU: sets have two rings */
  uint32_t *chains;           /* of each ring, chain_mask + 1: the first entry */
  uint32_t *positions;        /* of the lines of the ways of each set; NULL: not random */
  uint32_t slot_mask, chain_mask, position_mask;
  uint32_t turn, stride; /* with a limit: the set that lost a line last; from it to the next set */
  uint64_t random;
  /* GC_POLICY_SURVIVAL only: lines are there or away, in the order in which they were added. */
  double *expires; /* of each line, the number of fills from which on it is away */
  uint64_t fills;
  const struct gc_cache_geometry *geometry; /* for its curve */
};

/* The number of a line in the index, or GC_NO_LINE. */
static inline uint32_t gc_lines_number(const struct gc_lines *lines, uint64_t line, uint32_t hash)
{
  uint32_t entry = gc_hash_first(&lines->index, hash);

  while (entry && lines->lines[gc_hash_number(&lines->index, entry)].tag != line + 1)
    entry = gc_hash_next(&lines->index, hash, entry);
  return entry ? gc_hash_number(&lines->index, entry) : GC_NO_LINE;
}

static inline uint32_t *gc_many_ways_chain(const struct gc_lines *lines, size_t ring, uint32_t hash)
{
  return &lines->chains[ring * (lines->chain_mask + (size_t)1) + (hash & lines->chain_mask)];
}

/* The slot of a position or of an entry of a chain. */
static inline struct gc_line *gc_many_ways_at(const struct gc_lines *lines, size_t ring,
                                              uint32_t position)
{
  return &lines->lines[ring * (lines->slot_mask + (size_t)1) + (position & lines->slot_mask)];
}

/* Each entry of the chain is older than the one before, as far as it is in the ring. */
GC_ALWAYS_INLINE struct gc_line *gc_many_ways_search(const struct gc_lines *lines, size_t ring,
                                                     uint64_t line, uint32_t hash)
{
  const struct gc_ring *own = &lines->rings[ring];
  uint32_t entry = *gc_many_ways_chain(lines, ring, hash), before = 0;

  for (;;) {
    const uint32_t age = (own->end - entry) & lines->position_mask; /* 1: the newest */
    struct gc_line *found = gc_many_ways_at(lines, ring, entry);

    if (age <= before || age > own->end - own->first)
      return NULL;
    if (!((entry ^ hash) & ~lines->position_mask) && found->tag == line + 1)
      return found;
    before = age;
    entry = found->next;
  }
}

GC_ALWAYS_INLINE struct gc_line *gc_many_ways_find(const struct gc_lines *lines, uint32_t set,
                                                   uint64_t line, uint32_t hash)
{
  const size_t ring = (size_t)set << lines->segmented;
  struct gc_line *found = gc_many_ways_search(lines, ring, line, hash);

  if (!found && lines->segmented)
    found = gc_many_ways_search(lines, ring + 1, line, hash);
  return found;
}

/* Loads the first entry that a search will read; then the line of that entry, if there is one. */
static inline void gc_many_ways_prefetch(const struct gc_lines *lines, uint32_t set, uint32_t hash)
{
  gc_prefetch(gc_many_ways_chain(lines, (size_t)set << lines->segmented, hash));
}

static inline void gc_many_ways_prefetch_line(const struct gc_lines *lines, uint32_t set,
                                              uint32_t hash)
{
  const size_t ring = (size_t)set << lines->segmented;
  const struct gc_ring *own = &lines->rings[ring];
  const uint32_t entry = *gc_many_ways_chain(lines, ring, hash);

  if (((own->end - entry) & lines->position_mask) <= own->end - own->first)
    gc_prefetch(gc_many_ways_at(lines, ring, entry));
}

/* An add function returns a line whose contents are those of another one; NULL: no memory. mix is
 * gc_mix of the number of the line. */
int gc_many_ways_init(struct gc_lines *lines);
void gc_many_ways_clear(struct gc_lines *lines);
struct gc_line *gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line);
struct gc_line *gc_many_ways_protect(struct gc_lines *lines, uint32_t set, struct gc_line *line);
struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix);

int gc_survival_init(struct gc_lines *lines);
void gc_survival_clear(struct gc_lines *lines);
void gc_survival_use(struct gc_lines *lines, const struct gc_line *line);
struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line, uint64_t mix);

#endif
