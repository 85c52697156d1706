/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The survival curve: the probability that a line is still in the cache after later fills.
 */
#ifndef GC_MEASURE_STRUCTURE_CURVE_H
#define GC_MEASURE_STRUCTURE_CURVE_H

#include "measure/core/measurement.h"

#define GC_CURVE_POINTS 6

/* The later fills of a point, for a cache of so many lines. */
uint32_t gc_curve_fills(uint32_t lines, size_t point);

/* alive[point] of timed[point] > 0 lines survived, in a cache of so many lines. late, less than 1:
 * the share of surviving lines that look like lost ones, for which the shares are corrected. */
int gc_curve_put(struct gc_bench *bench, struct gc_measured *element, uint32_t lines,
                 const uint64_t alive[GC_CURVE_POINTS], const uint64_t timed[GC_CURVE_POINTS],
                 double late);

#endif
