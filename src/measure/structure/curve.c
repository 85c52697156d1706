/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports a survival curve.
 */
#include "measure/structure/curve.h"

#include <math.h>

#define POINTS GC_CURVE_POINTS
#define NEAR 0.15 /* a share is right within this: three standard errors of 100 lines */

/* Fills after which lines are timed, in quarters of the lines that fit. */
static const uint32_t quarters[POINTS] = {1, 2, 3, 4, 6, 8};
_Static_assert(POINTS <= GC_CURVE_MAX, "a curve has all points");

uint32_t gc_curve_fills(uint32_t lines, size_t point)
{
  const uint32_t fills = (uint32_t)((uint64_t)quarters[point] * lines / 4);

  return fills ? fills : 1;
}

/* The probability that all shares are right. The correction for late loads makes their errors
 * larger, too. A line more that survives and one that does not are
 * counted, so that no share is certain. */
static double confidence_of(const uint64_t alive[POINTS], const uint64_t timed[POINTS], double late)
{
  double all = 1;

  for (size_t p = 0; p < POINTS; p++) {
    const double n = (double)timed[p] + 2, share = ((double)alive[p] + 1) / n;

    all *= erf(NEAR * (1 - late) / sqrt(2 * share * (1 - share) / n));
  }
  return all;
}

/* A curve does not rise; where chance made it rise, it has the mean of these points. */
static void level(double share[POINTS])
{
  double sum[POINTS];
  size_t points[POINTS], runs = 0, p = 0;

  for (size_t i = 0; i < POINTS; i++) {
    sum[runs] = share[i];
    points[runs++] = 1;
    for (; runs > 1 &&
           sum[runs - 1] / (double)points[runs - 1] > sum[runs - 2] / (double)points[runs - 2];
         runs--) {
      sum[runs - 2] += sum[runs - 1];
      points[runs - 2] += points[runs - 1];
    }
  }
  for (size_t run = 0; run < runs; run++)
    for (size_t i = 0; i < points[run]; i++)
      share[p++] = sum[run] / (double)points[run];
}

int gc_curve_put(struct gc_bench *bench, struct gc_measured *element, uint32_t lines,
                 const uint64_t alive[POINTS], const uint64_t timed[POINTS], double late)
{
  double share[POINTS];

  for (size_t p = 0; p < POINTS; p++) {
    share[p] = fmin(1, (double)alive[p] / (double)timed[p] / (1 - late));
    gc_raw_row(bench->raw, "later fills\tlines that survive, %",
               (double[]){gc_curve_fills(lines, p), 100 * share[p]});
  }
  level(share);
  element->points = POINTS;
  for (size_t p = 0; p < POINTS; p++) {
    element->curve[p].fills = gc_curve_fills(lines, p);
    element->curve[p].survives = share[p];
  }
  return gc_set_measured(element, GC_SURVIVAL_CURVE, confidence_of(alive, timed, late));
}
