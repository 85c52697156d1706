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

static double below_on_all(const struct gc_disturbance *d, const struct tail *tail, double x)
{
  double sum = 0;

  for (uint32_t sm = 0; sm < tail->sms; sm++)
    sum += below_with_outliers(d, x - tail->offsets[sm], tail->jitter);
  return tail->sms ? sum / tail->sms : below_with_outliers(d, x, tail->jitter);
}

double tail_of(const struct gc_disturbance *d, const struct tail *tail, double q)
{
  double low = -8 * tail->jitter - 1, high = 8 * tail->jitter + tail->more + d->outlier_most + 1;

  for (uint32_t sm = 0; sm < tail->sms; sm++) {
    low = fmin(low, tail->offsets[sm] - 8 * tail->jitter - 1);
    high = fmax(high, tail->offsets[sm] + 8 * tail->jitter + tail->more + d->outlier_most + 1);
  }
  for (int i = 0; i < 60; i++) {
    const double x = (low + high) / 2;
    const double share = (1 - tail->slow) * below_on_all(d, tail, x) +
                         tail->slow * below_on_all(d, tail, x - tail->more);

    if (share < q)
      low = x;
    else
      high = x;
  }
  return high;
}
