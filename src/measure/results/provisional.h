/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the record of these results is provisional: a property is absent for a reason that can
 * pass (enum gc_passing), so that a later measurement may find it.
 */
#ifndef GC_MEASURE_RESULTS_PROVISIONAL_H
#define GC_MEASURE_RESULTS_PROVISIONAL_H

#include "measure/results/results.h"

#define GC_PROVISIONAL_BYTES 256

/* Writes the absent properties for each reason, for example "too little free device memory (L2Cache
 * Capacity, L2Cache Line and 2 more)". Returns whether there is such a reason; otherwise why is
 * "". */
bool gc_results_provisional(const struct gc_results *results, char why[GC_PROVISIONAL_BYTES]);

#endif
