/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The survival curve: the probability that a line is still in the cache after k later fills with
 * random lines. Each block walks: its own lines, its own k random lines, its own lines again
 * (timed). Before that it walks other lines, at least 1.5 times as many as fit. In a small cache, a
 * block has few lines of its own; then there are several rounds, each with another layout.
 * doc/methods.md, "Sets and replacement".
 */
#include "measure/structure/structure.h"

#include "measure/core/step_memory.h"
#include "measure/structure/cache_lines.h"
#include "measure/structure/curve.h"
#include "measure/walk/layout.h"
#include "measure/walk/marks.h"
#include "measure/walk/ring.h"

#include <errno.h>

#define SPAN 32      /* capacities of addresses from which lines are drawn, at most */
#define SPAN_LEAST 8 /* and at least */
#define SPAN_MOST (2u << 20)
#define FILL 2       /* at least the lines that fit, and half of them, are walked before */
#define OWN_SHARE 16 /* a block times this share of the lines that fit, */
#define OWN_MOST 128 /* but no more than so many lines */
#define REPLICAS 2   /* blocks for each number of fills */
#define ENOUGH 100   /* timed loads for each number of fills; more replicas if lines are few */
#define REPLICAS_MOST 32
#define ROUNDS_MOST 16
#define SLOTS_USED 0.5 /* share of all slots, so that free ones are found */

#define POINTS GC_CURVE_POINTS

struct survey {
  struct gc_bench *bench;
  const struct gc_path *path;
  struct gc_cache_lines cache;
  struct gc_layout layout;
  uint32_t own, replicas;
  uint32_t *order; /* all lines, in random order: first those that fill the cache, then others */
  uint64_t filler[POINTS]; /* slots where the walk that fills the cache begins */
  uint64_t alive[POINTS], loads[POINTS];
};

static uint32_t fills_of(const struct survey *s, size_t point)
{
  return gc_curve_fills(s->cache.lines, point);
}

/* Lines of the walk that fills the cache. The more fills come before it, the fewer of them a block
 * walks: at least the lines that fit, and half of them. */
static uint32_t filling(const struct survey *s)
{
  return s->cache.lines + s->cache.lines / FILL + 2 * fills_of(s, POINTS - 1);
}

/* How often each number of fills is tried. A chain takes a slot for each fill, and two for each of
 * its own lines. */
static uint32_t replicas_of(const struct survey *s)
{
  const uint64_t others = s->layout.bytes - (uint64_t)filling(s) * s->cache.line;
  const uint32_t wanted = (ENOUGH + s->own - 1) / s->own;
  uint64_t slots = 0, most;

  for (size_t p = 0; p < POINTS; p++)
    slots += fills_of(s, p) + 2 * s->own;
  most = (uint64_t)(SLOTS_USED * (double)(others / GC_SLOT) / (double)slots);
  most = most < REPLICAS_MOST ? most : REPLICAS_MOST;
  return wanted < REPLICAS ? REPLICAS < most ? REPLICAS : (uint32_t)most
         : wanted < most   ? wanted
                           : (uint32_t)most;
}

static uint64_t slot_in(struct survey *s, uint64_t start, uint32_t bytes)
{
  return gc_layout_take(&s->layout, start, bytes, 0);
}

/* Links a chain of slots; UINT64_MAX among them: there was none left. */
static int link_next(struct survey *s, uint64_t *at, uint64_t next)
{
  if (next == UINT64_MAX)
    return gc_fail(s->bench->err, -ENOSPC, "too many chains for %llu bytes",
                   (unsigned long long)s->layout.bytes);
  if (*at != UINT64_MAX)
    gc_layout_link(&s->layout, *at, next);
  *at = next;
  return 0;
}

/* The walk that fills the cache. All blocks share it. At its end, a walk continues where it began
 * (struct gpu_chase_job): the slot behind it is never loaded. */
static int lay_filler(struct survey *s, uint64_t end)
{
  uint64_t at = UINT64_MAX;
  int status = 0;

  for (uint32_t i = 0; i < filling(s) && !status; i++) {
    const uint64_t slot = slot_in(s, (uint64_t)s->order[i] * s->cache.line, s->cache.line);

    status = link_next(s, &at, slot);
    for (size_t p = 0; p < POINTS; p++)
      if (i == 2 * fills_of(s, p))
        s->filler[p] = slot;
  }
  return status ? status : link_next(s, &at, end);
}

/* Draws a line that no earlier draw of this block gave, and a slot in it. The first `drawn` lines
 * were drawn. UINT64_MAX: no line has a free slot. */
static uint64_t draw_slot(struct survey *s, uint32_t *order, uint32_t drawn, uint32_t n)
{
  for (uint32_t i = drawn; i < n; i++) {
    const uint32_t k = drawn + gc_layout_random(&s->layout, n - drawn), line = order[k];
    const uint64_t slot = slot_in(s, (uint64_t)line * s->cache.line, s->cache.line);

    order[k] = order[drawn];
    order[drawn] = line;
    if (slot != UINT64_MAX)
      return slot;
  }
  return UINT64_MAX;
}

/* The chain of one block: returns its start. The own lines come twice, so each of them needs two
 * slots that a miss fetches together. */
static int lay_block(struct survey *s, size_t point, uint64_t *start)
{
  const uint32_t fills = fills_of(s, point);
  const uint32_t all = (uint32_t)(s->layout.bytes / s->cache.line), first = filling(s);
  uint32_t *order = s->order + first; /* each block draws anew */
  uint64_t own[OWN_MOST] = {0}, again[OWN_MOST] = {0}, at = UINT64_MAX;
  int status = 0;

  for (uint32_t i = 0, tries = 0; i < s->own && tries < all; tries++) {
    own[i] = draw_slot(s, order, i, all - first);
    again[i] = own[i] == UINT64_MAX
                   ? own[i]
                   : slot_in(s, own[i] / s->cache.sector * s->cache.sector, s->cache.sector);
    i += again[i] != UINT64_MAX;
  }
  *start = own[0];
  for (uint32_t i = 0; i < s->own && !status; i++)
    status = link_next(s, &at, own[i]);
  for (uint32_t i = 0; i < fills && !status; i++)
    status = link_next(s, &at, draw_slot(s, order, s->own + i, all - first));
  for (uint32_t i = 0; i < s->own && !status; i++)
    status = link_next(s, &at, again[i]);
  return status ? status : link_next(s, &at, s->filler[point]);
}

/* First the whole chain, so that the cache is full; then up to the own lines, which are timed. All
 * blocks have the same number of loads: after fewer fills, more lines fill the cache. */
static int walk(struct survey *s, const uint64_t *starts, uint64_t end)
{
  const bool alone = gc_walks_alone(s->bench, s->path);
  const uint32_t blocks = POINTS * s->replicas, most = alone ? 1 : s->bench->properties.sms;
  uint64_t addresses[POINTS * REPLICAS_MOST], ends[POINTS * REPLICAS_MOST];
  struct gpu_marks_result seen[POINTS * REPLICAS_MOST];
  int status = 0;

  for (uint32_t i = 0; i < blocks; i++) {
    addresses[i] = gc_ring_address(s->bench, s->path->space, starts[i]);
    ends[i] = gc_ring_address(s->bench, s->path->space, end);
  }
  for (uint32_t from = 0; from < blocks && !status; from += most) {
    const struct gc_marked marked = {.starts = addresses + from,
                                     .ends = ends + from,
                                     .n = blocks - from < most ? blocks - from : most,
                                     .warm = 3 * s->own + filling(s),
                                     .loads = s->own,
                                     .threshold = (uint32_t)s->cache.threshold,
                                     .late = UINT32_MAX};

    status = gc_marks_walk(s->bench, s->path, &marked, seen + from);
  }
  for (uint32_t i = 0; i < blocks && !status; i++)
    for (uint32_t k = 0; k < s->own; k++) {
      s->alive[i % POINTS] += !gc_mark(seen[i].slow, k);
      s->loads[i % POINTS]++;
    }
  return status;
}

static int run_round(struct survey *s)
{
  const uint64_t end = slot_in(s, 0, s->cache.line);
  uint64_t starts[POINTS * REPLICAS_MOST];
  int status;

  gc_layout_shuffle(&s->layout, s->order, (uint32_t)(s->layout.bytes / s->cache.line));
  status = lay_filler(s, end);
  for (uint32_t i = 0; i < POINTS * s->replicas && !status; i++)
    status = lay_block(s, i % POINTS, &starts[i]);
  if (!status)
    status = gc_layout_upload(&s->layout);
  return status ? status : walk(s, starts, end);
}

/* Rounds until there are enough loads after each number of fills, which have as many each. */
static int run(struct survey *s)
{
  int status = run_round(s);

  for (int round = 1; round < ROUNDS_MOST && s->loads[0] < ENOUGH && !status; round++) {
    gc_layout_clear(&s->layout);
    status = run_round(s);
  }
  return status;
}

int gc_step_survival(struct gc_measurement *m, struct gc_measured *element)
{
  struct survey s = {.bench = &m->bench, .path = gc_path_of(element->kind)};
  const char *why = gc_cache_lines_find(element, &s.cache);
  uint64_t span = (uint64_t)SPAN * s.cache.lines * s.cache.line;
  int status;

  if (!why)
    why = gc_cache_lines_late(element);
  if (why)
    return gc_set_absent(element, GC_SURVIVAL_CURVE, why);
  if (s.cache.sector < 2 * GC_SLOT || s.cache.lines < OWN_SHARE)
    return gc_set_absent(element, GC_SURVIVAL_CURVE, "it has too few lines, or too short ones");
  if ((status = gc_cache_lines_prepare(s.bench, s.path)))
    return status;
  s.own = s.cache.lines / OWN_SHARE < OWN_MOST ? s.cache.lines / OWN_SHARE : OWN_MOST;
  if ((status =
           gc_layout_open(&s.layout, s.bench, s.path->space, span < SPAN_MOST ? span : SPAN_MOST)))
    return status;
  s.order = gc_step_alloc(&m->bench, s.layout.bytes / s.cache.line, sizeof(*s.order));
  if (s.layout.bytes < (uint64_t)SPAN_LEAST * s.cache.lines * s.cache.line ||
      !(s.replicas = replicas_of(&s)))
    gc_set_absent(element, GC_SURVIVAL_CURVE,
                  "there are too few addresses for lines that do not fit");
  else if (!(status = s.order ? run(&s) : -ENOMEM))
    status = gc_curve_put(s.bench, element, s.cache.lines, s.alive, s.loads, element->late);
  return status;
}
