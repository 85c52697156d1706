/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares that are examined after every sample. An interval for a fixed sample size is then wrong far
 * more often than it says.
 */
#include "samples.h"

#include "stats/sequential.h"
#include "stats/stats.h"

/* The naive rule: the exact two-sided binomial test, applied to each sample size. */
static int naive_excludes(unsigned s, unsigned n, double p, double error)
{
  const double low = gc_binomial_cdf(s, n, p), high = s ? 1 - gc_binomial_cdf(s - 1, n, p) : 1;

  return low < error / 2 || high < error / 2;
}

/* 400 samples, examined after each of them, 1000 times, for each of three shares. */
static void looking_often_costs_nothing(void **state)
{
  const double shares[] = {0.5, 0.1, 0.98}, error = 0.05;

  (void)state;
  for (unsigned k = 0; k < 3; k++) {
    unsigned naive = 0, sequential = 0;

    seed = 7 + k;
    for (unsigned trial = 0; trial < 1000; trial++) {
      unsigned s = 0;
      int naive_wrong = 0, wrong = 0;

      for (unsigned n = 1; n <= 400; n++) {
        s += uniform() < shares[k];
        naive_wrong = naive_wrong || (n % 4 == 0 && naive_excludes(s, n, shares[k], error));
        wrong = wrong || gc_share_evidence(s, n, shares[k]) >= -log(error);
      }
      naive += (unsigned)naive_wrong;
      sequential += (unsigned)wrong;
    }
    if (sequential > 50)
      fail_msg("%u of 1000 are wrong, with an error of 5 %%", sequential);
    if (naive < 100) /* else this test would not need a sequential rule */
      fail_msg("only %u of 1000 are wrong by the naive rule", naive);
  }
}

/* The mean of samples in [0, 1] that are no yes-or-no answers. */
static void means_are_covered(void **state)
{
  unsigned wrong = 0;

  (void)state;
  seed = 5;
  for (unsigned trial = 0; trial < 1000; trial++) {
    double s = 0;
    int excluded = 0;

    for (unsigned n = 1; n <= 300; n++) {
      const double u = uniform();

      s += u < 0.5 ? 0 : u < 0.9 ? 0.25 : 1; /* the mean is 0.2 */
      excluded = excluded || gc_share_evidence(s, n, 0.2) >= -log(0.05);
    }
    wrong += (unsigned)excluded;
  }
  assert_true(wrong <= 50);
}

static void bounds_contain_the_share_and_shrink(void **state)
{
  struct gc_share bounds = gc_share_bounds(0, 0, 0.01);

  (void)state;
  near(bounds.low, 0, 0);
  near(bounds.high, 1, 0);
  bounds = gc_share_bounds(30, 100, 0.01);
  assert_true(bounds.low > 0.13 && bounds.low < 0.3 && bounds.high > 0.3 && bounds.high < 0.5);
  near(gc_share_evidence(30, 100, bounds.low), log(100), 1e-6);
  near(gc_share_evidence(30, 100, bounds.high), log(100), 1e-6);
  bounds = gc_share_bounds(3000, 10000, 0.01);
  assert_true(bounds.low > 0.275 && bounds.high < 0.325);
  bounds = gc_share_bounds(50, 50, 0.01);
  near(bounds.high, 1, 0);
  assert_true(bounds.low > 0.8);
}

static void sides_are_decided_early(void **state)
{
  (void)state;
  assert_int_equal(gc_share_side(0, 0, 0.4, 0.6, 0.01), GC_SIDE_OPEN);
  assert_int_equal(gc_share_side(19, 19, 0.5, 0.5, GC_SEQUENTIAL_ERROR), GC_SIDE_OPEN);
  assert_int_equal(gc_share_side(20, 20, 0.5, 0.5, GC_SEQUENTIAL_ERROR), GC_SIDE_ABOVE);
  assert_int_equal(gc_share_side(0, 20, 0.5, 0.5, GC_SEQUENTIAL_ERROR), GC_SIDE_BELOW);
  assert_int_equal(gc_share_side(10, 20, 0.5, 0.5, GC_SEQUENTIAL_ERROR), GC_SIDE_OPEN);
  /* In the gap either answer is right, and there is one. */
  assert_int_equal(gc_share_side(501, 1000, 0.3, 0.7, 0.001), GC_SIDE_ABOVE);
  assert_int_equal(gc_share_side(499, 1000, 0.3, 0.7, 0.001), GC_SIDE_BELOW);
  /* Impossible shares are excluded by one sample, possible ones by none. */
  assert_int_equal(gc_share_side(1, 1000, 0, 0, 1e-9), GC_SIDE_ABOVE);
  assert_int_equal(gc_share_side(0, 1000, 0, 0, 1e-9), GC_SIDE_OPEN);
  assert_int_equal(gc_share_side(999, 1000, 1, 1, 1e-9), GC_SIDE_BELOW);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(looking_often_costs_nothing),
    cmocka_unit_test(means_are_covered),
    cmocka_unit_test(bounds_contain_the_share_and_shrink),
    cmocka_unit_test(sides_are_decided_early),
  };

  return cmocka_run_group_tests_name("sequential", tests, NULL, NULL);
}
