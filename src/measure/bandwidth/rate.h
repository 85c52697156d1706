/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the bandwidths inside an SM (sm_bandwidth.c) and outside (gpu_bandwidth.c) have in common:
 * launches of the
 * kernels, and the evaluation of repetitions. doc/methods.md, "Bandwidth".
 */
#ifndef GC_MEASURE_BANDWIDTH_RATE_H
#define GC_MEASURE_BANDWIDTH_RATE_H

#include "measure/core/measurement.h"

#define GC_RATE_REPEATS 9
/* If all loads in flight give more than this factor times what half of them give, twice as many
 * might give more again. Covers the tolerance and the noise of few repetitions. */
#define GC_GAIN_MAX 1.05

/* Successive launches of one kernel. */
struct gc_flow {
  enum gc_kernel kernel;
  uint32_t blocks, threads, shared_bytes;
  struct gpu_bandwidth_args args; /* results and sink are filled in */
};

/* One launch, repeated if two blocks run on the same SM. results: space for args.repeats * blocks
 * results. -EINVAL: too many for the scratch. */
int gc_flow_run(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results);

/* One launch that continues where the launch before it ended. Bytes and time of all blocks
 * together. */
int gc_flow_walk(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results,
                 uint64_t *bytes, uint64_t *ns);

/* GB/s or bytes per cycle. */
struct gc_rate {
  double value, confidence;
  double least, most; /* of the repetitions */
  double fewer;       /* outside: the same with half of the loads in flight; 0: not known */
  double apart;       /* inside an SM: how many times as fast as the slowest SMs the fastest are */
};

/* The median of GC_RATE_REPEATS values, and its confidence for +-3 % (stats.h). Writes the values
 * for --raw, then sorts them. */
void gc_rate_of(const struct gc_bench *bench, const struct gc_flow *flow, double *values,
                struct gc_rate *rate);

/* A physical limit of a rate. */
struct gc_rate_limit {
  double most;      /* 0: not known */
  const char *unit; /* of the limit and of the value */
  const char *by;   /* what sets the limit: "the memory bus" */
};

/* The most bytes that loads and stores of an SM can move in a cycle: 4 for each lane of a warp, and
 * twice that on compute capability 3 (CUDA C++ Programming Guide, shared memory of each compute
 * capability: 32 banks). It holds for all paths but constants, where all lanes share one value. 0:
 * not known. */
double gc_sm_limit(const struct gc_properties *properties);

/* Reports the rate as this property (GC_READ or GC_WRITE) of the element and sets *value, a field
 * of the element. The property is absent if the clock did not advance or repetitions disagree, or
 * if more loads in flight might give more, and withheld if the rate is beyond the limit.
 * Returns 0. */
int gc_rate_put(struct gc_measurement *m, struct gc_measured *element, enum gc_property property,
                double *value, const struct gc_rate *rate, const struct gc_rate_limit *limit);

#endif
