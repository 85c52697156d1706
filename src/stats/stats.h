/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pure functions on arrays: what the latencies that were seen allow to conclude. No device, no I/O,
 * no state. Latencies are in cycles, sizes in bytes, probabilities in [0, 1].
 */
#ifndef GC_STATS_STATS_H
#define GC_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- summary.c ------------------------------------------------------------------------------- */

/* Sorts ascending. */
void gc_sort(double *values, size_t n);

/* Median of n > 0 values (mean of the middle two for even n). Reorders the array. */
double gc_median(double *values, size_t n);

/* Mean of the quartiles of n > 0 values: of one mode its median, of two of like weight the middle between
 * their medians, whatever lies further out on less than a quarter of either side. Reorders the array. */
double gc_midhinge(double *values, size_t n);

/* How sure the median of n independent repetitions is within +-tolerance of the true one, by order
 * statistics (sign test): 1 - P(Bin(n, 1/2) <= low) - P(Bin(n, 1/2) <= high), where low and high are
 * how many values lie more than tolerance below and above the median. 0 for n = 0. */
double gc_median_confidence(const double *values, size_t n, double median, double tolerance);

/* P(X <= k) for X ~ Binomial(n, p). */
double gc_binomial_cdf(uint64_t k, uint64_t n, double p);

/* Value below or at which a fraction q of a histogram lies (bin b covers [low + b * width, …)):
 * returns the lower edge of the bin in which the quantile falls. 0 for an empty histogram. */
double gc_histogram_quantile(const uint64_t *histogram, size_t bins, double low, double width, double q);

/* --- ks.c ------------------------------------------------------------------------------------ */

/* Two-sample Kolmogorov-Smirnov statistic D = max |F - G|. The arrays are sorted in place. */
double gc_ks_samples(double *a, size_t n, double *b, size_t m);

/* The same of two histograms over the same bins: D of the binned samples, never above the true D, so
 * the test is conservative. 0 when either is empty. n and m (may be NULL) receive the sample sizes. */
double gc_ks_histograms(const uint64_t *a, const uint64_t *b, size_t bins, uint64_t *n, uint64_t *m);

/* One-sided: max (F - G), large only when values of b are larger than those of a. Its p-value is at most
 * gc_ks_pvalue's. */
double gc_ks_slower(const uint64_t *a, const uint64_t *b, size_t bins, uint64_t *n, uint64_t *m);

/* P(D' >= D) when both samples are of one distribution. Exact (lattice paths) while n * m <= 10000,
 * beyond that Kolmogorov's limit with Stephens' correction (sqrt(e) + 0.12 + 0.11 / sqrt(e)) D,
 * e = nm / (n + m). Ties make it conservative. Source: Stephens 1970; Press et al., section 14.3. */
double gc_ks_pvalue(double d, uint64_t n, uint64_t m);

/* Holm's step-down: turns n p-values into family-wise adjusted ones, in place (order kept). */
void gc_holm(double *p, size_t n);

/* --- changepoint.c --------------------------------------------------------------------------- */

/* How likely is what was seen, as logarithms: if the array fitted, if it did not, and if the runs were
 * mere noise (either, by a coin, at every size). Add up over runs. */
#define GC_MISS_COUNTS 24 /* points at which the unknown number of misses is tried */
struct gc_evidence {
  double fits, exceeds, noise;
  double misses[GC_MISS_COUNTS]; /* of runs, if it did not fit and so many loads were missed */
};

/* Adds the evidence of one run: `slow` of its `loads` timed loads were slow, where `rate` of all loads
 * are slow by chance. Fits: Poisson(rate * loads). Exceeds: that and misses, one at least, whose number
 * is anything up to all loads (log-uniform) and, but for a quarter of the runs, varies around the same
 * mean in all runs of one size: many runs that each show one more than by chance add up. A run may be
 * disturbed: each side keeps a share of 2 % for the other, so that no single run decides. */
void gc_evidence_add(struct gc_evidence *evidence, uint32_t slow, uint32_t loads, double rate);

/* Adds the evidence of n votes, of which `yes` said "exceeds". Fits: at most one in eight does; exceeds: at
 * most one in eight does not; noise: any share. Within these bounds all shares are alike. */
void gc_evidence_votes(struct gc_evidence *evidence, uint64_t yes, uint64_t n);

/* Where sizes, ascending, turn from fitting to exceeding. */
struct gc_changepoint {
  size_t index;        /* first item beyond the change, in [0, n]; n: none changes; most probable */
  double probability;  /* posterior probability that the change is exactly there */
  double noise;        /* posterior probability that there is no change but noise */
};

/* Posterior over the n + 1 positions of one change. All positions share the prior evenly, and noise
 * weighs as much as all of them together, so looking at many sizes is paid for. posterior (may be
 * NULL) receives n + 1 probabilities that sum to 1 - noise. */
void gc_changepoint_find(const struct gc_evidence *items, size_t n, double *posterior,
                         struct gc_changepoint *found);

/* --- split.c --------------------------------------------------------------------------------- */

/* Values cut in two where the variance between the groups is largest (Otsu 1979). Any values can be cut;
 * two groups they are only when nothing much lies in the middle. */
struct gc_split {
  double low, high;  /* means of the groups */
  double threshold;  /* halfway between them */
  double share;      /* of all values that are in the high group */
  bool empty;        /* the middle third between the means holds less than a tenth of the smaller group */
};

/* Of n > 0 values, which it sorts. */
void gc_split_find(double *values, size_t n, struct gc_split *split);

#endif
