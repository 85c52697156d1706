/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks the lines of sets of L1 through another path. As a control, the same lines are mixed, so
 * that each group has lines of many sets.
 */
#include "measure/structure/same_sets.h"

#include "measure/core/memo.h"
#include "measure/core/step_memory.h"
#include "measure/walk/marks.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SETS_MOST 16
#define SETS_ALONE 4 /* if only one SM walks at a time */
#define SETS_LEAST 3
#define PASSES 64
#define WARM_PASSES 2
#define SAME 0.9     /* share of the sets whose lines must displace each other */
#define OTHER 0.25   /* if no more than this share do, the hash is another one */
#define NOISE_MOST 4 /* slow loads of a mixed group, in standard deviations and half passes */

struct sets {
  size_t n;
  uint32_t lines; /* of each set */
  uint32_t line[SETS_MOST][GC_CONFLICT_MAX];
};

static const struct gc_memo_type sets_memo = {sizeof(struct sets), NULL};

static bool has_line(const struct sets *sets, const struct gc_conflict *conflict)
{
  for (size_t i = 0; i < sets->n; i++)
    for (uint32_t k = 0; k < sets->lines; k++)
      for (uint32_t other = 0; other < sets->lines; other++)
        if (sets->line[i][k] == conflict->line[other])
          return true;
  return false;
}

int gc_same_sets_keep(struct gc_measurement *m, const struct gc_overfull *o, uint32_t lines)
{
  struct sets *sets = gc_memo_keep(&m->memos, &sets_memo, m->bench.err);

  if (!sets)
    return -ENOMEM;
  sets->lines = lines;
  for (size_t i = 0; i < o->n && sets->n < SETS_MOST; i++) {
    const struct gc_conflict *conflict = &o->conflict[i];

    if (conflict->count == lines && !conflict->unclear && !has_line(sets, conflict))
      memcpy(sets->line[sets->n++], conflict->line, lines * sizeof(*conflict->line));
  }
  return 0;
}

/* Lays a ring of each group: the lines of a set, or one line of each set in turn. */
static int lay(struct gc_overfull *o, const struct sets *sets, size_t n, bool mixed,
               uint64_t *starts)
{
  memset(o->layout.image, 0, o->layout.bytes);
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < sets->lines; k++) {
      const uint32_t next = (k + 1) % sets->lines;
      const uint64_t from = sets->line[mixed ? (i + k) % n : i][k];
      const uint64_t to = sets->line[mixed ? (i + next) % n : i][next];

      if (from * o->line >= o->layout.bytes)
        return gc_no_value(o->bench, "lines that share a set of L1Cache have addresses that this "
                                     "path does not reach");
      gc_layout_link(&o->layout, from * o->line, to * o->line);
      if (!k)
        starts[i] = gc_ring_address(o->bench, o->path->space, from * o->line);
    }
  return gc_layout_upload(&o->layout);
}

/* slow[n]: loads of each group that miss. */
static int walk(struct gc_overfull *o, const struct sets *sets, size_t n, bool mixed,
                uint32_t loads, uint32_t *slow)
{
  const size_t at_once = gc_walks_alone(o->bench, o->path) ? 1
                         : o->bench->properties.sms < n    ? o->bench->properties.sms
                                                           : n;
  struct gpu_marks_result seen[SETS_MOST];
  uint64_t starts[SETS_MOST];
  int status = lay(o, sets, n, mixed, starts);

  for (size_t from = 0; from < n && !status; from += at_once) {
    const struct gc_marked marked = {.starts = starts + from,
                                     .n = n - from < at_once ? n - from : at_once,
                                     .warm = WARM_PASSES * sets->lines,
                                     .loads = loads,
                                     .threshold = (uint32_t)o->threshold,
                                     .late = UINT32_MAX};

    status = gc_marks_walk(o->bench, o->path, &marked, seen + from);
  }
  for (size_t i = 0; i < n && !status; i++)
    for (uint32_t k = slow[i] = 0; k < loads; k++)
      slow[i] += gc_mark(seen[i].slow, k);
  return status;
}

static double mean(const uint32_t *counts, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += counts[i];
  return sum / (double)n;
}

/* If lines displace each other, at least one of them misses in each pass. */
static enum gc_answer conclude(const uint32_t *slow, const uint32_t *mixed, size_t n,
                               uint32_t passes)
{
  const double noise = mean(mixed, n);
  size_t displaced = 0;

  for (size_t i = 0; i < n; i++)
    displaced += slow[i] > noise + 0.5 * passes;
  if (NOISE_MOST * sqrt(noise) > 0.5 * passes)
    return GC_UNCLEAR;
  return (double)displaced >= SAME * (double)n    ? GC_YES
         : (double)displaced <= OTHER * (double)n ? GC_NO
                                                  : GC_UNCLEAR;
}

int gc_same_sets_ask(const struct gc_measurement *m, struct gc_overfull *o, enum gc_answer *same)
{
  const struct sets *sets = gc_memo_find(m->memos, &sets_memo);
  uint32_t slow[SETS_MOST], mixed[SETS_MOST], passes;
  size_t n;
  int status;

  *same = GC_UNCLEAR;
  if (!sets || sets->n < SETS_LEAST)
    return 0;
  n = gc_walks_alone(o->bench, o->path) && sets->n > SETS_ALONE ? SETS_ALONE : sets->n;
  passes = GPU_MARKS / sets->lines < PASSES ? GPU_MARKS / sets->lines : PASSES;
  if ((status = walk(o, sets, n, false, passes * sets->lines, slow)) ||
      (status = walk(o, sets, n, true, passes * sets->lines, mixed)))
    return status;
  *same = conclude(slow, mixed, n, passes);
  for (size_t i = 0; i < n; i++)
    gc_raw_row(o->bench->raw,
               "loads of lines of a set of L1\tof these, slow\tslow with mixed lines",
               (double[]){(double)passes * sets->lines, slow[i], mixed[i]});
  return 0;
}
