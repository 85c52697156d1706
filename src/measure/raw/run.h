/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A walk over an array of one size, and how its latencies are counted.
 */
#ifndef GC_MEASURE_RAW_RUN_H
#define GC_MEASURE_RAW_RUN_H

#include "kernels/args.h"

/* How raw cycles become histogram bins and slow loads. */
struct gc_binning {
  uint32_t low;   /* raw cycles at which bin 0 begins */
  uint32_t shift; /* a bin is 2^shift cycles wide */
  /* Loads of this many raw cycles or more are slow; UINT32_MAX: no load is slow. */
  uint32_t threshold;
};

struct gc_run {
  uint64_t bytes;               /* in: size of the array */
  struct gpu_chase_result seen; /* out */
};

#endif
