/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hash table from lines to slots: open addressing, linear probing.
 *
 * Four consecutive lines have their entries side by side, in one cache line of the CPU, because
 * neighbours are often accessed after each other.
 */
#ifndef GC_PREDICT_DISTANCE_LINES_H
#define GC_PREDICT_DISTANCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#define GC_LINE_GROUP_BITS 2

struct gc_line {
  uint64_t line;
  uint32_t slot;
  uint32_t epoch; /* the entry is empty if it is not that of the table */
};

struct gc_seen_lines {
  struct gc_line *entries;
  uint32_t used;
  uint32_t epoch; /* not 0 */
  unsigned bits;  /* the table has 1 << bits entries */
};

int gc_seen_lines_new(struct gc_seen_lines *lines); /* 0 or -ENOMEM */
void gc_seen_lines_free(struct gc_seen_lines *lines);
void gc_seen_lines_clear(struct gc_seen_lines *lines);

/* Makes room for one more line. 0; or -ENOMEM, and nothing has changed. Entries move. */
int gc_seen_lines_reserve(struct gc_seen_lines *lines);

/* The entry of the line, or the empty one in which it belongs. */
static inline struct gc_line *gc_seen_lines_find(const struct gc_seen_lines *lines, uint64_t line)
{
  const size_t group = 1 << GC_LINE_GROUP_BITS, mask = ((size_t)1 << lines->bits) - 1;
  uint64_t hash = (line >> GC_LINE_GROUP_BITS) * 0x9e3779b97f4a7c15u;
  size_t i;

#ifndef ONE_ROUND
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
#endif
  i = (size_t)(hash >> (64 - lines->bits)) & ~(group - 1);
  for (i |= line & (group - 1);; i = (i + group) & mask) {
    struct gc_line *entry = &lines->entries[i];

    if (entry->epoch != lines->epoch || entry->line == line)
      return entry;
  }
}

#endif
