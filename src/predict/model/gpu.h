/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the model has to know about a GPU, in numbers. src/predict/parameters fills it from a
 * record, and notes what the record lacks.
 */
#ifndef GC_PREDICT_MODEL_GPU_H
#define GC_PREDICT_MODEL_GPU_H

#include <stdbool.h>
#include <stdint.h>

enum gc_policy {
  GC_POLICY_LRU,
  GC_POLICY_FIFO,
  GC_POLICY_RANDOM,
  GC_POLICY_SURVIVAL, /* by the curve */
  GC_POLICY_SLRU,     /* segmented LRU: lines that were hit are protected, up to half of the ways */
};

enum gc_allocate { GC_ALLOCATE_NONE, GC_ALLOCATE_SECTOR, GC_ALLOCATE_LINE };

#define GC_PREDICT_SMS_MAX 4096 /* ten times as many as the largest GPU has */
#define GC_INDEX_BITS 24
#define GC_LINES_SCAN 16 /* ways of a set that is scanned */
#define GC_SURVIVAL_POINTS 64

struct gc_cache_geometry {
  uint32_t line_bytes, sector_bytes; /* powers of two; a sector is at most a line */
  /* Equal sets with ways lines each. 1 set: fully associative. */
  uint32_t sets, ways;
  uint32_t own_ways;     /* if not 0, another capacity has other sets of so many ways */
  uint64_t wanted_bytes; /* before they were rounded to lines and ways; not used by the model */
  /* 0, or the number of lines that have data, if the sets have tags for more. At the limit, if a
   * line comes into a set with a free way, another set loses one: the sets take turns, in an order
   * unlike that of their numbers. Only with up to GC_LINES_SCAN ways. */
  uint32_t limit;
  /* Bit i of the set number is the parity of address & masks[i]. No masks: line number modulo sets.
   * With masks, sets is 1 << mask_count. */
  uint32_t mask_count;
  uint64_t masks[GC_INDEX_BITS];
  enum gc_policy policy;
  /* GC_POLICY_SURVIVAL: a line that was last used before fills[i] fills of its cache is still there
   * with survives[i]; fills increase, survives do not. Linear in between, 1 at 0 fills, and the
   * last value after the last point. */
  uint32_t survival_count;
  double fills[GC_SURVIVAL_POINTS], survives[GC_SURVIVAL_POINTS];
  enum gc_allocate store_miss; /* what a store of an absent sector brings in */
  /* L1: a line takes its place, and another one goes, when it is requested (else: when it arrives).
   * It may be evicted before it arrives. */
  bool early;
};

struct gc_gpu_model {
  unsigned sms; /* at most GC_PREDICT_SMS_MAX */
  unsigned warp_threads;
  unsigned threads_per_sm, blocks_per_sm; /* limits of residency */
  unsigned registers_per_sm;
  uint64_t shared_per_sm,
      shared_reserved_per_block; /* bytes that blocks can use at this carve-out */

  bool loads_in_l1;
  struct gc_cache_geometry l1;
  /* Lines under way; 0: no limit. A limit of a warp that was measured with independent loads of one
   * line each may be one of instructions. A warp has one load at a time here, so that is no limit.
   */
  unsigned outstanding_per_sm, outstanding_per_warp;

  /* Groups of SMs: GPC gpc_of_sm[s] has SM s. 0: not known. */
  unsigned gpcs;
  uint16_t gpc_of_sm[GC_PREDICT_SMS_MAX];

  /* Each partition is a cache of this geometry. The near one of SM s is near_of_gpc[gpc_of_sm[s]],
   * if has_sides, else s * partitions / sms. Each line has one home partition. With copies, the near partition also keeps what SM s
   * loads. */
  struct gc_cache_geometry l2;
#define GC_PREDICT_PARTITIONS_MAX 64
  unsigned partitions;
  bool has_sides;
  uint8_t near_of_gpc[GC_PREDICT_SMS_MAX];
  bool copies;
  bool private_l2; /* each partition is the whole L2 of its SMs: of SM s, partition s modulo their
                      number, because blocks go to the dies in turn. Not with copies. */

  /* Cycles of the SM clock, from issue to use. spread is the standard deviation of a half-normal
   * distribution that is added to each latency (Nugteren et al., section 4.2). */
  double l1_cycles, l2_near_cycles, l2_far_cycles, memory_cycles;
  double l2_spread, memory_spread;

  /* TLBs, from the first level. 0 entries: no TLB is modelled. A look-up that misses in both takes
   * both penalties. */
#define GC_TLB_LEVELS 2
  struct gc_tlb_level {
    uint32_t entries;
    uint64_t entry_bytes; /* a power of two */
    double miss_cycles;
    /* SM s has the TLB number of_sm[s] of so many. 0: each SM has one of its own. */
    unsigned instances;
    uint16_t of_sm[GC_PREDICT_SMS_MAX];
  } tlb[GC_TLB_LEVELS];
};

#endif
