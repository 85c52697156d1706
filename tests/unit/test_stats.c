/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics on arrays with known answers. Some have shapes for which a naive argmax or mean gives
 * the wrong answer.
 */
#include "samples.h"

#include "stats/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 40 % of the values are far off. Their standard deviation is 49, and they hide in it. */
static void robust_sigma_ignores_outliers(void **state)
{
  double values[1000], even[] = {1, 2, 3, 4, 5}, same[] = {7, 7, 7, 9}, one[] = {3};

  (void)state;
  for (size_t i = 0; i < 1000; i++) { /* the sum of twelve uniform numbers has the variance 1 */
    values[i] = i % 5 < 2 ? 100 : -6;
    for (size_t k = 0; i % 5 >= 2 && k < 12; k++)
      values[i] += uniform();
  }
  near(gc_robust_sigma(values, 1000, 0), 1.4826 * 1.38, 0.25); /* quantile 5/6 of |N(0, 1)| */
  near(gc_robust_sigma(even, 5, 3), 1.4826 * 1.206, 1e-9);
  near(gc_robust_sigma(same, 4, 7), 0, 0);
  near(gc_robust_sigma(one, 1, 3), 0, 0);
}

static void sigmas_for_a_family(void **state)
{
  (void)state;
  near(gc_outlier_sigmas(0.0027, 1), 3, 0.001);
  near(gc_outlier_sigmas(0.05, 1), 1.95996, 1e-4);
  near(gc_outlier_sigmas(0.05, 10), 2.80703, 1e-4); /* 0.005 */
  assert_true(gc_outlier_sigmas(0.01, 1e9) < 7);
}

static void median_of_odd_even_and_one(void **state)
{
  double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

  (void)state;
  near(gc_median(odd, 3), 3, 0);
  near(gc_median(even, 4), 2.5, 0);
  near(gc_median(one, 1), 7, 0);
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Many latencies: whole cycles, some much longer than others; and among them a value that is no
 * whole number, or negative. */
static void many_values_are_sorted(void **state)
{
  (void)state;
  seed = 5;
  for (int trial = 0; trial < 400; trial++) {
    const size_t n = 500 + (size_t)(uniform() * 500), at = (size_t)(uniform() * (double)n);
    const double late = 0.2 * (trial % 4);
    double values[1000], sorted[1000], copy[1000];

    for (size_t i = 0; i < n; i++)
      values[i] = floor(uniform() < late ? uniform() * 9000 : 200 + uniform() * 600);
    if (trial % 5 == 1)
      values[at] = trial % 2 ? 300.5 : -7;
    memcpy(sorted, values, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), ascending);
    memcpy(copy, values, n * sizeof(*copy));
    gc_sort(copy, n);
    assert_memory_equal(copy, sorted, n * sizeof(*sorted));
    for (int percent = 1; percent <= 100; percent += 33) {
      memcpy(copy, values, n * sizeof(*copy));
      near(gc_quantile(copy, n, percent / 100.0),
           sorted[(size_t)ceil(percent / 100.0 * (double)n) - 1], 0);
    }
    memcpy(copy, values, n * sizeof(*copy));
    near(gc_midhinge(copy, n), (sorted[n / 4] + sorted[n - 1 - n / 4]) / 2, 0);
    memcpy(copy, values, n * sizeof(*copy));
    near(gc_median(copy, n), (sorted[n / 2] + sorted[(n - 1) / 2]) / 2, 0);
  }
}

/* The median by selection equals the middle of the sorted array, also with ties. */
static void median_is_the_middle_of_the_sorted(void **state)
{
  (void)state;
  seed = 3;
  for (int trial = 0; trial < 2000; trial++) {
    const size_t n = 1 + (size_t)(uniform() * 40);
    double a[41], b[41];

    for (size_t i = 0; i < n; i++)
      a[i] = b[i] = trial % 2 ? (double)(int)(uniform() * 5) : uniform();
    gc_sort(b, n);
    near(gc_median(a, n), n % 2 ? b[n / 2] : (b[n / 2 - 1] + b[n / 2]) / 2, 0);
  }
}

/* There are two modes, 550 and 750. A few more values in one of them move the median by 200. */
static void midhinge_lies_between_two_modes(void **state)
{
  double one[] = {7}, values[101], copy[101];

  (void)state;
  near(gc_midhinge(one, 1), 7, 0);
  for (int far = 45; far <= 56; far++) {
    for (int i = 0; i < 101; i++)
      values[i] = i * 37 % 101 < far ? 750 : 550;
    memcpy(copy, values, sizeof(copy));
    near(gc_midhinge(values, 101), 650, 0);
    near(gc_median(copy, 101), far > 50 ? 750 : 550, 0);
  }
  for (int i = 0; i < 101; i++) /* one mode: the result is the median, and a tail has no effect */
    values[i] = i * 37 % 101 < 20 ? 5000 : 550;
  near(gc_midhinge(values, 101), 550, 0);
}

/* So does the middle, but not where one load of three is delayed. */
static void middle_ignores_a_smaller_mode(void **state)
{
  double one[] = {7}, values[101];

  (void)state;
  near(gc_middle(one, 1), 7, 0);
  for (int far = 0; far <= 101; far++) {
    for (int i = 0; i < 101; i++)
      values[i] = i * 37 % 101 < far ? 750 : 550;
    near(gc_middle(values, 101), far <= 40 ? 550 : far <= 60 ? 650 : 750, 0);
  }
}

/* A quantile is a value that was seen: never the mean of two modes. */
static void quantile_is_one_of_the_values(void **state)
{
  double one[] = {7}, values[100];

  (void)state;
  near(gc_quantile(one, 1, 0.95), 7, 0);
  for (int slow = 0; slow <= 10; slow++) {
    for (int i = 0; i < 100; i++)
      values[i] = i * 37 % 100 < slow ? 750 : 550;
    near(gc_quantile(values, 100, 0.95), slow > 5 ? 750 : 550, 0);
  }
  for (int i = 0; i < 100; i++)
    values[i] = (i * 37 + 5) % 100;
  near(gc_quantile(values, 100, 0), 0, 0);
  near(gc_quantile(values, 100, 0.95), 94, 0);
  near(gc_quantile(values, 100, 1), 99, 0);
}

/* One outlier of a million moves a mean by 100 %, the median not at all. */
static void median_ignores_an_outlier(void **state)
{
  double values[] = {33, 33, 33, 33, 1e6, 33, 33, 33, 33};

  (void)state;
  near(gc_median(values, 9), 33, 0);
  near(gc_median_confidence(values, 9, 33, 0.5), 1 - 1 / 512. - 10 / 512., 1e-12);
}

static void median_confidence_falls_with_disagreement(void **state)
{
  const double agree[] = {33, 33, 33, 33, 33}, split[] = {20, 20, 33, 40, 40};

  (void)state;
  near(gc_median_confidence(agree, 5, 33, 0.5), 1 - 2 / 32., 1e-12);
  near(gc_median_confidence(split, 5, 33, 0.5), 1 - 2 * (1 + 5 + 10) / 32., 1e-12);
  near(gc_median_confidence(agree, 0, 33, 0.5), 0, 0);
}

static void binomial_tails(void **state)
{
  (void)state;
  near(gc_binomial_cdf(2, 5, 0.5), 0.5, 1e-12);
  near(gc_binomial_cdf(0, 10, 0.1), pow(0.9, 10), 1e-12);
  near(gc_binomial_cdf(7, 5, 0.3), 1, 0);
}

static void quantiles_of_a_histogram(void **state)
{
  const uint64_t histogram[4] = {0, 3, 0, 1}, empty[4] = {0};

  (void)state;
  near(gc_histogram_quantile(histogram, 4, 100, 8, 0.5), 108, 0);
  near(gc_histogram_quantile(histogram, 4, 100, 8, 0.76), 124, 0);
  near(gc_histogram_quantile(histogram, 4, 100, 8, 0), 108, 0);
  near(gc_histogram_quantile(empty, 4, 100, 8, 0.5), 0, 0);
}

/* Published two-sample critical points: n = m = 8, P(D >= 5/8) = 0.0870; n = m = 10, 7/10: 0.0123;
 * n = 4, m = 6, 10/12: 0.0571 (Massey 1952; 12/210). */
static void ks_exact_small_samples(void **state)
{
  (void)state;
  near(gc_ks_pvalue(5 / 8., 8, 8), 0.0870, 1e-4);
  near(gc_ks_pvalue(7 / 10., 10, 10), 0.0123, 1e-4);
  near(gc_ks_pvalue(1, 4, 6), 2 / 210., 1e-9);
  near(gc_ks_pvalue(1, 3, 3), 2 / 20., 1e-9);
  near(gc_ks_pvalue(0, 8, 8), 1, 0);
  near(gc_ks_pvalue(0.5, 0, 8), 1, 0);
}

/* Kolmogorov's limit: Q(1.3581) = 0.05, Q(1.6276) = 0.01. The samples are so large that Stephens'
 * correction vanishes. */
static void ks_asymptotic_large_samples(void **state)
{
  const uint64_t n = 2000000000;
  const double e = sqrt(n / 2.);

  (void)state;
  near(gc_ks_pvalue(1.3581 / e, n, n), 0.05, 1e-4);
  near(gc_ks_pvalue(1.6276 / e, n, n), 0.01, 1e-4);
}

/* The two-sided statistic of samples without binning: each distinct value has a bin of its own.
 * Sorts both arrays. */
static double ks_samples(double *a, size_t n, double *b, size_t m)
{
  uint64_t in_a[1000] = {0}, in_b[1000] = {0}, seen_n, seen_m;
  size_t i = 0, j = 0, bins = 0;

  gc_sort(a, n);
  gc_sort(b, m);
  for (; i < n || j < m; bins++) {
    const double x = j >= m || (i < n && a[i] < b[j]) ? a[i] : b[j];

    assert_true(bins < 1000);
    for (; i < n && a[i] == x; i++)
      in_a[bins]++;
    for (; j < m && b[j] == x; j++)
      in_b[bins]++;
  }
  return fmax(gc_ks_slower(in_a, in_b, bins, &seen_n, &seen_m),
              gc_ks_slower(in_b, in_a, bins, NULL, NULL));
}

static void ks_statistic_steps_over_ties(void **state)
{
  double a[] = {1, 1, 1, 2}, b[] = {1, 1, 2, 2}, c[] = {3, 3}, d[] = {1, 1, 1, 2};
  const uint64_t ha[] = {3, 1}, hb[] = {2, 2}, none[] = {0, 0};
  uint64_t n, m;

  (void)state;
  near(ks_samples(a, 4, b, 4), 0.25, 1e-12);
  near(ks_samples(d, 4, c, 2), 1, 1e-12);
  near(ks_samples(a, 0, c, 2), 0, 0);
  near(gc_ks_slower(ha, hb, 2, &n, &m), 0.25, 1e-12);
  assert_true(n == 4 && m == 4);
  near(gc_ks_slower(hb, ha, 2, &n, &m), 0, 0);
  near(gc_ks_slower(ha, none, 2, &n, &m), 0, 0);
  near(gc_ks_slower(none, ha, 2, &n, &m), 0, 0);
}

/* Two samples have the same mean and different distributions: K-S detects this, a comparison of
 * means does not. */
static void ks_detects_more_than_a_mean(void **state)
{
  double a[400], b[400], sum_a = 0, sum_b = 0;

  (void)state;
  for (int i = 0; i < 400; i++) {
    sum_a += a[i] = 100;
    sum_b += b[i] = i % 10 ? 90 : 190;
  }
  near(sum_a, sum_b, 1e-9);
  assert_true(gc_ks_pvalue(ks_samples(a, 400, b, 400), 400, 400) < 1e-6);
}

/* Under the null hypothesis, p < 0.05 must occur in 5 % of the trials at most. */
static void ks_pvalues_are_not_too_small(void **state)
{
  int below = 0;

  (void)state;
  seed = 1;
  for (int trial = 0; trial < 1000; trial++) {
    double a[60], b[80];

    for (int i = 0; i < 60; i++)
      a[i] = uniform();
    for (int i = 0; i < 80; i++)
      b[i] = uniform();
    below += gc_ks_pvalue(ks_samples(a, 60, b, 80), 60, 80) < 0.05;
  }
  assert_true(below > 15 && below < 75);
}

static void holm_adjusts_in_place(void **state)
{
  double p[] = {0.01, 0.04, 0.03, 0.005}, one[] = {0.6}, high[] = {0.5, 0.9};

  (void)state;
  gc_holm(p, 4);
  near(p[3], 0.02, 1e-12);
  near(p[0], 0.03, 1e-12);
  near(p[2], 0.06, 1e-12);
  near(p[1], 0.06, 1e-12); /* never below a smaller p's: not 0.04 */
  gc_holm(one, 1);
  near(one[0], 0.6, 1e-12);
  gc_holm(high, 2);
  near(high[0], 1, 0);
  near(high[1], 1, 0);
}

/* Ascending sizes with `repeats` runs each: slow[i * repeats + r] of 1000 loads were slow. */
static void weigh(const uint32_t *slow, size_t n, size_t repeats, double rate, double *posterior,
                  struct gc_changepoint *found)
{
  struct gc_evidence items[64];

  assert_true(n <= 64);
  memset(items, 0, sizeof(items));
  for (size_t i = 0; i < n * repeats; i++)
    gc_evidence_add(&items[i / repeats], slow[i], 1000, rate);
  gc_changepoint_find(items, n, posterior, found);
}

static void change_is_where_runs_become_slow(void **state)
{
  const uint32_t slow[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 44, 80, 83, 120, 117};
  double posterior[9], sum = 0;
  struct gc_changepoint found;

  (void)state;
  weigh(slow, 8, 2, 1e-4, posterior, &found);
  assert_int_equal(found.index, 5);
  assert_true(found.probability > 0.95 && found.noise < 0.01);
  for (int i = 0; i < 9; i++)
    sum += posterior[i];
  near(sum + found.noise, 1, 1e-9);
}

/* A gradual transition: misses begin at index 5, and all loads miss from index 11 on. The steepest
 * step (argmax) and the middle of the transition are at index 8. */
static void change_is_the_onset_not_the_middle(void **state)
{
  const uint32_t slow[] = {0, 0, 0, 0, 0, 4, 12, 40, 400, 700, 990, 1000};
  struct gc_changepoint found;

  (void)state;
  weigh(slow, 12, 1, 1e-4, NULL, &found);
  assert_int_equal(found.index, 5);
}

/* A disturbed run far below the change does not move the result, however slow it is. A search for
 * the first slow run would stop there. */
static void change_ignores_a_disturbed_run(void **state)
{
  const uint32_t slow[] = {0, 0, 0, 0, 600, 0, 0, 0, 0, 0, 0, 0, 30, 31, 33, 50, 60, 61};
  struct gc_changepoint found;

  (void)state;
  weigh(slow, 6, 3, 1e-4, NULL, &found);
  assert_int_equal(found.index, 4);
}

/* There are outliers at all sizes, so every run has slow loads: only their counts are informative.
 */
static void change_is_found_among_outliers(void **state)
{
  const uint32_t slow[] = {3, 2, 4, 1, 2, 3, 5, 2, 1, 3, 12, 13, 14, 11, 20, 25};
  struct gc_changepoint found;

  (void)state;
  weigh(slow, 8, 2, 2.5e-3, NULL, &found);
  assert_int_equal(found.index, 5);
  assert_true(found.noise < 0.1);
}

static void no_change_when_all_fit_or_none(void **state)
{
  const uint32_t fit[6] = {0}, none[6] = {50, 55, 60, 40, 70, 80};
  struct gc_changepoint found;

  (void)state;
  weigh(fit, 6, 1, 1e-4, NULL, &found);
  assert_int_equal(found.index, 6);
  weigh(none, 6, 1, 1e-4, NULL, &found);
  assert_int_equal(found.index, 0);
}

/* Pure noise must not give a change. */
static void noise_gives_no_change(void **state)
{
  int wrong = 0;

  (void)state;
  seed = 7;
  for (int trial = 0; trial < 500; trial++) {
    uint32_t slow[33 * 4];
    struct gc_changepoint found;

    for (int i = 0; i < 33 * 4; i++)
      slow[i] = uniform() < 0.5 ? 0 : (uint32_t)(uniform() * 100);
    weigh(slow, 33, 4, 1e-4, NULL, &found);
    wrong += found.noise < 0.5 && found.index > 0 && found.index < 33;
  }
  assert_true(wrong <= 5);
}

static uint32_t poisson(double mean)
{
  const double limit = exp(-mean);
  double product = uniform();
  uint32_t n = 0;

  for (; product > limit; product *= uniform())
    n++;
  return n;
}

/* With many outliers, the most probable size is often neither the right one nor next to it. A range
 * with a fixed margin around it loses the capacity, and later steps then report a wrong one with
 * high confidence. */
static void range_contains_the_capacity(void **state)
{
  int lost = 0, lost_by_margin = 0;

  (void)state;
  seed = 3;
  for (int trial = 0; trial < 300; trial++) {
    const size_t fits = 8 + (size_t)(uniform() * 16);
    struct gc_verdict verdict;
    struct gc_sizes sizes;

    assert_int_equal(gc_sizes_new(&sizes, 32), 0);
    for (size_t i = 0; i < 32; i++) {
      sizes.bytes[i] = 32 * (1024 + i);
      for (int run = 0; run < 4; run++)
        gc_evidence_add(&sizes.evidence[i], poisson(i < fits ? 3 : 3 + (double)(i + 1 - fits)),
                        1000, 3e-3);
    }
    gc_decide(&sizes, sizes.bytes[31], &verdict);
    lost += fits < verdict.least || fits > verdict.most;
    lost_by_margin += verdict.beyond && (fits + 1 < verdict.beyond || fits > verdict.beyond + 1);
    gc_sizes_free(&sizes);
  }
  assert_true(lost_by_margin > 60);
  assert_true(lost <= 3);
}

static void range_is_one_size_without_noise(void **state)
{
  struct gc_verdict verdict;
  struct gc_sizes sizes;

  (void)state;
  assert_int_equal(gc_sizes_new(&sizes, 16), 0);
  for (size_t i = 0; i < 16; i++) {
    sizes.bytes[i] = 1024 + 32 * i;
    for (int run = 0; run < 4; run++)
      gc_evidence_add(&sizes.evidence[i], i < 7 ? 0 : 200, 1000, 1e-4);
  }
  gc_decide(&sizes, sizes.bytes[8], &verdict);
  assert_int_equal(verdict.beyond, 7);
  assert_int_equal(verdict.least, 7);
  assert_int_equal(verdict.most, 7);
  assert_true(verdict.kept > 0.9999);
  gc_sizes_free(&sizes);
}

/* The array is slightly too large: 30 of 1000 loads miss. K-S takes that for chance; the counts
 * detect it. */
static void few_misses_are_counted(void **state)
{
  struct gc_sizes sizes;

  (void)state;
  assert_int_equal(gc_sizes_new(&sizes, 4), 0);
  for (size_t i = 0; i < 4; i++) {
    sizes.histogram[i][13] = 1000;
    sizes.histogram[i][60] = 1; /* outliers at all sizes */
  }
  assert_int_equal(gc_without_misses(&sizes, 0.25), 4);
  sizes.histogram[2][32] = 30;
  assert_int_equal(gc_first_change(&sizes, 0.25), 4);
  assert_int_equal(gc_without_misses(&sizes, 0.25), 2);
  sizes.histogram[2][32] = 0;
  sizes.histogram[2][15] = 30; /* slower, but not another level */
  assert_int_equal(gc_without_misses(&sizes, 0.25), 4);
  gc_sizes_free(&sizes);
}

static void slower_share_tolerates_the_spread(void **state)
{
  uint64_t hits[GC_LATENCY_BINS] = {0}, near_hits[GC_LATENCY_BINS] = {0}, misses[GC_LATENCY_BINS] = {0};
  double p;

  (void)state;
  hits[12] = 500;
  near_hits[14] = 500;
  misses[14] = 200;
  misses[30] = 300;
  near(gc_slower_share(hits, near_hits, 0.25, &p), 0, 1e-12);
  near(gc_slower_share(hits, misses, 0.25, &p), 0.6, 1e-12);
  assert_true(p < 1e-9);
}

static void ranks_are_counted_exactly(void **state)
{
  const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 100}, mixed[] = {1.5, 2.5, 0.5};
  double many[GC_RANKS_MAX + 1] = {0};

  (void)state;
  near(gc_ranks_pvalue(high, 5, low, 5), 1 / 252., 1e-12);
  near(gc_ranks_pvalue(low, 5, high, 5), 1, 1e-12);
  near(gc_ranks_pvalue(low, 5, low, 5), 183 / 252., 1e-12); /* 10 of 25 pairs */
  near(gc_ranks_pvalue(mixed, 3, low, 1), 2 / 4., 1e-12); /* two of three above */
  near(gc_ranks_pvalue(high, 3, low, 2), 1 / 10., 1e-12);
  near(gc_ranks_pvalue(high, 0, low, 2), 1, 0);
  near(gc_ranks_pvalue(many, GC_RANKS_MAX + 1, low, 2), 1, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(median_of_odd_even_and_one),
    cmocka_unit_test(ranks_are_counted_exactly),
    cmocka_unit_test(robust_sigma_ignores_outliers),
    cmocka_unit_test(sigmas_for_a_family),
    cmocka_unit_test(median_is_the_middle_of_the_sorted),
    cmocka_unit_test(many_values_are_sorted),
    cmocka_unit_test(midhinge_lies_between_two_modes),
    cmocka_unit_test(middle_ignores_a_smaller_mode),
    cmocka_unit_test(quantile_is_one_of_the_values),
    cmocka_unit_test(median_ignores_an_outlier),
    cmocka_unit_test(median_confidence_falls_with_disagreement),
    cmocka_unit_test(binomial_tails),
    cmocka_unit_test(quantiles_of_a_histogram),
    cmocka_unit_test(ks_exact_small_samples),
    cmocka_unit_test(ks_asymptotic_large_samples),
    cmocka_unit_test(ks_statistic_steps_over_ties),
    cmocka_unit_test(ks_detects_more_than_a_mean),
    cmocka_unit_test(ks_pvalues_are_not_too_small),
    cmocka_unit_test(holm_adjusts_in_place),
    cmocka_unit_test(change_is_where_runs_become_slow),
    cmocka_unit_test(change_is_the_onset_not_the_middle),
    cmocka_unit_test(change_ignores_a_disturbed_run),
    cmocka_unit_test(change_is_found_among_outliers),
    cmocka_unit_test(no_change_when_all_fit_or_none),
    cmocka_unit_test(noise_gives_no_change),
    cmocka_unit_test(range_contains_the_capacity),
    cmocka_unit_test(range_is_one_size_without_noise),
    cmocka_unit_test(few_misses_are_counted),
    cmocka_unit_test(slower_share_tolerates_the_spread),
  };

  return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
