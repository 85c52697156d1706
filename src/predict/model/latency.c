/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/latency.h"

#include <math.h>

/* The x > 0 at which erf(x / sqrt 2) = p; bisection, once per model. */
static double quantile(double p)
{
  double low = 0, high = 8;

  for (unsigned i = 0; i < 50; i++) {
    double middle = (low + high) / 2;

    if (erf(middle / M_SQRT2) < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void gc_half_normal_init(struct gc_half_normal *table)
{
  for (unsigned i = 0; i < GC_QUANTILES; i++)
    table->quantiles[i] = quantile((i + 0.5) / GC_QUANTILES);
}
