/* SPDX-License-Identifier: BSD-3-Clause */
#include "tail.h"

#include <math.h>

#define STEPS 256 /* of the outliers, which are uniformly distributed */

/* The share of loads that take at most x cycles longer than the latency. */
static double below(double x, double jitter)
{
  return jitter > 0 ? 0.5 * erfc(-x / jitter / sqrt(2)) : x >= 0;
}

static double below_with_outliers(const struct gc_disturbance *d, double x, double jitter)
{
  const double least = d->outlier_least, range = (double)d->outlier_most - least;
  double sum = 0;

  if (d->outlier_rate <= 0)
    return below(x, jitter);
  for (int i = 0; i < STEPS; i++)
    sum += below(x - least - range * (i + 0.5) / STEPS, jitter);
  return (1 - d->outlier_rate) * below(x, jitter) + d->outlier_rate * sum / STEPS;
}

double tail_of(const struct gc_disturbance *d, double jitter, double slow, double more)
{
  double low = -8 * jitter - 1, high = 8 * jitter + more + d->outlier_most + 1;

  for (int i = 0; i < 60; i++) {
    const double x = (low + high) / 2;
    const double share = (1 - slow) * below_with_outliers(d, x, jitter) +
                         slow * below_with_outliers(d, x - more, jitter);

    if (share < 0.95)
      low = x;
    else
      high = x;
  }
  return high;
}
