/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Further allocations, whose pages lie elsewhere.
 */
#ifndef GC_MEASURE_WALK_ALLOCATIONS_H
#define GC_MEASURE_WALK_ALLOCATIONS_H

#include "measure/core/measurement.h"

#define GC_ALLOCATIONS_MAX 16

/* Calls `visit` with each of at most `most` allocations of so many bytes; while it runs, the bench
 * has this allocation as its arena. If memory is scarce, further parts of the memory that measuring
 * has are used as well. These are other pages in any case. Stops if `visit` returns anything but 0,
 * and returns that. *n: how many were visited. */
int gc_visit_allocations(struct gc_bench *bench, uint64_t bytes, unsigned most,
                         int (*visit)(void *data), void *data, unsigned *n);

#endif
