/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics of measured latencies: pure functions on arrays, without a device, I/O or global
 * state, so any thread may call them. Latencies are in cycles, sizes in bytes, probabilities in [0,
 * 1].
 */
#ifndef GC_STATS_STATS_H
#define GC_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- summary.c ------------------------------------------------------------------------------- */

/* Sorts ascending. */
void gc_sort(double *values, size_t n);

/* Median of n > 0 values (for even n the mean of the middle two). Reorders the array. */
double gc_median(double *values, size_t n);

/* The quantile q (0 to 1) of n > 0 values: the least value that at least the share q of them does
 * not exceed. Reorders the array. */
double gc_quantile(double *values, size_t n, double q);

/* Mean of the quartiles of n > 0 values. For values with one mode this is about the median; for two
 * modes of equal weight it is the middle between their medians. Outliers have no effect while they
 * are less than a quarter of the values on either side. Reorders the array. */
double gc_midhinge(double *values, size_t n);

/* The middle of n > 0 values with one mode or two: the midhinge where the median lies in a gap, as
 * between two modes of equal weight, else the median. So a second mode with less than 40 % of the
 * values, however far from the first one, has hardly any effect. Reorders the array. */
double gc_middle(double *values, size_t n);

/* The same from quantiles: 0.2, 0.25, 0.4, 0.5, 0.6, 0.75 and 0.8. */
#define GC_MIDDLE_QUANTILES 7
extern const double gc_middle_quantiles[GC_MIDDLE_QUANTILES];
double gc_middle_of(const double quantiles[GC_MIDDLE_QUANTILES]);

/* Confidence that the median of n independent repetitions is within +-tolerance of the true median,
 * by order statistics (sign test): 1 - P(Bin(n, 1/2) <= low) - P(Bin(n, 1/2) <= high). low and high
 * are the numbers of values more than tolerance below and above the median. 0 for n = 0. */
double gc_median_confidence(const double *values, size_t n, double median, double tolerance);

/* P(X <= k) for X ~ Binomial(n, p). */
double gc_binomial_cdf(uint64_t k, uint64_t n, double p);

/* The quantile q of a histogram whose bin b covers [low + b * width, low + (b + 1) * width): the
 * lower edge of the quantile's bin. 0 for an empty histogram. */
double gc_histogram_quantile(const uint64_t *histogram, size_t bins, double low, double width,
                             double q);
/* The same for n ascending quantiles. */
void gc_histogram_quantiles(const uint64_t *histogram, size_t bins, double low, double width,
                            const double *q, size_t n, double *values);

/* --- robust.c -------------------------------------------------------------------------------- */

/* The median absolute deviation from the median of n > 0 values, as an estimate of the standard
 * deviation of a normal distribution: 1.4826 MAD, times a factor that makes it unbiased for few
 * values. Up to half of the values can be wrong without making it large, so that outliers do not
 * hide themselves, as they do in the standard deviation. 0 if more than half of the values are the
 * same, and for n = 1. Reorders and changes the array. Sources: Rousseeuw and Croux 1993; Croux and
 * Rousseeuw 1992 for the factors. */
double gc_robust_sigma(double *values, size_t n, double median);

/* By how many standard deviations a value must differ from the mean, in either direction, to be an
 * outlier among `comparisons` (>= 1) normally distributed values, if the probability that any of
 * them is taken for one by chance is at most alpha (0 to 1, Bonferroni). */
double gc_outlier_sigmas(double alpha, double comparisons);

/* --- ranks.c --------------------------------------------------------------------------------- */

#define GC_RANKS_MAX 16 /* values of a sample */

/* Exact one-sided p-value of the rank sum test: the probability that so many of the n * m pairs, or
 * more, have the value of a above that of b, if both come from the same distribution. Equal values
 * do not count as above. 1 if a sample is empty or too large. Source: Mann and Whitney 1947. */
double gc_ranks_pvalue(const double *a, size_t n, const double *b, size_t m);

/* --- ks.c ------------------------------------------------------------------------------------ */

/* One-sided two-sample Kolmogorov-Smirnov statistic D+ = max (F - G) of two histograms over the
 * same bins. F and G are the distribution functions of a and b. D+ is large only if the values of b
 * are larger than those of a. It never exceeds the D+ of the samples before binning, so the test is
 * conservative. Range [0, 1]; 0 if a histogram is empty. n and m (may be NULL) receive the sample
 * sizes. The p-value of D+ is at most gc_ks_pvalue(D+, n, m). */
double gc_ks_slower(const uint64_t *a, const uint64_t *b, size_t bins, uint64_t *n, uint64_t *m);

/* Two-sided p-value of a K-S statistic d for samples of n and m values: P(D >= d) if both come from
 * the same distribution. Exact (lattice paths) while n * m <= 10000. Beyond that, Kolmogorov's
 * limit distribution at (sqrt(e) + 0.12 + 0.11 / sqrt(e)) d with e = nm / (n + m), which is
 * Stephens' correction. Ties make it conservative. Sources: Stephens 1970; Press et al., section
 * 14.3. */
double gc_ks_pvalue(double d, uint64_t n, uint64_t m);

/* Holm's step-down method: replaces n p-values by their family-wise adjusted values, in the same
 * order. */
void gc_holm(double *p, size_t n);

/* --- changepoint.c --------------------------------------------------------------------------- */

/* The evidence of runs with arrays of one size, as log-likelihoods of the results: if the array
 * fits in the cache, if it exceeds the cache, and if the runs are noise, so that at every size
 * either has the probability 1/2. Sums over runs. */
#define GC_MISS_COUNTS 24 /* values that are tried for the unknown number of misses */
struct gc_evidence {
  double fits, exceeds, noise;
  double misses[GC_MISS_COUNTS]; /* if the array exceeds the cache and a run has so many misses */
  double beyond; /* gc_changepoint_find's: if the array exceeds the cache, with any number of them */
};

/* Adds the evidence of one run: `slow` of its `loads` timed loads were slow. `rate` is the share of
 * loads that are slow by chance. If the array fits, slow is distributed as Poisson(rate * loads).
 * If it exceeds the cache, there is at least one miss in addition. The number of misses may be
 * anything up to all loads (log-uniform); in three quarters of the runs it varies around the same
 * mean for all runs of one size, so that many runs with one additional slow load each are evidence
 * together. A run may be disturbed, so each hypothesis gives the other one a share of 2 %, and no
 * single run decides. */
void gc_evidence_add(struct gc_evidence *evidence, uint32_t slow, uint32_t loads, double rate);

/* Adds the evidence of n votes, `yes` of them for "exceeds". If the array fits, at most one vote in
 * eight is wrong, and likewise if it exceeds the cache; for noise any share is possible. All shares
 * within these bounds have the same weight. */
void gc_evidence_votes(struct gc_evidence *evidence, uint64_t yes, uint64_t n);

/* Where ascending sizes change from fitting to exceeding. */
struct gc_changepoint {
  size_t index;       /* the most probable first item beyond the change, in [0, n]; n: no change */
  double probability; /* posterior probability that the change is exactly there */
  double noise;       /* posterior probability that there is no change but noise */
};

/* Computes the posterior over the n + 1 positions of one change. All positions have the same prior,
 * and noise has the same prior as all of them together. This corrects for the number of sizes.
 * posterior (may be NULL) receives n + 1 probabilities that sum to 1 - noise.
 * Writes items[].beyond. */
void gc_changepoint_find(struct gc_evidence *items, size_t n, double *posterior,
                         struct gc_changepoint *found);

/* --- split.c --------------------------------------------------------------------------------- */

/* Values divided into two groups so that the variance between the groups is largest (Otsu 1979).
 * This divides any values. They form two groups only if little lies in the middle. */
struct gc_split {
  double low, high; /* means of the groups */
  double threshold; /* halfway between them */
  double share;     /* of the values that are in the high group */
  bool empty;       /* the middle third between the means has at most a tenth of the smaller
                       group */
};

/* Divides n > 0 values, which it sorts. */
void gc_split_find(double *values, size_t n, struct gc_split *split);

#endif
