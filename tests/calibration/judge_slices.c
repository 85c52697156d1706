/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the slices of L2, and which side holds a line.
 */
#include "court.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BITS (((uint64_t)2 << 20) - 1) /* the mask is that inside 2 MiB */

static bool same(const struct court_case *c) { return *c->truth && !strcmp(c->reported, c->truth); }

bool judge_slices(const struct court *court, struct court_case *c)
{
  (void)court;
  if (c->cache && c->cache->slices)
    snprintf(c->truth, sizeof(c->truth), "%u", c->cache->slices);
  return same(c);
}

/* The home of a line is the parity of these bits of its offset in 2 MiB. 0: it is none. */
static uint64_t mask_of(const struct court_case *c)
{
  return c->cache && !c->cache->side_and ? c->cache->side_mask & PAGE_BITS : 0;
}

bool judge_side_mask(const struct court *court, struct court_case *c)
{
  (void)court;
  if (mask_of(c))
    snprintf(c->truth, sizeof(c->truth), "0x%" PRIx64, mask_of(c));
  return same(c);
}

bool judge_side_granule(const struct court *court, struct court_case *c)
{
  const uint64_t mask = mask_of(c);

  (void)court;
  if (mask)
    snprintf(c->truth, sizeof(c->truth), "%" PRIu64, mask & -mask);
  return same(c);
}

#define RATE_SHARE 0.03

/* The record has two decimals. */
bool judge_slice_read(const struct court *court, struct court_case *c)
{
  const double truth = c->cache ? c->cache->slice_read : 0;
  const double reported = strtod(c->reported, NULL);

  (void)court;
  if (truth > 0)
    snprintf(c->truth, sizeof(c->truth), "%.2f", truth);
  return truth > 0 && fabs(reported - truth) <= RATE_SHARE * truth + 0.005;
}
