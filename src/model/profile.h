/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contents of a profile. data/sim/README documents the format. parse.c reads it, check.c checks
 * it, chip.c makes a simulated GPU of it.
 */
#ifndef GC_MODEL_PROFILE_H
#define GC_MODEL_PROFILE_H

#include "model/cache.h"
#include "model/clock.h"
#include "model/facts.h"
#include "model/pages.h"
#include "util/error.h"

#define GC_PROFILE_CACHES_MAX 12
#define GC_PROFILE_TLBS_MAX 2
#define GC_PROFILE_LEVELS_MAX 5
#define GC_PROFILE_CARVEOUTS_MAX 16
#define GC_PROFILE_RANGES_MAX 128
#define GC_PROFILE_GFX_BYTES 16
#define GC_PROFILE_MEMORY (-1) /* the level is not a cache but DRAM, or shared memory itself */

/* Which SMs share an instance of a cache: one SM, the SMs of a range of sm_ids, of a group, of an
 * XCD, or all. From near to far. */
enum gc_scope { GC_SCOPE_SM, GC_SCOPE_RANGE, GC_SCOPE_GROUP, GC_SCOPE_XCD, GC_SCOPE_CHIP };

/* The levels whose latencies and bandwidths do not depend on the SM clock. */
enum gc_own_clock { GC_OWN_CLOCK_NONE, GC_OWN_CLOCK_MEMORY, GC_OWN_CLOCK_L2 };

struct gc_profile_cache {
  char name[24];
  unsigned line_number;        /* of its section, for messages */
  enum gc_scope scope;
  uint32_t group;              /* scope group: number of SMs that share one */
  uint32_t instances;          /* scope sm: independent caches in an SM */
  bool unified;                /* its size is the total less the carve-out */
  uint64_t size, lost;         /* bytes; lost: the part that is never usable */
  uint32_t partitions;         /* scope chip: number of equal parts, each near to some SMs */
  bool replicate;              /* the near part keeps a copy of lines from far parts */
  uint32_t partition_sms;      /* number of adjacent SMs that are near to the same part */
  bool emptied;                /* outside the SMs: a kernel that starts finds it empty */
  uint32_t far_cycles;         /* additional latency of a hit in a far part */
  double read_gbps, write_gbps; /* scope chip: 10^9 bytes per second in total */
  bool compete;                 /* SMs that share it load at the same time */
  struct gc_cache_shape shape;
};

/* A TLB: a cache whose lines are the ranges of virtual addresses that one entry translates. */
struct gc_profile_tlb {
  struct gc_profile_cache cache; /* name, scope and shape */
  uint64_t entries;
  uint32_t penalty;              /* cycles that a miss adds */
};

struct gc_profile_level {
  int cache;         /* index of the cache, or GC_PROFILE_MEMORY */
  uint32_t cycles;   /* latency of a load that hits here */
  double jitter;     /* its standard deviation, cycles */
};

struct gc_profile_path {
  unsigned line_number; /* 0: this space does not exist */
  unsigned count;       /* levels; a load always hits in the last one */
  struct gc_profile_level levels[GC_PROFILE_LEVELS_MAX];
  /* Bytes per cycle and SM, for the levels inside the SM. */
  double read_rates[GC_PROFILE_LEVELS_MAX], write_rates[GC_PROFILE_LEVELS_MAX];
};

/* The numbers of the SMs: ranges, which repeat `times` times, each time `step` higher. */
struct gc_profile_ids {
  unsigned count; /* 0: the numbers are 0, 1, 2 … */
  struct {
    uint32_t first, last;
  } ranges[GC_PROFILE_RANGES_MAX];
  uint64_t times, step;
};

struct gc_profile {
  struct gc_model_facts facts;
  char gfx[GC_PROFILE_GFX_BYTES]; /* AMD: gfx target; empty: not AMD */
  struct gc_profile_ids ids;
  uint32_t clock_overhead;
  uint64_t seed, page_seed;
  uint64_t page_bytes; /* 0: physical addresses equal virtual ones */
  enum gc_page_order page_order;
  bool whole_sectors; /* a miss requests a whole sector of its level from the next one */
  struct gc_disturbance disturbance;
  struct gc_clock_habits clock;
  enum gc_own_clock own_clock;
  uint32_t latency_step;     /* latencies of timed loads are multiples of so many cycles */
  uint32_t outstanding_per_warp, outstanding_per_sm; /* lines; 0: no limit */
  double memory_read_gbps, memory_write_gbps;
  double bandwidth_noise;    /* standard deviation between launches, of L2 and memory; a share */
  unsigned unified_line;     /* 0: L1 and shared memory have their own storage */
  uint64_t unified_total;
  unsigned carveout_count;
  uint64_t carveouts[GC_PROFILE_CARVEOUTS_MAX]; /* bytes, ascending */
  unsigned cache_count;
  struct gc_profile_cache caches[GC_PROFILE_CACHES_MAX];
  struct gc_profile_path paths[GC_SPACE_COUNT];
  unsigned tlb_count;
  struct gc_profile_tlb tlbs[GC_PROFILE_TLBS_MAX]; /* nearest first */
};

/* Names of the spaces as profiles write them, indexed by enum gc_space. */
extern const char *const gc_profile_space_names[GC_SPACE_COUNT];

/* Index of the cache with this name, or -ENOENT. */
int gc_profile_find_cache(const struct gc_profile *profile, const char *name);

#endif
