/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the bandwidths inside an SM (bandwidth.c) and those that all SMs use together
 * (bandwidth_chip.c) have in common: launches of the same kernels, and what repetitions tell.
 */
#ifndef GC_MEASURE_BANDWIDTH_H
#define GC_MEASURE_BANDWIDTH_H

#include "measure/bench.h"

#define GC_RATE_REPEATS 9
#define GC_LANE_BYTES 16 /* that each lane moves at once */

/* Launches of one kernel that follow each other. */
struct gc_flow {
  enum gc_kernel kernel;
  uint32_t blocks, threads, shared_bytes;
  struct gpu_bandwidth_args args; /* results and sink are filled in */
};

/* One launch. results: of args.repeats times blocks. */
int gc_flow_run(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results);

struct gc_rate {
  double value, confidence, least, most;
};

/* The median of GC_RATE_REPEATS values, and how sure it is within 3 % (stats.h). Sorts them, after
 * they have been noted for those who asked for raw data. */
void gc_rate_of(const struct gc_bench *bench, const struct gc_flow *flow, double *values,
                struct gc_rate *rate);

/* What no value can exceed. */
struct gc_limit {
  double most;      /* 0: not known */
  const char *unit; /* of it and of the value */
  const char *by;   /* what sets the limit: "the memory bus" */
};

/* Bytes that the loads and stores of an SM move in a cycle at most, whatever they go through but constants
 * (which all lanes share): 4 for each lane of a warp, on compute capability 3 twice that (CUDA C++
 * Programming Guide, shared memory of each compute capability: 32 banks). 0: not known. */
double gc_sm_limit(const struct gc_properties *properties);

/* Writes the value, or why there is none: it is no number, it is beyond the limit, or the repetitions do
 * not agree. */
int gc_rate_put(struct gc_bench *bench, struct gc_element *element, const char *key,
                const char *property, const struct gc_rate *rate, const struct gc_limit *limit);
int gc_rate_put_absent(struct gc_bench *bench, struct gc_element *element, const char *property,
                       const char *why);

#endif
