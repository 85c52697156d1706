/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The confidence of a vote.
 */
#include "measure/walk/vote.h"

#include "stats/stats.h"

double gc_vote_confidence(uint64_t m, uint64_t n)
{
  return m ? gc_binomial_cdf(m - 1, n, 0.5) : 0;
}
