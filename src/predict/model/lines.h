/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of one cache, with a bit for each sector that is there. Every operation takes a time
 * that does not depend on the number of ways:
 *
 *   up to GC_LINES_SCAN ways    the tags of a set are scanned; they follow its order in memory
 *   more                        a hash table finds the line, a list has the order
 *   GC_POLICY_SURVIVAL          a hash table of all lines that may still be there; there are no
 * ways
 *
 * The order of a set is that of use (LRU) or of arrival (FIFO). Memory is laid out so that an
 * access touches few cache lines of the host: their misses are most of the time of the model.
 */
#ifndef GC_PREDICT_MODEL_LINES_H
#define GC_PREDICT_MODEL_LINES_H

#include "predict/model/gpu.h"
#include "predict/model/random.h"

#include <stddef.h>

#define GC_LINES_SCAN 16

struct gc_line {
  uint32_t sectors; /* bit i: sector i is there */
  uint32_t pending; /* L2: of these, those that have not arrived before the time arrival */
  uint64_t arrival;
  union {
    struct {                 /* hash table: lines, or GC_NO_LINE */
      uint32_t newer, older; /* of the set */
      uint32_t chain;        /* of the bucket */
    };
    double expires; /* survival: the number of fills from which on the line is away */
  };
  uint64_t tag; /* hash table: line number + 1 */
};

#define GC_NO_LINE UINT32_MAX

struct gc_line_list { /* of a set, with a hash table */
  uint32_t newest, oldest, used;
};

/* Words of a set before its tags, if they are scanned: GC_SET_ORDER has the number of a way in each
 * 4 bits, the newest way in the lowest ones; GC_SET_USED is the number of ways in use. */
enum { GC_SET_ORDER, GC_SET_USED, GC_SET_TAGS };

struct gc_lines {
  enum gc_policy policy;
  uint32_t sets, ways;
  bool empty;
  struct gc_line *lines;
  uint64_t *words;            /* of the sets, if their tags are scanned */
  struct gc_line_list *lists; /* with a hash table, else NULL */
  uint32_t *buckets;          /* the hash table */
  uint32_t bucket_mask;
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
  if (lines->policy == GC_POLICY_SURVIVAL) {
    __builtin_prefetch(&lines->tags[gc_mix(line) & (lines->slots - 1)]);
  } else if (lines->buckets) {
    __builtin_prefetch(&lines->buckets[gc_mix(line) & lines->bucket_mask]);
  } else {
    const uint64_t *words = &lines->words[(size_t)set * (lines->ways + GC_SET_TAGS)];

    __builtin_prefetch(words);
    __builtin_prefetch(words + 8);
    __builtin_prefetch(words + GC_SET_TAGS + lines->ways - 1);
  }
}

static inline void gc_lines_prefetch_more(const struct gc_lines *lines, uint64_t line)
{
  if (lines->buckets) {
    uint32_t i = lines->buckets[gc_mix(line) & lines->bucket_mask];

    if (i != GC_NO_LINE)
      __builtin_prefetch(&lines->lines[i]);
  }
}

/* lines.c calls these for GC_POLICY_SURVIVAL. */
int gc_survival_init(struct gc_lines *lines);
void gc_survival_clear(struct gc_lines *lines);
struct gc_line *gc_survival_find(struct gc_lines *lines, uint64_t line);
void gc_survival_use(struct gc_lines *lines, struct gc_line *line);
struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line);

#endif
