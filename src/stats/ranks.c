/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the values of one sample are larger than those of another one, by their ranks. Mann and
 * Whitney 1947.
 */
#include "stats/stats.h"

#include <string.h>

/* ways[u]: the orders of n and m values in which u of the n * m pairs have the value of the first
 * sample above that of the second one. The largest value is either of the first sample, above all m
 * values of the second one, or of the second one. */
static void count_orders(size_t n, size_t m, double *ways)
{
  double table[GC_RANKS_MAX + 1][GC_RANKS_MAX * GC_RANKS_MAX + 1] = {{0}};

  for (size_t j = 0; j <= m; j++)
    table[j][0] = 1;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) /* table[j] is of i - 1 values, table[j - 1] already of i */
      for (size_t u = n * m + 1; u-- > 0;)
        table[j][u] = table[j - 1][u] + (u >= j ? table[j][u - j] : 0);
  memcpy(ways, table[m], (n * m + 1) * sizeof(*ways));
}

double gc_ranks_pvalue(const double *a, size_t n, const double *b, size_t m)
{
  double ways[GC_RANKS_MAX * GC_RANKS_MAX + 1], all = 0, tail = 0;
  size_t above = 0;

  if (!n || !m || n > GC_RANKS_MAX || m > GC_RANKS_MAX)
    return 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      above += a[i] > b[j];
  count_orders(n, m, ways);
  for (size_t u = 0; u <= n * m; u++) {
    all += ways[u];
    tail += u >= above ? ways[u] : 0;
  }
  return tail / all;
}
