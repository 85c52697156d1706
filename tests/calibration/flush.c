/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FlushBytes: reads so much on the model, and looks for lines that are left.
 */
#include "court.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE (1ull << 40)
#define LINES 512
#define APART (13 * 256) /* bytes */
#define OTHERS (BASE + (1ull << 33))
#define RUN 256 /* loads of an SM at a time, as in the kernel `touch` */
#define PASSES 3
#define LEFT_MOST (LINES / 100) /* of the lines */
/* After so much less, lines are left. A value is at most 19 % above what is needed; where any line
 * may be replaced, chance has a larger part. */
#define LESS 0.6
#define LESS_IF_RANDOM 0.25

/* How many lines L2 or L3 still has after SM 0 has read them and all SMs have read `bytes` others.
 */
static unsigned left_after(const struct court *court, uint64_t bytes)
{
  const uint32_t sms = court->profile.facts.sms,
                 memory = court->profile.paths[GC_SPACE_CG].count - 1;
  const uint32_t line =
      court->profile.caches[court->profile.paths[GC_SPACE_CG].levels[0].cache].shape.line;
  const double cycles = gc_model_true_latency(court->model, GC_SPACE_CG, memory);
  unsigned left = 0;
  uint32_t sm = 0;

  gc_model_displace(court->model);
  for (int pass = 0; pass < PASSES; pass++)
    gc_model_touch_run(court->model, 0, GC_SPACE_CG, BASE, APART, LINES);
  for (uint64_t at = 0; at < bytes; at += (uint64_t)RUN * line, sm = (sm + 1) % sms)
    gc_model_touch_run(court->model, sm, GC_SPACE_CG, OTHERS + at, line, RUN);
  for (unsigned i = 0; i < LINES; i++)
    left += gc_model_touch(court->model, 0, GC_SPACE_CG, BASE + (uint64_t)i * APART) < cycles;
  return left;
}

bool judge_flush(const struct court *court, struct court_case *c)
{
  const struct gc_profile_path *path = &court->profile.paths[GC_SPACE_CG];
  const uint64_t bytes = strtoull(c->reported, NULL, 10);
  unsigned after, before;
  double less = LESS;

  if (path->count < 2 || court->gpu->class == DRAWN_NOISE)
    return false;
  snprintf(c->truth, sizeof(c->truth), "at least %" PRIu64,
           gc_model_true_level(court->model, GC_SPACE_CG, 0));
  if (!bytes)
    return false;
  if (gc_model_map(court->model, BASE, (uint64_t)LINES * APART) ||
      gc_model_map(court->model, OTHERS, bytes + (1 << 20)))
    return false;
  for (unsigned level = 0; level + 1 < path->count; level++)
    if (court->profile.caches[path->levels[level].cache].shape.replacement == GC_REPLACE_RANDOM)
      less = LESS_IF_RANDOM;
  after = left_after(court, bytes);
  before = left_after(court, (uint64_t)(less * (double)bytes));
  gc_model_unmap(court->model, BASE);
  gc_model_unmap(court->model, OTHERS);
  snprintf(c->truth, sizeof(c->truth),
           "after it %u of %u lines are left, after %g times as much %u", after, LINES, less,
           before);
  return after <= LEFT_MOST && before;
}
