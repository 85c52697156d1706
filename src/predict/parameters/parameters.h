/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameters of the model, from a record and nothing else. What the record lacks is assumed,
 * and each assumption is noted.
 */
#ifndef GC_PREDICT_PARAMETERS_PARAMETERS_H
#define GC_PREDICT_PARAMETERS_PARAMETERS_H

#include "predict/model/gpu.h"
#include "predict/parameters/assumptions.h"
#include "predict/parameters/carveouts.h"
#include "predict/trace/trace.h"
#include "record/record.h"
#include "util/error.h"

/* What may be between low and high, because the record states how well it is known. */
struct gc_bounds {
  double value, low, high;
};

struct gc_parameters {
  /* Without what a launch or a seed decides: capacities, latencies, shared memory. */
  struct gc_gpu_model gpu;
  struct gc_bounds l1_bytes, l2_bytes; /* of one SM; of one partition */
  struct gc_bounds l1_cycles, l2_near_cycles, l2_far_cycles, memory_cycles;
  struct gc_bounds tlb_cycles[GC_TLB_LEVELS];               /* that a miss adds */
  /* of blocks of 1, 4 and 32 warps */
  struct gc_carveout_table carveouts, carveouts_4, carveouts_32;
  uint64_t shared_bytes; /* of an SM, if L1 does not share its storage; 0: unknown */
  struct gc_assumptions assumptions;
};

/* Changes that describe a GPU other than that of the record. Zero changes nothing,
 * except that outstanding = 0 removes the limit of the record. */
struct gc_changes {
  bool has_carveout;
  unsigned carveout;  /* percent, for all kernels */
  uint64_t l1_bytes;  /* of L1, instead of those of the carve-out; 0: no change */
  double capacity;    /* factor for the bytes of L1 */
  double ways;        /* factor for the ways of L1; the bytes stay, so that the sets change */
  double line;        /* factor for the line of L1; the bytes stay */
  double outstanding; /* factor for the lines that can be outstanding */
  bool half_blocks;   /* half as many blocks on an SM at the same time, at least one */
};

/* Reads a record. 0; or -ENODATA with a sentence that names what no assumption can replace (number
 * of SMs, capacity of L1 or L2, latency of L1, L2 and memory). */
int gc_parameters_read(struct gc_parameters *parameters, const struct gc_record *record,
                       struct gc_error *err);

/* Whether a block of the launch fits on an SM of the GPU, at any carve-out. 0; or -ERANGE with a
 * sentence: it needs more shared memory, threads or registers. */
int gc_parameters_check_block(const struct gc_parameters *parameters,
                              const struct gc_trace_launch *launch, struct gc_error *err);

/* The GPU as a launch that fits finds it. seed 0: with the values of the record; other seeds: with
 * values drawn from their bounds. 0, or -ERANGE with a sentence: there is no such GPU. More
 * assumptions can be noted. */
int gc_parameters_gpu(struct gc_parameters *parameters, const struct gc_trace_launch *launch,
                      const struct gc_changes *changes, uint64_t seed, struct gc_gpu_model *gpu,
                      struct gc_error *err);

#endif
