/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of one cache, with a bit for each sector that is there. Every operation takes a time
 * that does not depend on the number of ways:
 *
 *   few_ways.h    up to GC_LINES_SCAN ways: a set has a byte of the hash of each of its lines
 *   many_ways.c   more: a ring in the order of uses, and chains by hash
 *   survival.c    GC_POLICY_SURVIVAL: a hash index of all lines that may still be there, no ways
 *
 * The order of a set is that of use (LRU, SLRU) or of arrival (FIFO). Cache misses of the host take
 * much of the time of the model. So what a search reads is apart from what only a hit or a fill
 * needs, and as small as possible.
 *
 * The simulator has a cache of its own (src/model/cache.h). One engine for both was considered and
 * left: the simulator loads whole windows of adjacent lines through sets whose lines have an age
 * and no contents, while a line here has sectors, an arrival time and stored parts, and is found by
 * the hash of a single address. Their random generators and the order of their draws differ, too,
 * so one of them would give other results.
 */
#ifndef GC_PREDICT_MODEL_LINES_H
#define GC_PREDICT_MODEL_LINES_H

#include "predict/model/few_ways.h"

/* fully_associative: one set of the same size with LRU, whatever the geometry. The geometry must be
 * valid and outlive the lines. 0 or -ENOMEM. */
int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed);
void gc_lines_fini(struct gc_lines *lines);

/* No line is there any more. */
void gc_lines_clear(struct gc_lines *lines);

/* The line, or NULL if it is not there. Valid until the next gc_lines_add or gc_lines_use. mix is
 * gc_mix(line), which callers need for several caches. */
GC_ALWAYS_INLINE struct gc_line *gc_lines_find_mixed(struct gc_lines *lines, uint32_t set,
                                                     uint64_t line, uint64_t mix)
{
  uint32_t i;

  if (lines->heads)
    return gc_few_ways_find(lines, set, line, mix);
  if (lines->rings)
    return gc_many_ways_find(lines, set, line, (uint32_t)mix);
  i = gc_lines_number(lines, line, (uint32_t)mix);
  if (i == GC_NO_LINE || !((double)lines->fills < lines->expires[i]))
    return NULL;
  return &lines->lines[i];
}

static inline struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  return gc_lines_find_mixed(lines, set, line, gc_mix(line));
}

/* Notes a use of a line that is there. Returns the line: it may move. */
static inline struct gc_line *gc_lines_use(struct gc_lines *lines, uint32_t set,
                                           struct gc_line *line)
{
  if (lines->policy == GC_POLICY_SURVIVAL)
    gc_survival_use(lines, line);
  else if (lines->policy == GC_POLICY_SLRU && lines->heads)
    gc_few_ways_protect(lines, set, line);
  else if (lines->policy == GC_POLICY_SLRU)
    return gc_many_ways_protect(lines, set, line);
  else if (lines->policy == GC_POLICY_LRU && lines->heads)
    gc_few_ways_use(lines, set, line);
  else if (lines->policy == GC_POLICY_LRU)
    return gc_many_ways_use(lines, set, line);
  return line;
}

/* Brings in a line that is not there, without sectors; another one may have to go. NULL: no memory
 * (GC_POLICY_SURVIVAL only). */
GC_ALWAYS_INLINE struct gc_line *gc_lines_add_mixed(struct gc_lines *lines, uint32_t set,
                                                    uint64_t line, uint64_t mix)
{
  struct gc_line *added;

  lines->empty = false;
  if (lines->heads)
    added = gc_few_ways_add(lines, set, mix);
  else if (lines->rings)
    added = gc_many_ways_add(lines, set, mix);
  else
    added = gc_survival_add(lines, line, mix);
  if (!added)
    return NULL;
  added->tag = line + 1;
  added->arrival = 0;
  added->sectors = added->pending = added->stored = 0;
  return added;
}

static inline struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  return gc_lines_add_mixed(lines, set, line, gc_mix(line));
}

/* Loads what a search for the line will read into the caches of the host. */
static inline void gc_lines_prefetch(const struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  if (lines->heads)
    gc_prefetch(&lines->heads[set]);
  else if (lines->rings)
    gc_many_ways_prefetch(lines, set, (uint32_t)mix);
  else
    gc_hash_prefetch(&lines->index, (uint32_t)mix);
}

/* After gc_lines_prefetch has had time to load the set: the line that gc_lines_find_mixed or
 * gc_lines_add will return. */
static inline void gc_lines_prefetch_line(const struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  if (lines->heads) {
    const struct gc_set_head *head = &lines->heads[set];
    const struct gc_line *of_set = &lines->lines[(size_t)set * lines->ways];
    const uint64_t place = head->used < lines->ways ? head->used : lines->ways - 1;
    const gc_mark_words marked = gc_marked_ways(head, mix);

    gc_prefetch(&of_set[head->order >> 4 * place & 15]);
    if (marked[0] | marked[1])
      gc_prefetch(&of_set[marked[0] ? (unsigned)__builtin_ctzll(marked[0]) / 8
                                    : 8 + (unsigned)__builtin_ctzll(marked[1]) / 8]);
  } else if (lines->rings) {
    gc_many_ways_prefetch_line(lines, set, (uint32_t)mix);
  }
}

#endif
