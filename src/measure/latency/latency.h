/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find latencies and miss penalties. gc_step says what a step is.
 */
#ifndef GC_MEASURE_LATENCY_LATENCY_H
#define GC_MEASURE_LATENCY_LATENCY_H

#include "measure/core/measurement.h"

gc_step gc_step_latency;        /* sm_latency.c: memories inside the SM */
gc_step gc_step_l2_latency;     /* l2_latency.c */
gc_step gc_step_l3_latency;     /* l3_latency.c */
gc_step gc_step_l3_penalty;     /* l3_latency.c */
gc_step gc_step_memory_latency; /* memory.c */
gc_step gc_step_memory_again;   /* memory.c: is that latency still the same? */
gc_step gc_step_miss_penalty;   /* miss_penalty.c */
gc_step gc_step_atomic_latency;    /* atomic_latency.c: shared memory */
gc_step gc_step_l2_atomic_latency; /* atomic_latency.c */

gc_step_needs gc_needs_l3_latency;

#endif
