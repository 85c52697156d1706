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
 * has this allocation as its arena. About half of them are new allocations; the others are further parts
 * of the memory that measuring has, if there is room. These are other pages in any case, and take
 * neither memory nor the time to allocate it. If memory is scarce, more are parts; if there are few
 * parts, more are new. Stops if `visit` returns anything but 0,
 * and returns that. *n: how many were visited. */
int gc_visit_allocations(struct gc_bench *bench, uint64_t bytes, unsigned most,
                         int (*visit)(void *data), void *data, unsigned *n);

#endif
