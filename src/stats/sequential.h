/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sequential sampling: how sure a share is that is examined again and again while it is sampled. A
 * measurement asks after each launch, and stops as soon as the answer is known. Pure functions.
 *
 * The bounds hold at all sample sizes at once, so the number of times that a measurement asks has
 * no effect on the probability of a wrong answer. An interval for a fixed sample size does not have
 * this property: if it is examined often enough, it excludes every share at some time.
 *
 * n samples in [0, 1] with the mean p have the sum s; for yes-or-no samples, s is the number of
 * "yes". The samples are independent, or at least each has the mean p whatever came before it. Then
 *
 *   M(p) = B(1/2 + s, 1/2 + n - s) / (B(1/2, 1/2) p^s (1 - p)^(n - s))
 *
 * is a nonnegative supermartingale that begins at 1, and by Ville's inequality the probability that
 * it ever reaches 1/error is at most `error`. M mixes the likelihood ratios of all other shares,
 * with the weights Beta(1/2, 1/2); among those symmetric in yes and no they need about the fewest
 * samples if nearly all samples agree. The shares with M(p) < 1/error are an interval that contains
 * s/n. Sources: Ville 1939; Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021.
 *
 * In all functions 0 <= s <= n; n = 0 is allowed and tells nothing. error: in (0, 1). Several
 * questions are wrong together with at most the sum of their errors.
 */
#ifndef GC_STATS_SEQUENTIAL_H
#define GC_STATS_SEQUENTIAL_H

#include <stddef.h>

/* The probability of a wrong answer to one question. A measurement asks fewer than 200 of them, so
 * fewer than 1 in 500 measurements has one. 20 equal answers decide against a share of 1/2. */
#define GC_SEQUENTIAL_ERROR 1e-5

/* log M(p), for p in [0, 1]. Infinite if the samples are impossible with p. */
double gc_share_evidence(double s, double n, double p);

/* The interval of the shares that are not excluded, a part of [0, 1]. */
struct gc_share {
  double low, high;
};
struct gc_share gc_share_bounds(double s, double n, double error);

/* Which side of a gap the share is on. In the gap, either answer is right; so the number of samples
 * that decide is limited, which it is not if low = high. */
enum gc_side {
  GC_SIDE_OPEN,  /* not known yet: take more samples */
  GC_SIDE_BELOW, /* less than `high` */
  GC_SIDE_ABOVE, /* greater than `low` */
};
enum gc_side gc_share_side(double s, double n, double low, double high, double error);

#endif
