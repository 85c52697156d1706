/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the hash table.
 */
#include "predict/distance/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BITS 8
#define MOST_BITS 30

static int allocate(struct gc_seen_lines *lines, unsigned bits)
{
  lines->entries = calloc((size_t)1 << bits, sizeof(*lines->entries));
  if (!lines->entries)
    return -ENOMEM;
  lines->bits = bits;
  lines->epoch = 1;
  return 0;
}

int gc_seen_lines_new(struct gc_seen_lines *lines)
{
  lines->used = 0;
  return allocate(lines, LEAST_BITS);
}

void gc_seen_lines_free(struct gc_seen_lines *lines)
{
  free(lines->entries);
}

/* An epoch costs nothing, even if the table is large and few lines follow. */
void gc_seen_lines_clear(struct gc_seen_lines *lines)
{
  lines->used = 0;
  if (++lines->epoch)
    return;
  memset(lines->entries, 0, sizeof(*lines->entries) << lines->bits);
  lines->epoch = 1;
}

/* At most half of the entries are used. */
int gc_seen_lines_reserve(struct gc_seen_lines *lines)
{
  struct gc_seen_lines larger = {.used = lines->used};

  if (lines->used < (size_t)1 << (lines->bits - 1))
    return 0;
  if (lines->bits == MOST_BITS || allocate(&larger, lines->bits + 1))
    return -ENOMEM;
  for (size_t i = 0; i < (size_t)1 << lines->bits; i++) {
    const struct gc_line *entry = &lines->entries[i];
    struct gc_line *copy;

    if (entry->epoch != lines->epoch)
      continue;
    copy = gc_seen_lines_find(&larger, entry->line);
    *copy = *entry;
    copy->epoch = larger.epoch;
  }
  free(lines->entries);
  *lines = larger;
  return 0;
}
