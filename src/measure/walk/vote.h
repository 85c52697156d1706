/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Yes-or-no questions that repeated runs answer by vote.
 */
#ifndef GC_MEASURE_WALK_VOTE_H
#define GC_MEASURE_WALK_VOTE_H

#include "stats/stats.h"

/* The common answer of repeated runs. */
enum gc_answer { GC_UNCLEAR, GC_NO, GC_YES };

struct gc_vote {
  enum gc_answer answer;
  double confidence; /* of GC_YES or GC_NO: the probability that more than half of all possible runs
                        agree */
};

/* The probability that more than half of all possible votes agree with the m of n. */
static inline double gc_vote_confidence(uint64_t m, uint64_t n)
{
  return m ? gc_binomial_cdf(m - 1, n, 0.5) : 0;
}

#endif
