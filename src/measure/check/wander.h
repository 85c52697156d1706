/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes what a wandering SM clock makes wrong.
 */
#ifndef GC_MEASURE_CHECK_WANDER_H
#define GC_MEASURE_CHECK_WANDER_H

#include "measure/core/measurement.h"

/* To be called when the plan is done. If the clock wandered (results->most_mhz), withholds what was
 * measured outside the SMs, miss penalties and nanoseconds, and warns. */
void gc_check_wandering(struct gc_results *results);

#endif
