/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hash table from lines to the slots of their last accesses: open addressing, linear probing, at
 * most half full.
 *
 * Four consecutive lines have their entries side by side, in one cache line of the CPU, because
 * neighbours are often accessed after each other.
 */
#ifndef GC_PREDICT_DISTANCE_STACK_LINES_H
#define GC_PREDICT_DISTANCE_STACK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_STACK_LINE_GROUP ((size_t)4)

struct gc_stack_line {
  uint64_t line;
  uint32_t slot;
  uint32_t epoch; /* other than that of the table: the entry is empty */
};

struct gc_stack_lines {
  struct gc_stack_line *entries;
  uint32_t used;
  uint32_t epoch; /* not 0 */
  unsigned bits;  /* there are 1 << bits entries */
};

int gc_stack_lines_new(struct gc_stack_lines *lines); /* 0 or -ENOMEM */
void gc_stack_lines_free(struct gc_stack_lines *lines);

/* Empties the table in constant time; keeps the memory. */
void gc_stack_lines_clear(struct gc_stack_lines *lines);

static inline size_t gc_stack_lines_size(const struct gc_stack_lines *lines)
{
  return (size_t)1 << lines->bits;
}

static inline bool gc_stack_lines_full(const struct gc_stack_lines *lines)
{
  return lines->used >= gc_stack_lines_size(lines) / 2;
}

/* Doubles the table; entries move. 0; or -ENOMEM, and nothing has changed. */
int gc_stack_lines_grow(struct gc_stack_lines *lines);

/* Where to look for the line first. Multiplication by 2^64 / golden ratio spreads equal strides. */
static inline size_t gc_stack_lines_first(const struct gc_stack_lines *lines, uint64_t line)
{
  const uint64_t hash = line / GC_STACK_LINE_GROUP * 0x9e3779b97f4a7c15u;
  const size_t place = (size_t)(hash >> (64 - lines->bits));

  return place / GC_STACK_LINE_GROUP * GC_STACK_LINE_GROUP + line % GC_STACK_LINE_GROUP;
}

static inline bool gc_stack_lines_in_use(const struct gc_stack_lines *lines,
                                         const struct gc_stack_line *entry)
{
  return entry->epoch == lines->epoch;
}

/* The entry of the line, or the empty one in which it belongs. */
static inline struct gc_stack_line *gc_stack_lines_find(const struct gc_stack_lines *lines,
                                                        uint64_t line)
{
  const size_t mask = gc_stack_lines_size(lines) - 1;

  for (size_t i = gc_stack_lines_first(lines, line);; i = (i + 1) & mask) {
    struct gc_stack_line *entry = &lines->entries[i];

    if (!gc_stack_lines_in_use(lines, entry) || entry->line == line)
      return entry;
  }
}

#endif
