/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading or storing a region once, by all SMs together.
 */
#ifndef GC_MEASURE_WALK_SWEEP_H
#define GC_MEASURE_WALK_SWEEP_H

#include "measure/core/bench.h"

#define GC_SWEEP_UNIT (64u << 10)

struct gc_sweeping {
  uint64_t address, bytes; /* bytes: a multiple of GC_SWEEP_UNIT */
  uint32_t value;          /* 0: reads; else what is stored depends on it */
  uint32_t wait_ns;        /* from the begin of the launch to the begin of the sweep */
};

/* One launch. *ns: from the start of the first block to the end of the last one, 0 if the clock of
 * the GPU did not advance; ns NULL: it is not timed. */
int gc_sweep(struct gc_bench *bench, const struct gc_sweeping *sweep, double *ns);

#endif
