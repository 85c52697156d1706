/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of many ways. Each use appends the number of the line to the log of its set, and the line
 * keeps the position. The first entry of the log whose line has not been used since is the oldest
 * line. A full log drops the other entries; at least half of them are such. So each operation takes
 * a constant time on average, and reads and writes the log in order.
 *
 * With SLRU (`segmented`), a set has two logs: 2 * set of the lines that were not hit, and after it
 * that of the protected ones. The lowest bit of a stamp says in which of them the line is.
 */
#include "predict/model/cache_lines.h"

#include <errno.h>

/* How far hints for the caches of the host run ahead: fills of a set. */
#define LINES_AHEAD 6
#define SLOTS_AHEAD 3

int gc_many_ways_init(struct gc_lines *lines, uint64_t count)
{
  const uint64_t logs = (uint64_t)lines->sets * (lines->policy == GC_POLICY_SLRU ? 2 : 1);
  uint64_t log = 64;

  while (log < 2 * (uint64_t)lines->ways)
    log *= 2;
  lines->log_mask = (uint32_t)(log - 1);
  lines->lines = gc_host_table(count * sizeof *lines->lines);
  lines->logs = gc_host_table(logs * sizeof *lines->logs);
  if (lines->policy != GC_POLICY_RANDOM)
    lines->uses = gc_host_table(logs * log * sizeof *lines->uses);
  if (!lines->lines || !lines->logs || (lines->policy != GC_POLICY_RANDOM && !lines->uses))
    return -ENOMEM;
  /* Four slots for each line: searches that end at the first slot are easy to predict. */
  return gc_hash_index_init(&lines->index, 2 * count) ? 0 : -ENOMEM;
}

void gc_many_ways_clear(struct gc_lines *lines)
{
  memset(lines->logs, 0,
         lines->sets * (lines->policy == GC_POLICY_SLRU ? 2 : 1) * sizeof *lines->logs);
  gc_hash_index_clear(&lines->index);
}

static inline uint32_t *entry_of(const struct gc_lines *lines, size_t log, uint32_t position)
{
  return &lines->uses[log * (lines->log_mask + (size_t)1) + (position & lines->log_mask)];
}

GC_ALWAYS_INLINE uint32_t stamp_of(size_t log, uint32_t position, bool segmented)
{
  return segmented ? position << 1 | (log & 1) : position;
}

/* Drops the entries of lines that have been used since. */
static __attribute__((noinline)) void compact(struct gc_lines *lines, size_t log, bool segmented)
{
  struct gc_use_log *uses = &lines->logs[log];
  uint32_t to = uses->first;

  for (uint32_t from = uses->first; from != uses->end; from++) {
    const uint32_t i = *entry_of(lines, log, from);

    if (lines->lines[i].stamp != stamp_of(log, from, segmented))
      continue;
    *entry_of(lines, log, to) = i;
    lines->lines[i].stamp = stamp_of(log, to++, segmented);
  }
  uses->end = to;
}

GC_ALWAYS_INLINE void append(struct gc_lines *lines, size_t log, uint32_t i, bool segmented)
{
  struct gc_use_log *uses = &lines->logs[log];

  if (uses->end - uses->first > lines->log_mask)
    compact(lines, log, segmented);
  *entry_of(lines, log, uses->end) = i;
  lines->lines[i].stamp = stamp_of(log, uses->end++, segmented);
}

void gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (line->stamp + 1 != lines->logs[set].end)
    append(lines, set, (uint32_t)(line - lines->lines), false);
}

/* The next fills of this set will evict the lines that come next in the log. */
static void prefetch_victims(const struct gc_lines *lines, size_t log, uint32_t position)
{
  const uint32_t i = *entry_of(lines, log, position + SLOTS_AHEAD);

  gc_prefetch(&lines->lines[*entry_of(lines, log, position + LINES_AHEAD)]);
  gc_hash_prefetch(&lines->index, gc_hash_of(lines->lines[i].tag - 1));
}

GC_ALWAYS_INLINE uint32_t take_oldest(struct gc_lines *lines, size_t log, bool segmented)
{
  struct gc_use_log *uses = &lines->logs[log];
  uint32_t i = *entry_of(lines, log, uses->first);

  while (lines->lines[i].stamp != stamp_of(log, uses->first, segmented))
    i = *entry_of(lines, log, ++uses->first);
  prefetch_victims(lines, log, uses->first++);
  return i;
}

/* SLRU: of too many protected lines, the oldest one becomes the newest other line. */
void gc_many_ways_protect(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  const size_t others = 2 * (size_t)set, kept = others + 1;
  const bool is_new = !(line->stamp & 1);

  append(lines, kept, (uint32_t)(line - lines->lines), true);
  if (is_new && ++lines->logs[kept].used > lines->ways / 2) {
    lines->logs[kept].used--;
    append(lines, others, take_oldest(lines, kept, true), true);
  }
}

/* The line that a new one replaces, or an empty one. */
GC_ALWAYS_INLINE uint32_t take_line(struct gc_lines *lines, uint32_t set, size_t log,
                                    bool segmented)
{
  const bool random = lines->policy == GC_POLICY_RANDOM;
  uint32_t i;

  if (lines->logs[log].used < lines->ways)
    return set * lines->ways + lines->logs[log].used++;
  i = random ? set * lines->ways + gc_draw_below(&lines->random, lines->ways)
             : take_oldest(lines, log, segmented);
  gc_hash_remove(&lines->index, gc_hash_of(lines->lines[i].tag - 1), i);
  return i;
}

struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  const bool segmented = lines->policy == GC_POLICY_SLRU;
  const size_t log = segmented ? 2 * (size_t)set : set;
  const uint32_t i =
      segmented ? take_line(lines, set, log, true) : take_line(lines, set, log, false);

  gc_hash_add(&lines->index, (uint32_t)mix, i);
  if (segmented)
    append(lines, log, i, true);
  else if (lines->policy != GC_POLICY_RANDOM)
    append(lines, log, i, false);
  return &lines->lines[i];
}
