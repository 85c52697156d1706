/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorting, medians, quantiles and the binomial distribution.
 */
#include "stats/stats.h"

#include <math.h>

/* Shell sort with Ciura's gaps and their usual continuation. qsort calls a function for each
 * comparison, and measuring an L2 sorts thousands of values. */
void gc_sort(double *values, size_t n)
{
  static const size_t gaps[] = {1,   4,    10,   23,   57,    132,   301,
                                701, 1577, 3548, 7983, 17961, 40412, 90927};
  size_t g = sizeof(gaps) / sizeof(*gaps);

  while (g-- > 0)
    for (size_t i = gaps[g]; i < n; i++) {
      const double value = values[i];
      size_t k = i;

      for (; k >= gaps[g] && values[k - gaps[g]] > value; k -= gaps[g])
        values[k] = values[k - gaps[g]];
      values[k] = value;
    }
}

/* Hoare's selection: afterwards values[k] is what sorting would put there, and no value before it
 * is larger. */
static void select_kth(double *values, size_t n, size_t k)
{
  size_t low = 0, high = n - 1;

  while (low < high) {
    const double pivot = values[low + (high - low) / 2];
    size_t i = low, j = high;

    for (;;) {
      while (values[i] < pivot)
        i++;
      while (values[j] > pivot)
        j--;
      if (i >= j)
        break;
      const double swap = values[i];

      values[i++] = values[j];
      values[j--] = swap;
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
}

double gc_median(double *values, size_t n)
{
  double below;

  select_kth(values, n, n / 2);
  if (n % 2)
    return values[n / 2];
  below = values[0];
  for (size_t i = 1; i < n / 2; i++)
    below = values[i] > below ? values[i] : below;
  return (below + values[n / 2]) / 2;
}

double gc_quantile(double *values, size_t n, double q)
{
  const double rank = ceil(q * (double)n);
  const size_t k = rank < 1 ? 0 : rank > (double)n ? n - 1 : (size_t)rank - 1;

  select_kth(values, n, k);
  return values[k];
}

double gc_midhinge(double *values, size_t n)
{
  const size_t low = n / 4, high = n - 1 - low;
  double quartile;

  select_kth(values, n, low);
  quartile = values[low];
  select_kth(values, n, high);
  return (quartile + values[high]) / 2;
}

double gc_binomial_cdf(uint64_t k, uint64_t n, double p)
{
  double sum = 0;

  if (k >= n)
    return 1;
  if (p <= 0 || p >= 1)
    return p <= 0;
  for (uint64_t i = 0; i <= k; i++)
    sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
               (double)i * log(p) + (double)(n - i) * log1p(-p));
  return sum < 1 ? sum : 1;
}

double gc_median_confidence(const double *values, size_t n, double median, double tolerance)
{
  uint64_t low = 0, high = 0;
  double confidence;

  if (!n)
    return 0;
  for (size_t i = 0; i < n; i++) {
    low += values[i] < median - tolerance;
    high += values[i] > median + tolerance;
  }
  confidence = 1 - gc_binomial_cdf(low, n, 0.5) - gc_binomial_cdf(high, n, 0.5);
  return confidence > 0 ? confidence : 0;
}

double gc_histogram_quantile(const uint64_t *histogram, size_t bins, double low, double width,
                             double q)
{
  uint64_t total = 0, seen = 0;

  for (size_t b = 0; b < bins; b++)
    total += histogram[b];
  for (size_t b = 0; b < bins; b++) {
    seen += histogram[b];
    if (seen && (double)seen >= q * (double)total)
      return low + (double)b * width;
  }
  return 0;
}
