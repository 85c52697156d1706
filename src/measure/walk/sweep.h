/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading or storing a region once, by all SMs together.
 */
#ifndef GC_MEASURE_WALK_SWEEP_H
#define GC_MEASURE_WALK_SWEEP_H

#include "measure/core/bench.h"

/* One launch. bytes: a multiple of GC_SWEEP_UNIT. value: 0: reads; else what is stored depends on
 * it. *ns: from the start of the first block to the end of the last one, 0 if the clock of the GPU
 * did not advance; ns NULL: it is not timed. */
#define GC_SWEEP_UNIT (64u << 10)
int gc_sweep(struct gc_bench *bench, uint64_t address, uint64_t bytes, uint32_t value, double *ns);

#endif
