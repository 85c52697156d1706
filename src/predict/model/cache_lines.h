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
  uint32_t stamp;   /* many ways: the position of its last use in the log of its set */
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
  struct gc_hash_index index; /* of the numbers of lines; zero with few ways */
  struct gc_use_log *logs;    /* many ways, else NULL */
  struct gc_use {
    uint32_t number, hash; /* of a line */
  } * uses;                /* log_mask + 1 for each set; NULL with random */
  uint32_t log_mask;
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

/* An add function returns a line whose contents are those of another one; NULL: no memory. mix is
 * gc_mix of the number of the line. */
int gc_many_ways_init(struct gc_lines *lines, uint64_t count);
void gc_many_ways_clear(struct gc_lines *lines);
void gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line);
struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix);

int gc_survival_init(struct gc_lines *lines);
void gc_survival_clear(struct gc_lines *lines);
void gc_survival_use(struct gc_lines *lines, const struct gc_line *line);
struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line, uint64_t mix);

#endif
