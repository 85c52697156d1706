/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How often compare finds outliers in fleets of good GPUs: for fleets of several sizes, with 40
 * properties, whose boards spread 0.5 to 4 times as much as repeated measurements, the share of
 * fleets that have an outlier, and the mean number of outliers. doc/methods.md has the result.
 * Takes seconds; no test runs it.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>

#define PROPERTIES 40
#define RANGE_OF_20 3.735 /* as in src/tool/compare/fleet.c */
#define MOST_GPUS 1000

static uint64_t seed = 1;

static double uniform(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* The outliers in one property of a fleet; spread: in standard deviations of measurements. */
static unsigned outliers(size_t gpus, double spread, double sigmas)
{
  double values[MOST_GPUS], scratch[MOST_GPUS], median, sigma;
  unsigned count = 0;

  for (size_t i = 0; i < gpus; i++)
    values[i] = scratch[i] = spread * normal();
  median = gc_median(scratch, gpus);
  sigma = fmax(gc_robust_sigma(scratch, gpus, median), 1);
  for (size_t i = 0; i < gpus; i++)
    count += fabs(values[i] - median) > fmax(RANGE_OF_20, sigmas * sigma);
  return count;
}

static void try(size_t gpus, double spread)
{
  const double sigmas = gc_outlier_sigmas(0.01, (double)(gpus * PROPERTIES));
  const unsigned fleets = gpus > 300 ? 200 : 4000;
  unsigned with = 0, all = 0;

  for (unsigned i = 0; i < fleets; i++) {
    unsigned found = 0;

    for (unsigned k = 0; k < PROPERTIES; k++)
      found += outliers(gpus, spread, sigmas);
    with += found > 0;
    all += found;
  }
  printf("  %5.1f %% (%.2f)", 100.0 * with / fleets, (double)all / fleets);
}

int main(void)
{
  static const size_t sizes[] = {3, 4, 8, 16, 64, 256, 1000};
  static const double spreads[] = {0.5, 1, 2, 4};

  printf("GPUs  share of fleets with outliers (outliers per fleet), for spreads of 0.5, 1, 2, 4\n");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    printf("%4zu", sizes[i]);
    for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++)
      try(sizes[i], spreads[k]);
    putchar('\n');
    fflush(stdout);
  }
  return 0;
}
