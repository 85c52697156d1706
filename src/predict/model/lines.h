/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of one cache, with a bit for each sector that is there. Every operation takes a time
 * that does not depend on the number of ways:
 *
 *   few_ways.c    up to GC_LINES_SCAN ways: a set has a byte of the hash of each of its lines
 *   many_ways.c   more: a hash index finds the line, a log of the uses has the order
 *   survival.c    GC_POLICY_SURVIVAL: a hash index of all lines that may still be there, no ways
 *
 * The order of a set is that of use (LRU) or of arrival (FIFO). Cache misses of the host are much of
 * the time of the model. So what a search reads is apart from what only a hit or a fill needs, and
 * as small as possible.
 */
#ifndef GC_PREDICT_MODEL_LINES_H
#define GC_PREDICT_MODEL_LINES_H

#include "predict/model/gpu.h"
#include "predict/model/hash_index.h"

#include <stddef.h>

struct gc_line {
  uint64_t tag;     /* line number + 1; 0: empty */
  uint64_t arrival; /* L2: the time before which the pending sectors have not arrived */
  uint32_t sectors; /* bit i: sector i is there */
  uint32_t pending; /* L2: of these, those that may not have arrived */
  uint32_t stored;  /* parts (GC_LINE_PARTS) that stores have made valid */
  uint32_t stamp;   /* many ways: the position of its last use in the log of its set */
};

#define GC_NO_LINE UINT32_MAX

/* A set of few ways. */
struct gc_set_head {
  uint64_t marks[GC_LINES_SCAN / 8]; /* a byte of the hash of each way's line */
  uint64_t order; /* the number of a way in each 4 bits, the newest in the lowest; after those in
                     use come the empty ones */
  uint64_t used;  /* ways */
};

/* A set of many ways. Positions count all uses, modulo 2^32. */
struct gc_use_log {
  uint32_t first, end; /* positions that the log has */
  uint32_t used;       /* ways */
};

struct gc_lines {
  enum gc_policy policy;
  uint32_t sets, ways;
  uint32_t limit, used; /* lines of all sets; limit 0: as many as the sets hold */
  bool empty;
  struct gc_line *lines;
  struct gc_set_head *heads;  /* few ways, else NULL */
  struct gc_hash_index index; /* of the numbers of lines; without slots with few ways */
  struct gc_use_log *logs;    /* many ways, else NULL */
  uint32_t *uses;             /* numbers of lines: log_mask + 1 for each set; not with random */
  uint32_t log_mask;
  uint64_t random;
  /* GC_POLICY_SURVIVAL only: lines are there or away, in the order in which they were added. */
  double *expires; /* of each line, the number of fills from which on it is away */
  uint64_t fills;
  const struct gc_cache_geometry *geometry; /* for its curve */
};

/* fully_associative: one set of the same size with LRU, whatever the geometry. The geometry must be
 * valid and outlive the lines. 0 or -ENOMEM. */
int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed);
void gc_lines_fini(struct gc_lines *lines);

/* No line is there any more. */
void gc_lines_clear(struct gc_lines *lines);

/* The line, or NULL if it is not there. Valid until the next gc_lines_add. mix is gc_mix(line), which
 * callers need for several caches. */
static inline struct gc_line *gc_lines_find_mixed(struct gc_lines *lines, uint32_t set,
                                                  uint64_t line, uint64_t mix);
static inline struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  return gc_lines_find_mixed(lines, set, line, gc_mix(line));
}

/* Notes a use of a line that is there. */
void gc_lines_use(struct gc_lines *lines, uint32_t set, struct gc_line *line);

/* Brings in a line that is not there, without sectors; another one may have to go. NULL: no memory
 * (GC_POLICY_SURVIVAL only). */
struct gc_line *gc_lines_add_mixed(struct gc_lines *lines, uint32_t set, uint64_t line,
                                   uint64_t mix);
static inline struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  return gc_lines_add_mixed(lines, set, line, gc_mix(line));
}

/* Loads what a search for the line will read into the caches of the host. */
static inline void gc_lines_prefetch(const struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  if (lines->heads)
    gc_prefetch(&lines->heads[set]);
  else
    gc_hash_prefetch(&lines->index, (uint32_t)mix);
}

/* Loads what gc_lines_add will replace, once that has loaded the rest. */
static inline void gc_lines_prefetch_victim(const struct gc_lines *lines, uint32_t set)
{
  if (lines->heads) {
    const struct gc_set_head *head = &lines->heads[set];
    const uint64_t place = head->used < lines->ways ? head->used : lines->ways - 1;

    gc_prefetch(&lines->lines[(size_t)set * lines->ways + (head->order >> 4 * place & 15)]);
  }
}

/* lines.c calls these. gc_..._add returns a line whose contents are those of another one. */
int gc_few_ways_init(struct gc_lines *lines);
void gc_few_ways_clear(struct gc_lines *lines);
void gc_few_ways_use(struct gc_lines *lines, uint32_t set, const struct gc_line *line);
struct gc_line *gc_few_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix);

int gc_many_ways_init(struct gc_lines *lines, uint64_t count);
void gc_many_ways_clear(struct gc_lines *lines);
void gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line);
struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix);

int gc_survival_init(struct gc_lines *lines);
void gc_survival_clear(struct gc_lines *lines);
void gc_survival_use(struct gc_lines *lines, const struct gc_line *line);
struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line, uint64_t mix);

/* The bytes of marks that are like a mark, as their highest bits. Bytes after the first one may be
 * false. */
static inline uint64_t gc_marks_like(uint64_t marks, uint64_t mark)
{
  const uint64_t bytes = UINT64_C(0x0101010101010101), zero = marks ^ bytes * mark;

  return (zero - bytes) & ~zero & bytes << 7;
}

static inline struct gc_line *gc_few_ways_find(struct gc_lines *lines, uint32_t set, uint64_t line,
                                               uint64_t mix)
{
  const struct gc_set_head *head = &lines->heads[set];

  for (uint32_t half = 0; 8 * half < lines->ways; half++) {
    for (uint64_t at = gc_marks_like(head->marks[half], mix >> 56); at; at &= at - 1) {
      const uint32_t way = 8 * half + (uint32_t)__builtin_ctzll(at) / 8;
      struct gc_line *found = &lines->lines[(size_t)set * lines->ways + way];

      if (way < lines->ways && found->tag == line + 1)
        return found;
    }
  }
  return NULL;
}

/* The number of a line in the index, or GC_NO_LINE. */
static inline uint32_t gc_lines_number(const struct gc_lines *lines, uint64_t line, uint32_t hash)
{
  const struct gc_hash_slot *slot = gc_hash_search(&lines->index, hash, hash);

  while (slot->number && lines->lines[slot->number - 1].tag != line + 1)
    slot = gc_hash_search(&lines->index, hash, (uint32_t)(slot - lines->index.slots) + 1);
  return slot->number - 1;
}

static inline struct gc_line *gc_lines_find_mixed(struct gc_lines *lines, uint32_t set,
                                                  uint64_t line, uint64_t mix)
{
  uint32_t i;

  if (lines->heads)
    return gc_few_ways_find(lines, set, line, mix);
  i = gc_lines_number(lines, line, (uint32_t)mix);
  if (i == GC_NO_LINE || (lines->expires && !((double)lines->fills < lines->expires[i])))
    return NULL;
  return &lines->lines[i];
}

#endif
