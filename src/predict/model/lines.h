/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of one cache, with a bit for each sector that is there. Every operation takes a time
 * that does not depend on the number of ways:
 *
 *   up to GC_LINES_SCAN ways    a set has a byte of the hash of each of its lines
 *   more                        a hash table finds the line, a list has the order
 *   GC_POLICY_SURVIVAL          a hash table of all lines that may still be there, without ways
 *
 * The order of a set is that of use (LRU) or of arrival (FIFO). Cache misses of the host are most
 * of the time of the model. So what a search reads is apart from what only a hit or a fill needs,
 * and as small as possible.
 */
#ifndef GC_PREDICT_MODEL_LINES_H
#define GC_PREDICT_MODEL_LINES_H

#include "predict/model/gpu.h"
#include "predict/model/random.h"

#include <stddef.h>

struct gc_line {
  union {
    uint64_t tag;   /* line number + 1; 0: empty */
    double expires; /* survival: the number of fills from which on the line is away */
  };
  uint64_t arrival; /* L2: the time before which the pending sectors have not arrived */
  uint32_t sectors; /* bit i: sector i is there */
  uint32_t pending; /* L2: of these, those that may not have arrived */
  uint32_t stored;  /* parts (GC_LINE_PARTS) that stores have made valid */
};

#define GC_NO_LINE UINT32_MAX

struct gc_line_list { /* of a set, with a hash table */
  uint32_t newest, oldest, used;
};

/* A line in the hash table and in the list of its set. Numbers of lines, or GC_NO_LINE. */
struct gc_line_link {
  uint32_t newer, older, chain;
  uint32_t hash; /* of the line number */
};

/* A set that is scanned. */
struct gc_set_head {
  uint64_t marks[GC_LINES_SCAN / 8]; /* a byte of the hash of each way's line */
  uint64_t order; /* the number of a way in each 4 bits, the newest in the lowest; after those in
                     use come the empty ones */
  uint32_t used; /* ways */
  uint32_t kept; /* SLRU: the protected ones, which are the first in the order */
};

struct gc_lines {
  enum gc_policy policy;
  uint32_t sets, ways;
  uint32_t limit, used; /* lines of all sets; limit 0: as many as the sets hold */
  bool empty;
  struct gc_line *lines;
  struct gc_set_head *heads;  /* if sets are scanned, else NULL */
  struct gc_line_list *lists; /* with a hash table, else NULL */
  struct gc_line_link *links;
  uint32_t *buckets; /* the hash table */
  uint32_t bucket_mask;
  uint32_t turn, stride; /* with a limit: the set that lost a line last, and from it to the next one */
  uint64_t random;
  /* GC_POLICY_SURVIVAL only: tags and lines are a table with open addressing. */
  uint64_t *tags; /* line number + 1; 0: empty */
  size_t slots, slots_used;
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

/* The line, or NULL if it is not there. Valid until the next gc_lines_add. */
struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line);

/* Notes a use of a line that is there. */
void gc_lines_use(struct gc_lines *lines, uint32_t set, struct gc_line *line);

/* Brings in a line that is not there, without sectors; another one may have to go. NULL: no memory
 * (GC_POLICY_SURVIVAL only). */
struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line);

/* Loads what an access of the line will read into the caches of the host. The second step needs
 * what the first one has loaded. */
static inline void gc_lines_prefetch(const struct gc_lines *lines, uint32_t set, uint64_t line)
{
  if (lines->heads)
    __builtin_prefetch(&lines->heads[set]);
  else if (lines->buckets)
    __builtin_prefetch(&lines->buckets[gc_mix(line) & lines->bucket_mask]);
  else
    __builtin_prefetch(&lines->tags[gc_mix(line) & (lines->slots - 1)]);
}

static inline void gc_lines_prefetch_more(const struct gc_lines *lines, uint32_t set, uint64_t line)
{
  if (lines->heads) {
    const struct gc_set_head *head = &lines->heads[set];
    const uint64_t place = head->used < lines->ways ? head->used : lines->ways - 1;

    __builtin_prefetch(&lines->lines[(size_t)set * lines->ways + (head->order >> 4 * place & 15)],
                       1);
  } else if (lines->buckets) {
    uint32_t i = lines->buckets[gc_mix(line) & lines->bucket_mask];

    if (i != GC_NO_LINE)
      __builtin_prefetch(&lines->links[i]);
  }
}

/* lines.c calls these for GC_POLICY_SURVIVAL. */
int gc_survival_init(struct gc_lines *lines);
void gc_survival_clear(struct gc_lines *lines);
struct gc_line *gc_survival_find(struct gc_lines *lines, uint64_t line);
void gc_survival_use(struct gc_lines *lines, struct gc_line *line);
struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line);

#endif
