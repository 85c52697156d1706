/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacement by a survival curve: when a line is used, it draws the number of fills after which it
 * will be away. So each look-up has the probability of the curve, and a line that was away stays
 * away. The table forgets such lines when it is full; its size follows the lines that are there.
 */
#include "predict/model/lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 1024

int gc_survival_init(struct gc_lines *lines)
{
  lines->slots = SLOTS_AT_FIRST;
  lines->tags = calloc(lines->slots, sizeof *lines->tags);
  lines->lines = malloc(lines->slots * sizeof *lines->lines);
  if (lines->tags && lines->lines)
    return 0;
  gc_lines_fini(lines);
  return -ENOMEM;
}

void gc_survival_clear(struct gc_lines *lines)
{
  memset(lines->tags, 0, lines->slots * sizeof *lines->tags);
  lines->slots_used = 0;
  lines->fills = 0;
}

/* The number of fills at which the curve falls to u: linear between (0, 1) and the points. */
static double fills_until(const struct gc_cache_geometry *geometry, double u)
{
  double fills = 0, survives = 1;

  for (uint32_t i = 0; i < geometry->survival_count; i++) {
    double to = geometry->survives[i];

    if (to <= u)
      return fills + (geometry->fills[i] - fills) * (survives - u) / (survives - to);
    fills = geometry->fills[i];
    survives = to;
  }
  return INFINITY;
}

void gc_survival_use(struct gc_lines *lines, struct gc_line *line)
{
  double u = gc_draw_uniform(&lines->random);

  line->expires = (double)lines->fills + fills_until(lines->geometry, u);
}

static bool is_there(const struct gc_lines *lines, size_t slot)
{
  return (double)lines->fills < lines->lines[slot].expires;
}

/* The slot of the line, or the empty one at which the search ended. */
static size_t slot_of(const struct gc_lines *lines, uint64_t line)
{
  size_t slot = gc_mix(line) & (lines->slots - 1);

  while (lines->tags[slot] && lines->tags[slot] != line + 1)
    slot = (slot + 1) & (lines->slots - 1);
  return slot;
}

struct gc_line *gc_survival_find(struct gc_lines *lines, uint64_t line)
{
  size_t slot = slot_of(lines, line);

  return lines->tags[slot] && is_there(lines, slot) ? &lines->lines[slot] : NULL;
}

/* Keeps the lines that are there, in a table that they fill to a quarter at most. */
static int rebuild(struct gc_lines *lines)
{
  struct gc_lines new = *lines;
  size_t there = 0;

  for (size_t i = 0; i < lines->slots; i++)
    there += lines->tags[i] && is_there(lines, i);
  for (new.slots = SLOTS_AT_FIRST; new.slots < 4 * there; new.slots *= 2)
    continue;
  new.slots_used = there;
  new.tags = calloc(new.slots, sizeof *new.tags);
  new.lines = malloc(new.slots * sizeof *new.lines);
  if (!new.tags || !new.lines) {
    free(new.tags);
    free(new.lines);
    return -ENOMEM;
  }
  for (size_t i = 0; i < lines->slots; i++) {
    if (lines->tags[i] && is_there(lines, i)) {
      size_t slot = slot_of(&new, lines->tags[i] - 1);

      new.tags[slot] = lines->tags[i];
      new.lines[slot] = lines->lines[i];
    }
  }
  free(lines->tags);
  free(lines->lines);
  *lines = new;
  return 0;
}

struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line)
{
  size_t slot;

  if (2 * (lines->slots_used + 1) > lines->slots && rebuild(lines))
    return NULL;
  slot = slot_of(lines, line);
  if (!lines->tags[slot])
    lines->slots_used++;
  lines->tags[slot] = line + 1;
  lines->fills++;
  lines->lines[slot] = (struct gc_line){.sectors = 0};
  gc_survival_use(lines, &lines->lines[slot]);
  return &lines->lines[slot];
}
