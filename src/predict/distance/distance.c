/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each line keeps the slot of its last access; all other slots are dead. So the live slots behind
 * that of a line are the other lines that were accessed since. When all slots are used up, the live
 * ones move to the front of new ones.
 */
#include "predict/distance/distance.h"

#include "predict/distance/stack_lines.h"
#include "predict/distance/slots.h"

#include <errno.h>
#include <stdlib.h>

struct gc_distance {
  struct gc_stack_lines lines;
  struct gc_slots slots;
  uint64_t last; /* the line of the last access, if there was one */
};

struct gc_distance *gc_distance_new(void)
{
  struct gc_distance *distance = calloc(1, sizeof(*distance));

  if (!distance)
    return NULL;
  if (gc_stack_lines_new(&distance->lines))
    goto no_lines;
  if (gc_slots_new(&distance->slots, 0, 0))
    goto no_slots;
  return distance;

no_slots:
  gc_stack_lines_free(&distance->lines);
no_lines:
  free(distance);
  return NULL;
}

void gc_distance_free(struct gc_distance *distance)
{
  if (!distance)
    return;
  gc_slots_free(&distance->slots);
  gc_stack_lines_free(&distance->lines);
  free(distance);
}

void gc_distance_clear(struct gc_distance *distance)
{
  gc_stack_lines_clear(&distance->lines);
  gc_slots_clear(&distance->slots);
}

/* Takes time for each entry of the table, used or not. There are at most 4 entries for each slot,
 * as slots never become fewer, and 3 of 4 slots are free afterwards: so O(1) per access. */
static int compact(struct gc_distance *distance)
{
  const struct gc_stack_lines *lines = &distance->lines;
  struct gc_slots slots;

  if (gc_slots_new(&slots, distance->slots.live, distance->slots.capacity))
    return -ENOMEM;
  for (size_t i = 0; i < gc_stack_lines_size(lines); i++) {
    struct gc_stack_line *entry = &lines->entries[i];

    if (gc_stack_lines_in_use(lines, entry))
      entry->slot = gc_slots_rank(&distance->slots, entry->slot);
  }
  gc_slots_free(&distance->slots);
  distance->slots = slots;
  return 0;
}

static int add_line(struct gc_distance *distance, struct gc_stack_line *entry, uint64_t line)
{
  struct gc_stack_lines *lines = &distance->lines;

  if (gc_stack_lines_full(lines)) {
    if (gc_stack_lines_grow(lines))
      return -ENOMEM;
    entry = gc_stack_lines_find(lines, line);
  }
  *entry = (struct gc_stack_line){line, gc_slots_append(&distance->slots), lines->epoch};
  lines->used++;
  distance->last = line;
  return 0;
}

int gc_distance_access(struct gc_distance *distance, uint64_t line, uint64_t *value)
{
  struct gc_slots *slots = &distance->slots;
  struct gc_stack_line *entry;

  if (line == distance->last && slots->live) {
    *value = 0; /* its slot stays the last one */
    return 0;
  }
  if (slots->end == slots->capacity && compact(distance))
    return -ENOMEM;
  entry = gc_stack_lines_find(&distance->lines, line);
  if (!gc_stack_lines_in_use(&distance->lines, entry)) {
    *value = GC_DISTANCE_INFINITE;
    return add_line(distance, entry, line);
  }
  *value = gc_slots_remove(slots, entry->slot);
  entry->slot = gc_slots_append(slots);
  distance->last = line;
  return 0;
}

void gc_distance_prefetch(const struct gc_distance *distance, uint64_t line)
{
  const struct gc_stack_lines *lines = &distance->lines;

  __builtin_prefetch(&lines->entries[gc_stack_lines_first(lines, line)], 1);
}
