/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The timing overhead: what reading the clock twice adds to the latency of a single load.
 * doc/methods.md, "Timing overhead".
 */
#ifndef GC_MEASURE_WALK_OVERHEAD_H
#define GC_MEASURE_WALK_OVERHEAD_H

#include "measure/core/measurement.h"

/* Sets m->results->overhead. */
int gc_measure_overhead(struct gc_measurement *m);

/* Whether so many of n loads that were timed alone are delayed that even the fastest of several
 * chains has some: without the slowest hundredth of them, their mean exceeds the median. Sorts
 * them. */
bool gc_overhead_delayed(double *alone, size_t n);

#endif
