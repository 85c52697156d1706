/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find bandwidths. gc_step says what a step is.
 */
#ifndef GC_MEASURE_BANDWIDTH_BANDWIDTH_H
#define GC_MEASURE_BANDWIDTH_BANDWIDTH_H

#include "measure/core/measurement.h"

struct gc_flow;
struct gc_rate;

gc_step gc_step_bandwidth;        /* sm_bandwidth.c: memories inside the SM */
gc_step gc_step_l2_bandwidth;     /* gpu_bandwidth.c: what all SMs use together */
gc_step gc_step_l3_bandwidth;     /* gpu_bandwidth.c */
gc_step gc_step_memory_bandwidth; /* gpu_bandwidth.c */
gc_step gc_step_atomics;          /* atomic_rate.c: the rate of atomic operations on one word */
/* curves.c; they report nothing, and run only for --raw */
gc_step gc_step_size_curve_sm, gc_step_size_curve_gpu, gc_step_warps_curve,
    gc_step_width_curve;
gc_step gc_step_under_load;       /* under_load.c: latency of L2 and device memory */
gc_step gc_step_outstanding_warp; /* outstanding.c */
gc_step gc_step_outstanding_sm;   /* outstanding.c; after the warp */
gc_step gc_step_departure;        /* departure.c */
gc_step gc_step_bulk;             /* bulk.c: bulk copies from L2 to shared memory */

gc_step_needs gc_needs_l2_bandwidth, gc_needs_l3_bandwidth, gc_needs_memory_bandwidth,
    gc_needs_under_load, gc_needs_departure;

/* All SMs do the same, each at its own clock: what the median SM moves in a cycle
 * (sm_bandwidth.c). Both are for the rates of rate.h. */
int gc_rate_of_sms(struct gc_bench *bench, struct gc_flow *flow, struct gc_rate *rate);
/* All SMs together: what they move in a nanosecond, in launches of about `wanted` ns, the first one
 * of flow->args.count iterations (gpu_bandwidth.c). */
int gc_rate_of_gpu(struct gc_bench *bench, struct gc_flow *flow, double wanted,
                   struct gc_rate *rate);

#endif
