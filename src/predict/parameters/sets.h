/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of a cache whose record has a survival curve, but no sets.
 */
#ifndef GC_PREDICT_PARAMETERS_SETS_H
#define GC_PREDICT_PARAMETERS_SETS_H

#include "predict/model/gpu.h"

/* Looks for the sets and ways with LRU replacement that have the survival curve of *geometry, in a
 * cache that keeps this number of lines. If there are some, it sets sets, ways, limit and masks and
 * returns true; otherwise it changes nothing. The masks are an assumption: consecutive lines are in
 * different sets, and higher address bits are spread over all bits of the set. */
bool gc_sets_from_curve(struct gc_cache_geometry *geometry, uint64_t lines);

#endif
