/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the departure delays: the profile states how often an SM requests a line, how many bytes of
 * lines, and how many lines it can wait for.
 */
#include "court.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARE 0.05 /* that a value may be wrong by */

static bool judge(const struct court *court, struct court_case *c, bool coalesced)
{
  const struct gc_profile *profile = &court->profile;
  const struct gc_profile_path *path = &profile->paths[GC_SPACE_CA];
  const struct gc_cache_shape *shape = &profile->caches[path->levels[0].cache].shape;
  const uint32_t row = 4 * profile->facts.warp;
  const double lines = coalesced && row > shape->line ? (double)row / shape->line : 1;
  const double bytes = coalesced ? fmin(row, shape->line) : shape->sector;
  double line = profile->miss_cycles, value = atof(c->reported);

  if (profile->miss_bytes)
    line = fmax(line, ceil(bytes / profile->miss_bytes));
  /* Little's law */
  if (profile->outstanding_per_sm)
    line = fmax(line, court_latency(court, GC_SPACE_CA, path->count - 1) /
                          profile->outstanding_per_sm);
  snprintf(c->truth, sizeof(c->truth), "%.4g", lines * line);
  return fabs(value - lines * line) <= SHARE * lines * line;
}

bool judge_departure(const struct court *court, struct court_case *c)
{
  return judge(court, c, true);
}

bool judge_uncoalesced_departure(const struct court *court, struct court_case *c)
{
  return judge(court, c, false);
}
