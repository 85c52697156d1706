/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds for a share that hold at all sample sizes at once.
 */
#include "stats/sequential.h"

#include <math.h>

/* log of p^s, which is 1 for s = 0 also if p is 0. */
static double log_power(double p, double s)
{
  return s > 0 ? s * log(p) : 0;
}

double gc_share_evidence(double s, double n, double p)
{
  const double log_pi = 1.1447298858494002; /* log B(1/2, 1/2) */

  return lgamma(s + 0.5) + lgamma(n - s + 0.5) - lgamma(n + 1) - log_pi - log_power(p, s) -
         log_power(1 - p, n - s);
}

/* The share between `inside`, which is not excluded, and `outside`, at which M crosses 1/error. */
static double crossing(double s, double n, double inside, double outside, double error)
{
  const double limit = -log(error);

  if (gc_share_evidence(s, n, outside) < limit)
    return outside;
  for (int i = 0; i < 50; i++) { /* to 2^-50, the precision of a double near 1 */
    const double middle = (inside + outside) / 2;

    if (gc_share_evidence(s, n, middle) < limit)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

struct gc_share gc_share_bounds(double s, double n, double error)
{
  const double share = n > 0 ? s / n : 0.5;

  return (struct gc_share){crossing(s, n, share, 0, error), crossing(s, n, share, 1, error)};
}

enum gc_side gc_share_side(double s, double n, double low, double high, double error)
{
  const double limit = -log(error);
  const int below = s < high * n && gc_share_evidence(s, n, high) >= limit;
  const int above = s > low * n && gc_share_evidence(s, n, low) >= limit;

  if (below && above)
    return s < (low + high) / 2 * n ? GC_SIDE_BELOW : GC_SIDE_ABOVE;
  return below ? GC_SIDE_BELOW : above ? GC_SIDE_ABOVE : GC_SIDE_OPEN;
}
