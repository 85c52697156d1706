/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides values into two groups.
 */
#include "stats/stats.h"

/* The number of values below `limit` in a sorted array. */
static size_t below(const double *values, size_t n, double limit)
{
  size_t first = 0;

  while (first < n) {
    const size_t middle = first + (n - first) / 2;

    if (values[middle] < limit)
      first = middle + 1;
    else
      n = middle;
  }
  return first;
}

void gc_split_find(double *values, size_t n, struct gc_split *split)
{
  double total = 0, sum = 0, best = -1, smaller;
  size_t between;

  gc_sort(values, n);
  for (size_t i = 0; i < n; i++)
    total += values[i];
  *split = (struct gc_split){.low = total / (double)n, .high = total / (double)n, .empty = true};
  for (size_t i = 1; i < n; i++) {
    const double low = (sum += values[i - 1]) / (double)i;
    const double high = (total - sum) / (double)(n - i);
    const double variance = (double)i * (double)(n - i) * (high - low) * (high - low);

    if (variance > best) {
      best = variance;
      split->low = low;
      split->high = high;
      split->share = (double)(n - i) / (double)n;
    }
  }
  split->threshold = (split->low + split->high) / 2;
  between = below(values, n, split->low + (split->high - split->low) * 2 / 3) -
            below(values, n, split->low + (split->high - split->low) / 3);
  smaller = (split->share < 0.5 ? split->share : 1 - split->share) * (double)n;
  split->empty = (double)between <= 0.1 * smaller;
}
