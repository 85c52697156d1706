/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of many ways. Each use appends the number of the line to the log of its set, and the line
 * keeps the position. The first entry of the log whose line has not been used since is the oldest
 * line. A full log drops the other entries; at least half of them are such. So each operation takes
 * a constant time on average, and reads and writes the log in order.
 */
#include "predict/model/cache_lines.h"

#include <errno.h>

/* How far hints for the caches of the host run ahead: fills of a set. */
#define USES_AHEAD 32
#define FILLS_AHEAD 6

int gc_many_ways_init(struct gc_lines *lines, uint64_t count)
{
  uint64_t log = 64;

  while (log < 2 * (uint64_t)lines->ways)
    log *= 2;
  lines->log_mask = (uint32_t)(log - 1);
  lines->lines = gc_host_table(count * sizeof *lines->lines);
  lines->logs = gc_host_table(lines->sets * sizeof *lines->logs);
  if (lines->policy != GC_POLICY_RANDOM)
    lines->uses = gc_host_table(lines->sets * log * sizeof *lines->uses);
  if (!lines->lines || !lines->logs || (lines->policy != GC_POLICY_RANDOM && !lines->uses))
    return -ENOMEM;
  return gc_hash_index_init(&lines->index, (uint32_t)count) ? 0 : -ENOMEM;
}

void gc_many_ways_clear(struct gc_lines *lines)
{
  memset(lines->logs, 0, lines->sets * sizeof *lines->logs);
  gc_hash_index_clear(&lines->index);
}

static inline struct gc_use *uses_of(const struct gc_lines *lines, uint32_t set)
{
  return &lines->uses[(size_t)set * (lines->log_mask + (size_t)1)];
}

/* Drops the entries of lines that have been used since. */
static __attribute__((noinline)) void compact(struct gc_lines *lines, uint32_t set)
{
  struct gc_use_log *log = &lines->logs[set];
  struct gc_use *uses = uses_of(lines, set);
  uint32_t to = log->first;

  for (uint32_t from = log->first; from != log->end; from++) {
    const struct gc_use use = uses[from & lines->log_mask];

    if (lines->lines[use.number].stamp != from)
      continue;
    uses[to & lines->log_mask] = use;
    lines->lines[use.number].stamp = to++;
  }
  log->end = to;
}

GC_ALWAYS_INLINE void append(struct gc_lines *lines, uint32_t set, struct gc_use use)
{
  struct gc_use_log *log = &lines->logs[set];

  if (log->end - log->first > lines->log_mask)
    compact(lines, set);
  uses_of(lines, set)[log->end & lines->log_mask] = use;
  lines->lines[use.number].stamp = log->end++;
}

void gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (line->stamp + 1 != lines->logs[set].end)
    append(lines, set, (struct gc_use){(uint32_t)(line - lines->lines), gc_hash_of(line->tag - 1)});
}

/* The next fills of this set will evict the lines that come next in the log. */
GC_ALWAYS_INLINE uint32_t take_oldest(struct gc_lines *lines, uint32_t set)
{
  struct gc_use_log *log = &lines->logs[set];
  const struct gc_use *uses = uses_of(lines, set), *ahead;
  uint32_t first = log->first;
  struct gc_use oldest;

  do
    oldest = uses[first++ & lines->log_mask];
  while (lines->lines[oldest.number].stamp != first - 1);
  log->first = first;
  ahead = &uses[(first + FILLS_AHEAD) & lines->log_mask];
  gc_prefetch(&lines->lines[ahead->number]);
  gc_prefetch(&lines->index.next[ahead->number]);
  gc_hash_prefetch(&lines->index, ahead->hash);
  gc_prefetch(&uses[(first + USES_AHEAD) & lines->log_mask]);
  gc_hash_remove(&lines->index, oldest.hash, oldest.number);
  return oldest.number;
}

static uint32_t take_random(struct gc_lines *lines, uint32_t set)
{
  const uint32_t i = set * lines->ways + gc_draw_below(&lines->random, lines->ways);

  gc_hash_remove(&lines->index, gc_hash_of(lines->lines[i].tag - 1), i);
  return i;
}

struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  struct gc_use_log *log = &lines->logs[set];
  uint32_t i;

  if (log->used < lines->ways)
    i = set * lines->ways + log->used++;
  else
    i = lines->uses ? take_oldest(lines, set) : take_random(lines, set);
  gc_hash_add(&lines->index, (uint32_t)mix, i);
  if (lines->uses)
    append(lines, set, (struct gc_use){i, (uint32_t)mix});
  return &lines->lines[i];
}
