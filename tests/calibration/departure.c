/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the departure delays: the profile states how often an SM requests a line, how many bytes
 * of lines, and how many lines it can wait for.
 */
#include "court.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARE 0.05 /* that a value may be wrong by */

/* The first level of this path that SMs share; it answers the loads. */
static unsigned outside(const struct gc_profile *profile, const struct gc_profile_path *path)
{
  unsigned level = 0;

  while (level + 1 < path->count && profile->caches[path->levels[level].cache].scope < GC_SCOPE_XCD)
    level++;
  return level;
}

static bool judge(const struct court *court, struct court_case *c, bool coalesced)
{
  const struct gc_profile *profile = &court->profile;
  const struct gc_profile_path *path = &profile->paths[GC_SPACE_CA];
  static const struct gc_cache_shape memory = {.line = 32, .sector = 32};
  const struct gc_cache_shape *shape = path->levels[0].cache == GC_PROFILE_MEMORY
                                           ? &memory
                                           : &profile->caches[path->levels[0].cache].shape;
  const uint32_t row = 4 * profile->facts.warp;
  const double lines = coalesced && row > shape->line ? (double)row / shape->line : 1;
  const double bytes = coalesced ? fmin(row, shape->line) : shape->sector;
  const unsigned level = outside(profile, path);
  double line = profile->miss_cycles, most, value = atof(c->reported);

  if (profile->miss_bytes)
    line = fmax(line, ceil(bytes / profile->miss_bytes));
  most = line;
  /* Little's law; some lines may be in a far partition */
  if (profile->outstanding_per_sm) {
    const double latency = court_latency(court, GC_SPACE_CA, level);
    const int cache = path->levels[level].cache;
    const double far = cache == GC_PROFILE_MEMORY ? 0 : profile->caches[cache].far_cycles;

    line = fmax(line, latency / profile->outstanding_per_sm);
    most = fmax(line, (latency + far) / profile->outstanding_per_sm);
  }
  snprintf(c->truth, sizeof(c->truth), "%.4g", lines * line);
  return value >= (1 - SHARE) * lines * line && value <= (1 + SHARE) * lines * most;
}

bool judge_departure(const struct court *court, struct court_case *c)
{
  return judge(court, c, true);
}

bool judge_uncoalesced_departure(const struct court *court, struct court_case *c)
{
  return judge(court, c, false);
}
