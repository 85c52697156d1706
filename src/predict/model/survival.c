/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacement by a survival curve: when a line is used, it draws the number of fills after which it
 * will be away. So each look-up has the probability of the curve, and a line that was away stays
 * away. The table forgets such lines when it is full; its size follows the lines that are there.
 */
#include "predict/model/cache_lines.h"

#include <errno.h>
#include <math.h>

#define LINES_AT_FIRST 512

int gc_survival_init(struct gc_lines *lines)
{
  lines->lines = gc_host_table(LINES_AT_FIRST * sizeof *lines->lines);
  lines->expires = gc_host_table(LINES_AT_FIRST * sizeof *lines->expires);
  if (lines->lines && lines->expires && gc_hash_index_init(&lines->index, LINES_AT_FIRST))
    return 0;
  return -ENOMEM;
}

void gc_survival_clear(struct gc_lines *lines)
{
  gc_hash_index_clear(&lines->index);
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

void gc_survival_use(struct gc_lines *lines, const struct gc_line *line)
{
  double u = gc_draw_uniform(&lines->random);

  lines->expires[line - lines->lines] = (double)lines->fills + fills_until(lines->geometry, u);
}

static bool is_there(const struct gc_lines *lines, uint32_t i)
{
  return (double)lines->fills < lines->expires[i];
}

/* Tables for more lines, a power of two. 0 or -ENOMEM; then nothing has changed. The index is
 * empty. */
static int grow(struct gc_lines *lines, uint64_t room)
{
  struct gc_hash_index index = {0};
  struct gc_line *more = gc_host_table(room * sizeof *more);
  double *expires = gc_host_table(room * sizeof *expires);

  if (!more || !expires || !gc_hash_index_init(&index, room)) {
    free(more);
    free(expires);
    return -ENOMEM;
  }
  memcpy(more, lines->lines, lines->used * sizeof *more);
  memcpy(expires, lines->expires, lines->used * sizeof *expires);
  free(lines->lines);
  free(lines->expires);
  gc_hash_index_fini(&lines->index);
  lines->lines = more;
  lines->expires = expires;
  lines->index = index;
  return 0;
}

/* Keeps the lines that are there; they fill the tables to a half at most. */
static int forget(struct gc_lines *lines)
{
  uint64_t room = lines->index.numbers;
  uint32_t there = 0;

  for (uint32_t i = 0; i < lines->used; i++)
    there += is_there(lines, i);
  while (room < 2 * (uint64_t)there)
    room *= 2;
  if (room > lines->index.numbers && grow(lines, room))
    return -ENOMEM;
  gc_hash_index_clear(&lines->index);
  there = 0;
  for (uint32_t i = 0; i < lines->used; i++) {
    if (!is_there(lines, i))
      continue;
    lines->lines[there] = lines->lines[i];
    lines->expires[there] = lines->expires[i];
    gc_hash_add(&lines->index, gc_hash_of(lines->lines[there].tag - 1), there);
    there++;
  }
  lines->used = there;
  return 0;
}

struct gc_line *gc_survival_add(struct gc_lines *lines, uint64_t line, uint64_t mix)
{
  uint32_t i = gc_lines_number(lines, line, (uint32_t)mix);

  if (i == GC_NO_LINE) {
    if (lines->used == lines->index.numbers && forget(lines))
      return NULL;
    i = lines->used++;
    gc_hash_add(&lines->index, (uint32_t)mix, i);
  }
  lines->fills++;
  gc_survival_use(lines, &lines->lines[i]);
  return &lines->lines[i];
}
