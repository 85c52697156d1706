/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A line keeps the slot of its last access. The slots behind it are the last accesses of the lines
 * that were accessed since.
 */
#include "predict/distance/distance.h"

#include "predict/distance/lines.h"
#include "predict/distance/slots.h"

#include <errno.h>
#include <stdlib.h>

struct gc_distance {
  struct gc_seen_lines lines;
  struct gc_slots slots;
  uint64_t last; /* the line of the last access, if there was one */
};

struct gc_distance *gc_distance_new(void)
{
  struct gc_distance *distance = calloc(1, sizeof(*distance));

  if (!distance)
    return NULL;
  if (gc_seen_lines_new(&distance->lines))
    goto no_lines;
  if (gc_slots_new(&distance->slots, 0))
    goto no_slots;
  return distance;

no_slots:
  gc_seen_lines_free(&distance->lines);
no_lines:
  free(distance);
  return NULL;
}

void gc_distance_free(struct gc_distance *distance)
{
  if (!distance)
    return;
  gc_slots_free(&distance->slots);
  gc_seen_lines_free(&distance->lines);
  free(distance);
}

void gc_distance_clear(struct gc_distance *distance)
{
  gc_seen_lines_clear(&distance->lines);
  gc_slots_clear(&distance->slots);
}

/* New slots in which the live ones follow each other. */
static int compact(struct gc_distance *distance)
{
  const struct gc_seen_lines *lines = &distance->lines;
  struct gc_slots slots;

  if (gc_slots_new(&slots, distance->slots.live))
    return -ENOMEM;
  for (size_t i = 0; i < (size_t)1 << lines->bits; i++)
    if (lines->entries[i].epoch == lines->epoch)
      lines->entries[i].slot = gc_slots_rank(&distance->slots, lines->entries[i].slot);
  gc_slots_free(&distance->slots);
  distance->slots = slots;
  return 0;
}

int gc_distance_access(struct gc_distance *distance, uint64_t line, uint64_t *value)
{
  struct gc_slots *slots = &distance->slots;
  struct gc_seen_lines *lines = &distance->lines;
  struct gc_line *entry;

  if (line == distance->last && slots->live) {
    *value = 0;
    return 0;
  }
  if (slots->end == slots->capacity && compact(distance))
    return -ENOMEM;
  entry = gc_seen_lines_find(lines, line);
  if (entry->epoch == lines->epoch) {
    *value = gc_slots_remove(slots, entry->slot);
  } else {
    if (gc_seen_lines_reserve(lines))
      return -ENOMEM;
    entry = gc_seen_lines_find(lines, line);
    entry->line = line;
    entry->epoch = lines->epoch;
    lines->used++;
    *value = GC_DISTANCE_INFINITE;
  }
  entry->slot = gc_slots_append(slots);
  distance->last = line;
  return 0;
}
