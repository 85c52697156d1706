/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts what a trace does in the caches of a GPU, after Nugteren et al. 2014, "A Detailed GPU Cache
 * Model Based on Reuse Distance Theory", with sectors, all SMs, an L2 behind them, stores, barriers
 * and other replacement than LRU.
 */
#ifndef GC_PREDICT_MODEL_MODEL_H
#define GC_PREDICT_MODEL_MODEL_H

#include "predict/model/gpu.h"
#include "predict/trace/trace.h"
#include "util/error.h"

/* Why a sector was not there. The first reason that applies. */
enum gc_miss {
  GC_MISS_COMPULSORY,    /* first access of this kernel (L1) or trace (L2) to the sector */
  GC_MISS_CAPACITY,      /* also in a fully associative LRU cache of the same size, in program order
                            of the round-robin baseline */
  GC_MISS_ASSOCIATIVITY, /* not with one set and LRU */
  GC_MISS_LATENCY,       /* not if every load took no time */
  GC_MISS_MSHR,          /* not if any number of lines could be outstanding */
  GC_MISS_COUNT
};

/* Counts of one cache. accesses = hits + hits_on_miss + sum of misses. Each access is one sector of
 * one warp instruction, the unit of l1tex__t_sectors and lts__t_sectors. */
struct gc_cache_counts {
  uint64_t accesses;
  uint64_t hits;
  uint64_t hits_on_miss; /* the sector was under way to the cache */
  uint64_t misses;
};

struct gc_counts {
  struct gc_cache_counts l1_loads, l2_loads, l2_stores;
  uint64_t l1_stores, l1_bypassing; /* sectors that do not look into L1 */
  uint64_t atomics;                 /* sectors */
};

struct gc_load { /* one instruction of a kernel */
  uint32_t pc;
  struct gc_cache_counts l1;
};

struct gc_run { /* one kernel with one seed */
  struct gc_counts counts;
  struct gc_load *loads; /* in the order of pc */
  size_t load_count;
  uint64_t cycles; /* of the model: an order of events, not a prediction of time */
};

/* Parts of the model that can be left out, for baselines and to attribute misses. */
struct gc_model_options {
  uint64_t seed;
  bool fully_associative; /* one set, LRU */
  bool no_latency;        /* loads take no time */
  bool no_outstanding_limit;
  bool paper; /* as in the paper: L1 only, no barriers, one instruction of a warp per time step whatever
                 it accesses, hits take effect at once, one SM gets blocks in sets */
};

struct gc_model;

/* The GPU is copied. NULL: no memory. */
struct gc_model *gc_model_new(const struct gc_gpu_model *gpu, const struct gc_model_options *options);
void gc_model_free(struct gc_model *model);

/* Runs the kernel that gc_trace_next_kernel has just begun, to its end. L1 is empty at the start; L2
 * keeps what earlier kernels left. 0, or a negative errno with a sentence. *run is zero on failure;
 * otherwise free run->loads. */
int gc_model_run(struct gc_model *model, struct gc_trace *trace, const struct gc_trace_launch *launch,
                 struct gc_run *run, struct gc_error *err);

#endif
