/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the banks of shared memory, and atomic operations.
 */
#include "court.h"
#include "kernels/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFLICT_CYCLES 0.25
#define CONFLICT_SHARE 0.05
#define SM_CYCLES 1.0
#define L2_SHARE 0.02
#define RATE_SHARE 0.03

static bool is_near(const struct court_case *c, double truth, double below, double above)
{
  const double reported = *c->reported ? strtod(c->reported, NULL) : NAN;

  return reported >= truth - below && reported <= truth + above;
}

bool judge_banks(const struct court *court, struct court_case *c)
{
  snprintf(c->truth, sizeof(c->truth), "%u", court->profile.banks.count);
  return is_near(c, court->profile.banks.count, 0, 0);
}

bool judge_bank(const struct court *court, struct court_case *c)
{
  snprintf(c->truth, sizeof(c->truth), "%u", court->profile.banks.width);
  return is_near(c, court->profile.banks.width, 0, 0);
}

bool judge_conflict(const struct court *court, struct court_case *c)
{
  const double truth = court->profile.banks.conflict;
  const double near = fmax(CONFLICT_CYCLES, CONFLICT_SHARE * truth);

  snprintf(c->truth, sizeof(c->truth), "%.0f", truth);
  return is_near(c, truth, near, near);
}

/* The home is far for the share `far` of the lines. */
static bool judge_operation(const struct court *court, struct court_case *c, double far)
{
  const struct gc_profile_atomics *atomics = &court->profile.atomics;
  const bool l2 = c->space != GC_SPACE_SHARED;
  const double share = court->profile.own_clock == GC_OWN_CLOCK_L2 && l2 ? court_clock_share(court) : 1;
  const double truth =
    share * (l2 ? atomics->l2_cycles + far * atomics->l2_far
                : atomics->shared_cycles);
  const double near = l2 ? L2_SHARE * truth : SM_CYCLES;

  return court_cycles(court, c, truth, near);
}

bool judge_atomic(const struct court *court, struct court_case *c)
{
  return judge_operation(court, c, c->cache ? 1 - 1.0 / c->cache->partitions : 0);
}

bool judge_near_atomic(const struct court *court, struct court_case *c)
{
  return judge_operation(court, c, 0);
}

bool judge_far_atomic(const struct court *court, struct court_case *c)
{
  return judge_operation(court, c, 1);
}

bool judge_atomics(const struct court *court, struct court_case *c)
{
  const bool l2 = c->space != GC_SPACE_SHARED;
  const double share = court->profile.own_clock == GC_OWN_CLOCK_L2 && l2 ? court_clock_share(court) : 1;
  const double truth =
    l2 ? court->profile.atomics.l2_rate / share : court->profile.atomics.shared_rate;
  /* the record has two decimals */
  const double near = RATE_SHARE * truth + 0.005;

  snprintf(c->truth, sizeof(c->truth), "%.3f", truth);
  return is_near(c, truth, near, near);
}

/* The latency differs from that of L2 by the same cycles, whatever clock L2 has. */
bool judge_bulk_latency(const struct court *court, struct court_case *c)
{
  const struct gc_profile_bulk *bulk = &court->profile.bulk;
  const double l2_cycles = court->profile.paths[GC_SPACE_CG].levels[0].cycles;
  struct court_case l2 = *c;
  double truth;
  bool right;

  if (!bulk->line_number)
    return false;
  truth =
      court_latency(court, GC_SPACE_CG, 0) - l2_cycles + bulk->cycles + GPU_BULK_LEAST / bulk->rate;
  l2.space = GC_SPACE_CG;
  l2.level = 0;
  right = court_cycles(court, &l2, truth, L2_SHARE * truth);
  memcpy(c->truth, l2.truth, sizeof(c->truth));
  return right;
}

bool judge_bulk_rate(const struct court *court, struct court_case *c)
{
  const double truth = court->profile.bulk.rate, near = RATE_SHARE * truth + 0.05;

  if (!court->profile.bulk.line_number)
    return false;
  snprintf(c->truth, sizeof(c->truth), "%.2f", truth);
  return is_near(c, truth, near, near);
}
