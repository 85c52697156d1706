/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The Kolmogorov-Smirnov test, and Holm's method for several tests.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

double gc_ks_slower(const uint64_t *a, const uint64_t *b, size_t bins, uint64_t *n, uint64_t *m)
{
  uint64_t total_a = 0, total_b = 0, seen_a = 0, seen_b = 0;
  double d = 0;

  for (size_t k = 0; k < bins; k++) {
    total_a += a[k];
    total_b += b[k];
  }
  if (n)
    *n = total_a;
  if (m)
    *m = total_b;
  for (size_t k = 0; k < bins && total_a && total_b; k++) {
    seen_a += a[k];
    seen_b += b[k];
    d = fmax(d, (double)seen_a / (double)total_a - (double)seen_b / (double)total_b);
  }
  return d;
}

/* The share of the lattice paths from (0,0) to (n,m) that touch or leave the band |i/n - j/m| < d.
 * Computes row by row the probability of staying strictly inside. */
static double exact(double d, size_t n, size_t m)
{
  double *inside = calloc(m + 1, sizeof(*inside)), p;
  /* compare in units of 1/(nm), with a margin for the rounding of d */
  const double limit = d * (double)n * (double)m - 1e-7;

  if (!inside)
    return 1;
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      const double gap = fabs((double)i * (double)m - (double)j * (double)n);
      const double steps = (double)(i + j);

      if (gap >= limit && i + j > 0)
        inside[j] = 0;
      else if (i + j == 0)
        inside[j] = 1;
      else
        /* of the equally likely paths to (i,j), the share i/(i+j) ends with an "a" step */
        inside[j] = (i ? inside[j] * (double)i / steps : 0) +
                    (j ? inside[j - 1] * (double)j / steps : 0);
    }
  p = 1 - inside[m];
  free(inside);
  return p < 0 ? 0 : p;
}

double gc_ks_pvalue(double d, uint64_t n, uint64_t m)
{
  double e, lambda, sum = 0, sign = 1;

  if (!n || !m || d <= 0)
    return 1;
  if (n <= 10000 && m <= 10000 && n * m <= 10000)
    return exact(d, n, m);
  e = sqrt((double)n * ((double)m / (double)(n + m)));
  lambda = (e + 0.12 + 0.11 / e) * d;
  if (lambda < 0.2) /* there the series converges slowly, and its value is 1 to 12 digits */
    return 1;
  for (int k = 1; k <= 100; k++, sign = -sign) {
    const double term = exp(-2.0 * k * k * lambda * lambda);

    sum += sign * term;
    if (term < 1e-16)
      break;
  }
  return fmin(1, fmax(0, 2 * sum));
}

void gc_holm(double *p, size_t n)
{
  double previous = 0;
  char *done = calloc(n ? n : 1, 1);

  for (size_t rank = 0; rank < n; rank++) {
    size_t least = n;

    if (!done) { /* out of memory: Bonferroni, which is at least as strict */
      p[rank] = fmin(1, p[rank] * (double)n);
      continue;
    }
    for (size_t i = 0; i < n; i++)
      if (!done[i] && (least == n || p[i] < p[least]))
        least = i;
    done[least] = 1;
    previous = fmax(previous, fmin(1, p[least] * (double)(n - rank)));
    p[least] = previous;
  }
  free(done);
}
