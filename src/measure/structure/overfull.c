/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks arrays with one line too many, and finds the lines that miss.
 */
#include "measure/structure/overfull.h"

#include "measure/core/step_memory.h"
#include "measure/walk/marks.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <string.h>

#define SPAN_LEAST (1u << 20) /* bytes of addresses that further lines come from, */
#define SPAN_MOST (4u << 20)  /* at most, */
#define SPAN_CAPACITIES 8     /* and in capacities */
#define NEAR 8                /* further lines that follow the array closely */
#define PASSES_ENOUGH 8
#define ROUNDS_MOST 24
#define PASSES_LEAST 3 /* untimed */
#define PASSES_MOST 8  /* timed, in one launch */
#define ALONE_ARRAYS 6 /* if only one SM walks at a time */
#define BY_CHANCE 1e-3 /* most probability that noise looks like a line that misses */
/* Other data (of the kernel) may be in a set, so that its lines miss even without a further line.
 * At most one line in so many may do that. */
#define DISTURBED 64
#define APART 3 /* misses by which lines of the set differ from others */

int gc_overfull_open(struct gc_overfull *o, uint32_t sector)
{
  uint64_t span = SPAN_LEAST;

  while (span < SPAN_MOST && span < SPAN_CAPACITIES * (uint64_t)o->lines * o->line)
    span *= 2;
  o->variants = sector / GC_SLOT;
  if (o->variants > GC_VARIANTS_MAX)
    o->variants = GC_VARIANTS_MAX;
  if (o->variants < 1)
    o->variants = 1;
  return gc_layout_open(&o->layout, o->bench, o->path->space, span);
}

/* Adds a further line, unless it is in the array or has been chosen before. */
static void add_extra(struct gc_overfull *o, size_t most, uint64_t line)
{
  if (o->n >= most || line < o->lines || line >= o->layout.bytes / o->line)
    return;
  for (size_t i = 0; i < o->n; i++)
    if (o->conflict[i].extra == line)
      return;
  o->conflict[o->n++] = (struct gc_conflict){.extra = (uint32_t)line};
}

/* Lines near to the array, lines whose number is a power of two, so that each address bit counts,
 * and random ones. */
static void choose_extras(struct gc_overfull *o, size_t most)
{
  const uint32_t all = (uint32_t)(o->layout.bytes / o->line);

  o->n = 0;
  for (uint32_t i = 0; i < NEAR && i < most / 2; i++)
    add_extra(o, most, o->lines + i * 7);
  for (uint64_t bit = all / 2; bit; bit /= 2)
    add_extra(o, most, bit);
  for (unsigned tries = 0; o->n < most && tries < 4 * GC_OVERFULL_MAX; tries++)
    add_extra(o, most, gc_layout_random(&o->layout, all));
}

static uint64_t slot_of(const struct gc_overfull *o, uint64_t line, uint32_t variant)
{
  return line * o->line + (uint64_t)variant * GC_SLOT;
}

/* The slot behind the last line of an array: where the chain reaches it, it continues at the
 * further line (kernels/args.h). */
static uint64_t end_slot(const struct gc_overfull *o)
{
  return o->layout.bytes - GC_SLOT;
}

static uint64_t multiplier_of(uint32_t lines, uint32_t variant)
{
  return variant ? gc_ring_scatter_other(lines, variant - 1) : 1;
}

/* Lays the array in all orders, and the further lines, which lead to its first line. */
static int lay(struct gc_overfull *o, uint32_t lines)
{
  memset(o->layout.image, 0, o->layout.bytes);
  for (uint32_t v = 0; v < o->variants; v++) {
    const uint64_t multiplier = multiplier_of(lines, v);
    uint64_t at = 0;

    for (uint32_t i = 0; i < lines; i++) {
      const uint64_t next = (at + multiplier) % lines;

      gc_layout_link(&o->layout, slot_of(o, at, v),
                     i + 1 < lines ? slot_of(o, next, v) : end_slot(o));
      at = next;
    }
    for (size_t i = 0; i < o->n; i++)
      gc_layout_link(&o->layout, slot_of(o, o->conflict[i].extra, v), slot_of(o, 0, v));
  }
  return gc_layout_upload(&o->layout);
}

/* Walks of all arrays, and how often each line missed. */
struct walk {
  struct gc_overfull *o;
  uint32_t lines;                /* of the array, without the further line */
  size_t arrays;                 /* the further lines, and at the end the array alone */
  size_t jobs;                   /* walks: each array once or several times */
  size_t at_once;                /* walks in a launch */
  uint32_t passes;               /* timed, in a launch; 0: less than one */
  uint32_t walked;               /* timed passes over each array so far */
  struct gpu_marks_result *seen; /* [at_once] */
  uint32_t *missed;              /* [arrays][lines + 1]; the last one is the further line */
};

/* Adds the misses of one walk, which began `from` loads after the start of the array. */
static void count(struct walk *w, size_t array, uint32_t variant, uint64_t from,
                  const struct gpu_marks_result *seen)
{
  const uint32_t before = array < w->o->n; /* loads before the first line of the array */
  const uint64_t multiplier = multiplier_of(w->lines, variant), period = w->lines + before;
  uint32_t *missed = w->missed + array * (w->lines + 1);

  for (uint32_t k = 0; k < seen->loads; k++)
    if (gc_mark(seen->slow, k)) {
      const uint64_t at = (from + k) % period;

      missed[at < before ? w->lines : (at - before) * multiplier % w->lines]++;
    }
}

/* `loads` timed loads of all arrays after `warm` others. */
static int walk_part(struct walk *w, uint32_t variant, uint32_t warm, uint32_t loads)
{
  struct gc_overfull *o = w->o;
  uint64_t starts[GC_SMS_MAX], ends[GC_SMS_MAX];
  int status = 0;

  for (size_t from = 0; from < w->jobs && !status; from += w->at_once) {
    const size_t n = w->jobs - from < w->at_once ? w->jobs - from : w->at_once;
    const struct gc_marked marked = {.starts = starts,
                                     .ends = ends,
                                     .n = n,
                                     .warm = warm,
                                     .loads = loads,
                                     .threshold = (uint32_t)o->threshold,
                                     .late = UINT32_MAX};

    for (size_t i = 0; i < n; i++) {
      const size_t array = (from + i) % w->arrays;
      const uint32_t line = array < o->n ? o->conflict[array].extra : 0;

      starts[i] = gc_ring_address(o->bench, o->path->space, slot_of(o, line, variant));
      ends[i] = gc_ring_address(o->bench, o->path->space, end_slot(o));
    }
    if (!(status = gc_marks_walk(o->bench, o->path, &marked, w->seen)))
      for (size_t i = 0; i < n; i++)
        count(w, (from + i) % w->arrays, variant, warm, &w->seen[i]);
  }
  return status;
}

static int walk_once(struct walk *w, uint32_t variant)
{
  const uint32_t pass = w->lines + 1, enough = w->o->path->warm_loads / pass + 1;
  const uint32_t warm = (enough > PASSES_LEAST ? enough : PASSES_LEAST) * pass;
  int status = 0;

  if (w->passes)
    status = walk_part(w, variant, warm, w->passes * pass);
  for (uint32_t at = 0; at < pass && !w->passes && !status; at += GPU_MARKS)
    status = walk_part(w, variant, warm + at, pass - at < GPU_MARKS ? pass - at : GPU_MARKS);
  w->walked += (w->passes ? w->passes : 1) * (uint32_t)(w->jobs / w->arrays);
  return status;
}

/* Does a line of the array miss again and again even without a further line? */
static bool misses_alone(const struct walk *w, uint32_t line)
{
  const uint32_t *missed = w->missed + w->o->n * (w->lines + 1);

  return line < w->lines && w->walked > 2 && missed[line] > w->walked / 2;
}

/* Finds the noise: the share of slow loads of the array alone. Also whether too many of its lines
 * miss again and again. */
static void find_noise(struct walk *w)
{
  const uint32_t *missed = w->missed + w->o->n * (w->lines + 1);
  uint64_t slow = 0;
  uint32_t misses = 0;

  for (uint32_t i = 0; i < w->lines; i++)
    if (misses_alone(w, i))
      misses++;
    else
      slow += missed[i];
  w->o->misses = misses > w->lines / DISTURBED;
  w->o->noise = (double)(slow + 1) / ((double)(w->lines - misses) * w->walked + 1);
}

/* The fewest misses of a line that are no noise. */
static uint32_t least_misses(const struct walk *w)
{
  uint32_t least = 2;

  while (least < w->walked &&
         w->lines * (1 - gc_binomial_cdf(least - 1, w->walked, w->o->noise)) > BY_CHANCE)
    least++;
  return least;
}

/* The lines of an array that miss, and do not miss without the further line. */
static void find_conflict(struct walk *w, size_t array, uint32_t least)
{
  struct gc_conflict *conflict = &w->o->conflict[array];
  const uint32_t *missed = w->missed + array * (w->lines + 1);
  uint32_t rarest = UINT32_MAX, other = 0;

  conflict->count = 0;
  for (uint32_t i = 0; i <= w->lines; i++)
    if (misses_alone(w, i)) {
      continue;
    } else if (missed[i] < least) {
      other = missed[i] > other ? missed[i] : other;
    } else {
      rarest = missed[i] < rarest ? missed[i] : rarest;
      if (conflict->count < GC_CONFLICT_MAX)
        conflict->line[conflict->count] = i < w->lines ? i : conflict->extra;
      conflict->count++;
    }
  conflict->unclear =
      conflict->count > GC_CONFLICT_MAX || (conflict->count && rarest < other + APART);
  if (conflict->count && missed[w->lines] < least) { /* something else evicted these lines */
    conflict->count = 1;
    conflict->unclear = false;
  }
}

static bool find_conflicts(struct walk *w)
{
  const uint32_t least = least_misses(w);
  bool clear = true;

  for (size_t i = 0; i < w->o->n; i++) {
    find_conflict(w, i, least);
    clear &= !w->o->conflict[i].unclear;
  }
  return clear;
}

static void plan(struct walk *w)
{
  struct gc_overfull *o = w->o;
  const uint32_t sms = o->bench->properties.sms;
  const bool alone = gc_walks_alone(o->bench, o->path);

  choose_extras(o, alone || sms == 1 ? ALONE_ARRAYS : GC_OVERFULL_MAX);
  w->arrays = o->n + 1;
  w->jobs = alone || sms < w->arrays ? w->arrays : sms / w->arrays * w->arrays;
  w->at_once = alone ? 1 : sms < w->jobs ? sms : w->jobs;
  w->passes = GPU_MARKS / (w->lines + 1);
  w->passes = w->passes > PASSES_MOST ? PASSES_MOST : w->passes;
}

int gc_overfull_find(struct gc_overfull *o, uint32_t spare, bool ascending)
{
  struct walk w = {.o = o, .lines = o->lines - spare};
  bool clear = false;
  int status;

  o->spare = spare;
  plan(&w);
  w.seen = gc_step_alloc(o->bench, w.at_once, sizeof(*w.seen));
  w.missed = gc_step_alloc(o->bench, w.arrays * (w.lines + 1), sizeof(*w.missed));
  status = w.seen && w.missed ? lay(o, w.lines) : -ENOMEM;
  for (uint32_t round = 0; round < ROUNDS_MOST && !clear && !status; round++)
    if (!(status = walk_once(&w, ascending ? 0 : round % o->variants)) &&
        w.walked >= PASSES_ENOUGH && (ascending || round + 1 >= o->variants)) {
      find_noise(&w);
      clear = find_conflicts(&w) || o->misses;
    }
  return status;
}
