/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports a survival curve.
 */
#include "measure/structure/curve.h"

/* Fills after which lines are timed, in quarters of the lines that fit. */
static const uint32_t quarters[GC_CURVE_POINTS] = {1, 2, 3, 4, 6, 8};
_Static_assert(GC_CURVE_POINTS <= GC_CURVE_MAX, "a curve has all points");

uint32_t gc_curve_fills(uint32_t lines, size_t point)
{
  const uint32_t fills = (uint32_t)((uint64_t)quarters[point] * lines / 4);

  return fills ? fills : 1;
}

int gc_curve_put(struct gc_bench *bench, struct gc_measured *element, uint32_t lines,
                 const uint64_t alive[GC_CURVE_POINTS], const uint64_t timed[GC_CURVE_POINTS],
                 double confidence)
{
  struct gc_structure *structure = &element->structure;

  structure->points = GC_CURVE_POINTS;
  for (size_t p = 0; p < GC_CURVE_POINTS; p++) {
    const double share = (double)alive[p] / (double)timed[p];
    const double before = p ? structure->curve[p - 1].survives : 1;

    structure->curve[p].fills = gc_curve_fills(lines, p);
    structure->curve[p].survives = share < before ? share : before;
    gc_raw_row(bench->raw, "later fills\tlines that survive, %",
               (double[]){gc_curve_fills(lines, p), 100 * share});
  }
  return gc_set_measured(element, GC_SURVIVAL_CURVE, confidence);
}
