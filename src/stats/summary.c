/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorting, medians, quantiles and the binomial distribution.
 */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#define FEW 12 /* so few values are sorted by inserting one after the other */
/* Latencies are whole numbers of cycles, nearly all of them below BINS. If there are MANY, they are
 * counted, which takes a fraction of the time of comparing them. */
#define BINS 4096
#define MANY 512

/* Parts of an array: values below the pivot, then those equal to it, then the rest. */
struct parts {
  size_t equal, above; /* where these parts begin */
};

/* Moves the values that `goes` says to the front, in a loop without branches: values of caches and
 * clocks come in no order that a processor could predict. */
#define MOVE_FORWARD(values, n, from, goes)                                                        \
  do {                                                                                             \
    for (size_t i_ = (from); i_ < (n); i_++) {                                                     \
      const double value = (values)[i_];                                                           \
                                                                                                   \
      (values)[i_] = (values)[from];                                                               \
      (values)[from] = value;                                                                      \
      (from) += (goes);                                                                            \
    }                                                                                              \
  } while (0)

/* The pivot is the median of the first, the middle and the last value. */
static struct parts partition(double *values, size_t n)
{
  const double a = values[0], b = values[n / 2], c = values[n - 1];
  const double low = a < b ? a : b, high = a < b ? b : a;
  const double pivot = c < low ? low : c < high ? c : high;
  struct parts parts = {0};

  MOVE_FORWARD(values, n, parts.equal, value < pivot);
  parts.above = parts.equal;
  MOVE_FORWARD(values, n, parts.above, value <= pivot);
  parts.above += !parts.above; /* a NaN compares with nothing */
  return parts;
}

static void sort_few(double *values, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    const double value = values[i];
    size_t k = i;

    for (; k && values[k - 1] > value; k--)
      values[k] = values[k - 1];
    values[k] = value;
  }
}

/* Quicksort. qsort calls a function for each comparison, and measuring an L2 sorts thousands of
 * values. The shorter part is sorted by a call, so that calls nest at most log2(n) deep. */
static void sort_any(double *values, size_t n)
{
  while (n > FEW) {
    const struct parts parts = partition(values, n);

    if (parts.equal < n - parts.above) {
      sort_any(values, parts.equal);
      values += parts.above;
      n -= parts.above;
    } else {
      sort_any(values + parts.above, n - parts.above);
      n = parts.equal;
    }
  }
  sort_few(values, n);
}

/* How often each number of cycles occurs, and at the end how many are larger. */
struct counts {
  bool valid; /* there are MANY values, and those below BINS are whole */
  uint32_t of[BINS + 1];
};

static void count(const double *values, size_t n, struct counts *counts)
{
  counts->valid = false;
  if (n < MANY)
    return;
  memset(counts->of, 0, sizeof(counts->of));
  for (size_t i = 0; i < n; i++) {
    const double value = values[i];
    uint32_t whole = BINS;

    if (!(value >= 0))
      return;
    if (value < BINS)
      whole = (uint32_t)value;
    if (whole < BINS && whole != value)
      return;
    counts->of[whole]++;
  }
  counts->valid = true;
}

void gc_sort(double *values, size_t n)
{
  struct counts counts;
  size_t large = 0;

  count(values, n, &counts);
  if (!counts.valid) {
    sort_any(values, n);
    return;
  }
  for (size_t i = 0; i < n && large < counts.of[BINS]; i++)
    if (values[i] >= BINS)
      values[large++] = values[i];
  memmove(values + n - large, values, large * sizeof(*values));
  sort_any(values + n - large, large);
  for (uint32_t cycles = 0; cycles < BINS; cycles++)
    for (uint32_t i = 0; i < counts.of[cycles]; i++)
      *values++ = cycles;
}

/* Afterwards values[k] is what sorting would put there, and no value before it is larger. */
static void select_kth(double *values, size_t n, size_t k)
{
  while (n > 1) {
    const struct parts parts = partition(values, n);

    if (k < parts.equal) {
      n = parts.equal;
    } else if (k < parts.above) {
      return;
    } else {
      values += parts.above;
      n -= parts.above;
      k -= parts.above;
    }
  }
}

/* What sorting would put at k. */
static double kth(double *values, size_t n, const struct counts *counts, size_t k)
{
  size_t seen = 0;

  for (uint32_t cycles = 0; cycles < BINS && counts->valid; cycles++)
    if ((seen += counts->of[cycles]) > k)
      return cycles;
  select_kth(values, n, k);
  return values[k];
}

static double median(double *values, size_t n, const struct counts *counts)
{
  double below, middle = kth(values, n, counts, n / 2);

  if (n % 2)
    return middle;
  if (counts->valid)
    return (kth(values, n, counts, n / 2 - 1) + middle) / 2;
  below = values[0];
  for (size_t i = 1; i < n / 2; i++)
    below = values[i] > below ? values[i] : below;
  return (below + middle) / 2;
}

static double quantile(double *values, size_t n, const struct counts *counts, double q)
{
  const double rank = ceil(q * (double)n);

  return kth(values, n, counts, rank < 1 ? 0 : rank > (double)n ? n - 1 : (size_t)rank - 1);
}

static double midhinge(double *values, size_t n, const struct counts *counts)
{
  const double quartile = kth(values, n, counts, n / 4);

  return (quartile + kth(values, n, counts, n - 1 - n / 4)) / 2;
}

double gc_median(double *values, size_t n)
{
  struct counts counts;

  count(values, n, &counts);
  return median(values, n, &counts);
}

double gc_quantile(double *values, size_t n, double q)
{
  struct counts counts;

  count(values, n, &counts);
  return quantile(values, n, &counts, q);
}

double gc_midhinge(double *values, size_t n)
{
  struct counts counts;

  count(values, n, &counts);
  return midhinge(values, n, &counts);
}

const double gc_middle_quantiles[GC_MIDDLE_QUANTILES] = {0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8};

double gc_middle_of(const double q[GC_MIDDLE_QUANTILES])
{
  const double within = q[4] - q[2], around = q[2] - q[0] + q[6] - q[4];

  return within > around ? (q[1] + q[5]) / 2 : q[3];
}

double gc_middle(double *values, size_t n)
{
  double q[GC_MIDDLE_QUANTILES];
  struct counts counts;

  count(values, n, &counts);
  for (size_t i = 0; i < GC_MIDDLE_QUANTILES; i++)
    q[i] = quantile(values, n, &counts, gc_middle_quantiles[i]);
  q[1] = q[5] = midhinge(values, n, &counts);
  q[3] = median(values, n, &counts);
  return gc_middle_of(q);
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

void gc_histogram_quantiles(const uint64_t *histogram, size_t bins, double low, double width,
                            const double *q, size_t n, double *values)
{
  uint64_t total = 0, seen = 0;
  size_t found = 0;

  for (size_t b = 0; b < bins; b++)
    total += histogram[b];
  for (size_t b = 0; b < bins && found < n; b++) {
    seen += histogram[b];
    while (found < n && seen >= (uint64_t)fmax(1, ceil(q[found] * (double)total)))
      values[found++] = low + (double)b * width;
  }
  while (found < n)
    values[found++] = 0;
}

double gc_histogram_quantile(const uint64_t *histogram, size_t bins, double low, double width,
                             double q)
{
  double value;

  gc_histogram_quantiles(histogram, bins, low, width, &q, 1, &value);
  return value;
}
