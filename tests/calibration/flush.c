/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FlushBytes: how many lines are left after so much was read, and after less?
 */
#include "court.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEFT_MOST 0.05 /* of the lines, after the value */
/* After so much less, more than these are left. Sizes are 19 % apart, and one after which hardly
 * fewer are left may be passed over; more of them if any line may be replaced. */
#define LESS 0.7
#define LESS_IF_ANY 0.5

bool judge_flush(const struct court *court, struct court_case *c)
{
  const struct gc_profile_path *path = &court->profile.paths[GC_SPACE_CG];
  const uint64_t bytes = strtoull(c->reported, NULL, 10);
  double after, before, less = LESS;

  if (path->count < 2 || court->gpu->class == DRAWN_NOISE)
    return false;
  snprintf(c->truth, sizeof(c->truth), "at least %" PRIu64,
           gc_model_true_level(court->model, GC_SPACE_CG, 0));
  for (unsigned level = 0; level + 1 < path->count; level++)
    if (court->profile.caches[path->levels[level].cache].shape.replacement == GC_REPLACE_RANDOM ||
        court->profile.caches[path->levels[level].cache].shape.replacement == GC_REPLACE_WEIGHTED)
      less = LESS_IF_ANY;
  if (!bytes || gc_model_true_left(court->model, bytes, &after) ||
      gc_model_true_left(court->model, (uint64_t)(less * (double)bytes), &before))
    return false;
  snprintf(c->truth, sizeof(c->truth), "%.4f are left after it, %.4f after %g times as much",
           after, before, less);
  return after <= LEFT_MOST && before > LEFT_MOST;
}
