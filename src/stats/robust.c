/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A spread that outliers do not change, and the number of standard deviations that makes an
 * outlier.
 */
#include "stats/stats.h"

#include <math.h>

double gc_robust_sigma(double *values, size_t n, double median)
{
  /* for 2 to 9 values; beyond that n / (n - 0.8) */
  static const double few[] = {1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  const double factor = n < 2 ? 1 : n < 10 ? few[n - 2] : (double)n / ((double)n - 0.8);

  for (size_t i = 0; i < n; i++)
    values[i] = fabs(values[i] - median);
  return factor * 1.4826 * gc_median(values, n);
}

/* Bisection: erfc falls steadily, and 40 standard deviations are beyond what a double can tell from
 * probability 0. */
double gc_outlier_sigmas(double alpha, double comparisons)
{
  const double wanted = alpha / comparisons;
  double low = 0, high = 40;

  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;

    if (erfc(middle / sqrt(2)) > wanted)
      low = middle;
    else
      high = middle;
  }
  return high;
}
