/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the hash table.
 */
#include "predict/distance/stack_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BITS 8
#define MOST_BITS 30

static int allocate(struct gc_stack_lines *lines, unsigned bits)
{
  *lines = (struct gc_stack_lines){.bits = bits, .epoch = 1};
  lines->entries =
      bits > MOST_BITS ? NULL : calloc(gc_stack_lines_size(lines), sizeof(*lines->entries));
  return lines->entries ? 0 : -ENOMEM;
}

int gc_stack_lines_new(struct gc_stack_lines *lines)
{
  return allocate(lines, LEAST_BITS);
}

void gc_stack_lines_free(struct gc_stack_lines *lines)
{
  free(lines->entries);
}

/* A large table may be cleared often, with few lines each time. */
void gc_stack_lines_clear(struct gc_stack_lines *lines)
{
  lines->used = 0;
  if (++lines->epoch)
    return;
  memset(lines->entries, 0, gc_stack_lines_size(lines) * sizeof(*lines->entries));
  lines->epoch = 1;
}

int gc_stack_lines_grow(struct gc_stack_lines *lines)
{
  struct gc_stack_lines larger;

  if (allocate(&larger, lines->bits + 1))
    return -ENOMEM;
  for (size_t i = 0; i < gc_stack_lines_size(lines); i++) {
    const struct gc_stack_line *old = &lines->entries[i];

    if (gc_stack_lines_in_use(lines, old))
      *gc_stack_lines_find(&larger, old->line) =
          (struct gc_stack_line){old->line, old->slot, larger.epoch};
  }
  larger.used = lines->used;
  free(lines->entries);
  *lines = larger;
  return 0;
}
