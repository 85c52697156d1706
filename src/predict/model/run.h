/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options and counts of a run of the model.
 */
#ifndef GC_PREDICT_MODEL_RUN_H
#define GC_PREDICT_MODEL_RUN_H

#include "predict/model/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why sectors were not there: the differences between runs of the model in which one thing is left
 * out, with the same seed (attribute.h has the arithmetic). Nugteren et al. 2014, section 6. */
enum gc_miss {
  GC_MISS_COMPULSORY,    /* the first access to the sector by this SM in this kernel */
  GC_MISS_CAPACITY,      /* the rest: the cache is too small for this order of accesses */
  GC_MISS_ASSOCIATIVITY, /* more misses than with one set and LRU */
  GC_MISS_LATENCY,       /* more misses than if loads took no time, other than those of MSHRs */
  GC_MISS_MSHR,          /* more misses than if any number of lines could be outstanding */
  GC_MISS_COUNT
};

/* Counts of one cache. accesses = hits + hits_on_miss + sum of misses. Each access is one sector of
 * one warp instruction, the unit of l1tex__t_sectors and lts__t_sectors. In L2, these are the
 * sectors that L1 requests, whatever L2 brings in. */
struct gc_cache_counts {
  uint64_t accesses;
  uint64_t hits;
  uint64_t hits_on_miss; /* the sector was under way to the cache */
  uint64_t misses;
  uint64_t compulsory; /* L1, of the misses: first accesses, estimated if there are many
                          (sector_set.h). 0 unless gc_model_options.compulsory */
};

struct gc_counts {
  struct gc_cache_counts l1_loads, l2_loads, l2_stores;
  /* Sectors of l2_loads that hit only in the home partition; hits on a miss count, too. The counter
   * lts__t_sectors_srcunit_tex_op_read_lookup_hit does not contain them, because it counts look-ups
   * of the near partition. */
  uint64_t l2_loads_far;
  uint64_t l1_stores, l1_bypassing; /* sectors that do not look into L1 */
  uint64_t atomics;                 /* sectors */
  uint64_t l1_load_instructions;    /* of warps, that look into L1 */
  /* That L2 reads from memory: whole sectors of L2 for loads and atomics that miss, and the rest of
   * sectors of which parts are stored (partial.h). */
  uint64_t memory_read_bytes;
  /* Of each TLB level: requests of L1 lines by warp instructions, except those of local memory. The
   * second level sees those that miss in the first. 0 if loads take no time. */
  struct gc_tlb_counts {
    uint64_t lookups, misses;
  } tlbs[GC_TLB_LEVELS];
};

struct gc_load_counts { /* one instruction of a kernel */
  uint32_t pc;
  struct gc_cache_counts l1;
  uint64_t instructions; /* of warps */
};

struct gc_kernel_run { /* one kernel with one seed */
  struct gc_counts counts;
  struct gc_load_counts *loads; /* in the order of pc */
  size_t load_count;
  uint64_t cycles;        /* of the model: an order of events, not a prediction of time */
  unsigned blocks_per_sm; /* that were resident at the same time */
  uint64_t blocks;        /* of the trace that modelled SMs got, also those without instructions */
};

/* Parts of the model that can be left out, for baselines and to attribute misses. */
struct gc_model_options {
  uint64_t seed;
  unsigned sms;           /* only so many SMs, and the blocks that they get; 0: all */
  bool fully_associative; /* one set, LRU */
  bool no_latency;        /* loads take no time */
  bool no_outstanding_limit;
  /* Called for each load of a line, in the order in which L1 sees them; NULL: not. 0, or -ENOMEM,
   * which ends the run. */
  int (*observe)(void *data, unsigned sm, uint64_t line);
  void *observe_data;
  bool compulsory;      /* count compulsory misses of L1 */
  bool each_load_waits; /* whatever the trace says about loads at once */
};

#endif
