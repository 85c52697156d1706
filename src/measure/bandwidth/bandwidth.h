/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find bandwidths. gc_step says what a step is.
 */
#ifndef GC_MEASURE_BANDWIDTH_BANDWIDTH_H
#define GC_MEASURE_BANDWIDTH_BANDWIDTH_H

#include "measure/core/measurement.h"

gc_step gc_step_bandwidth;        /* sm_bandwidth.c: memories inside the SM */
gc_step gc_step_l2_bandwidth;     /* gpu_bandwidth.c: what all SMs use together */
gc_step gc_step_l3_bandwidth;     /* gpu_bandwidth.c */
gc_step gc_step_memory_bandwidth; /* gpu_bandwidth.c */
gc_step gc_step_atomics;          /* atomic_rate.c: the rate of atomic operations on one word */
/* curves.c; they report nothing, and run only for --raw */
gc_step gc_step_size_curve_sm, gc_step_size_curve_gpu, gc_step_warps_curve,
    gc_step_width_curve;
gc_step gc_step_outstanding_warp; /* outstanding.c */
gc_step gc_step_outstanding_sm;   /* outstanding.c; after the warp */

gc_step_needs gc_needs_l2_bandwidth, gc_needs_l3_bandwidth, gc_needs_memory_bandwidth;

#endif
