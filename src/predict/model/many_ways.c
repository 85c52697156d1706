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
#define LINES_AHEAD 6
#define SLOTS_AHEAD 3

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

static inline uint32_t *entry_of(const struct gc_lines *lines, uint32_t set, uint32_t position)
{
  return &lines->uses[(size_t)set * (lines->log_mask + (size_t)1) + (position & lines->log_mask)];
}

/* Drops the entries of lines that have been used since. */
static __attribute__((noinline)) void compact(struct gc_lines *lines, uint32_t set)
{
  struct gc_use_log *log = &lines->logs[set];
  uint32_t to = log->first;

  for (uint32_t from = log->first; from != log->end; from++) {
    const uint32_t i = *entry_of(lines, set, from);

    if (lines->lines[i].stamp != from)
      continue;
    *entry_of(lines, set, to) = i;
    lines->lines[i].stamp = to++;
  }
  log->end = to;
}

GC_ALWAYS_INLINE void append(struct gc_lines *lines, uint32_t set, uint32_t i)
{
  struct gc_use_log *log = &lines->logs[set];

  if (log->end - log->first > lines->log_mask)
    compact(lines, set);
  *entry_of(lines, set, log->end) = i;
  lines->lines[i].stamp = log->end++;
}

void gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (line->stamp + 1 != lines->logs[set].end)
    append(lines, set, (uint32_t)(line - lines->lines));
}

/* The next fills of this set will evict the lines that come next in the log. */
static void prefetch_victims(const struct gc_lines *lines, uint32_t set, uint32_t position)
{
  const uint32_t i = *entry_of(lines, set, position + SLOTS_AHEAD);

  gc_prefetch(&lines->lines[*entry_of(lines, set, position + LINES_AHEAD)]);
  gc_hash_prefetch(&lines->index, gc_hash_of(lines->lines[i].tag - 1));
}

static uint32_t take_oldest(struct gc_lines *lines, uint32_t set)
{
  struct gc_use_log *log = &lines->logs[set];
  uint32_t i = *entry_of(lines, set, log->first);

  while (lines->lines[i].stamp != log->first)
    i = *entry_of(lines, set, ++log->first);
  prefetch_victims(lines, set, log->first++);
  return i;
}

struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  const bool random = lines->policy == GC_POLICY_RANDOM;
  struct gc_use_log *log = &lines->logs[set];
  uint32_t i;

  if (log->used < lines->ways) {
    i = set * lines->ways + log->used++;
  } else {
    i = random ? set * lines->ways + gc_draw_below(&lines->random, lines->ways)
               : take_oldest(lines, set);
    gc_hash_remove(&lines->index, gc_hash_of(lines->lines[i].tag - 1), i);
  }
  gc_hash_add(&lines->index, (uint32_t)mix, i);
  if (!random)
    append(lines, set, i);
  return &lines->lines[i];
}
