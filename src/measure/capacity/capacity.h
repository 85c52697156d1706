/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find capacities. gc_step says what a step is.
 */
#ifndef GC_MEASURE_CAPACITY_CAPACITY_H
#define GC_MEASURE_CAPACITY_CAPACITY_H

#include "measure/core/measurement.h"

gc_step gc_step_interface;           /* interface.c: what the vendor's interface states */
gc_step gc_step_capacity;            /* sm_capacity.c: caches inside the SM */
gc_step gc_step_l2_capacity;         /* l2_capacity.c */
gc_step gc_step_l2_allocations;      /* l2_allocations.c: the capacity whatever the pages are */
gc_step gc_step_l3_capacity;         /* l3_capacity.c */
gc_step gc_step_l3_allocations;      /* l3_allocations.c: as for L2 */
gc_step gc_step_constant15_capacity; /* constant15_capacity.c */
gc_step gc_step_carveouts;           /* carveout.c: the L1 that each carve-out leaves */
gc_step gc_step_carveouts_by_block;  /* the same for blocks of more than one warp */

gc_step_needs gc_needs_l2_capacity, gc_needs_l3_capacity;

#endif
