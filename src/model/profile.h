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
#define GC_PROFILE_TLB_SETS_MAX 64 /* of unequal sizes */
#define GC_PROFILE_LEVELS_MAX 5
#define GC_PROFILE_CARVEOUTS_MAX 16
#define GC_PROFILE_RANGES_MAX 128
#define GC_PROFILE_GFX_BYTES 16
#define GC_PROFILE_SMS_MAX 4096
#define GC_PROFILE_GPCS_MAX 64
#define GC_PROFILE_MEMORY (-1) /* the level is not a cache but DRAM, or shared memory itself */

/* Which SMs share an instance of a cache: one SM, the SMs of a range of sm_ids, of a group, of a
 * GPC or a part of it, of an XCD, or all. From near to far. */
enum gc_scope {
  GC_SCOPE_SM,
  GC_SCOPE_RANGE,
  GC_SCOPE_GROUP,
  GC_SCOPE_GPC,
  GC_SCOPE_XCD,
  GC_SCOPE_CHIP
};

/* The levels whose latencies and bandwidths do not depend on the SM clock. */
enum gc_own_clock { GC_OWN_CLOCK_NONE, GC_OWN_CLOCK_MEMORY, GC_OWN_CLOCK_L2 };

/* What a store does that this cache has the line of, or brings it into. */
enum gc_store_policy {
  GC_STORE_DEFAULT, /* inside the SM: through; outside: back */
  GC_STORE_THROUGH,
  GC_STORE_BACK
};

/* What a store brings into the cache: nothing, the sectors that it fills, or the whole line. */
enum gc_store_allocates {
  GC_STORE_ALLOCATES_DEFAULT, /* inside the SM: nothing; outside: sectors */
  GC_STORE_ALLOCATES_NONE,
  GC_STORE_ALLOCATES_SECTOR,
  GC_STORE_ALLOCATES_LINE
};

/* Loads take up to `cycles` longer while less than `share` of the bandwidth is used. */
struct gc_profile_idle {
  uint32_t cycles;
  double share;
};

struct gc_profile_cache {
  char name[24];
  unsigned line_number;        /* of its section, for messages */
  enum gc_scope scope;
  uint32_t group;              /* scope group: number of SMs that share one; scope gpc: the same,
                                  0: all SMs of the GPC */
  uint32_t instances;          /* scope sm: independent caches in an SM */
  bool unified;                /* its size is the total less the carve-out */
  uint64_t size, lost;         /* bytes; lost: the part that is never usable */
  uint64_t tags;               /* scope sm: bytes of the lines that the sets have ways for; 0: those
                                  that are usable */
  uint32_t partitions;         /* scope chip: number of equal parts, each near to some SMs */
  bool replicate;              /* the near part keeps a copy of lines from far parts */
  uint32_t partition_sms;      /* number of adjacent SMs that are near to the same part */
  unsigned gpc_part_count;     /* of gpc_parts; 0: partition_sms counts */
  uint8_t gpc_parts[GC_PROFILE_GPCS_MAX]; /* the part that each GPC is near to */
  bool emptied;                /* outside the SMs: a kernel that starts finds it empty */
  uint32_t far_cycles;         /* additional latency of a hit in a far part */
  uint64_t side_mask;          /* two parts: the parity of these address bits is the home of a line;
                                  0: all bits are mixed */
  uint64_t side_and; /* the home is the other part where all these bits are 1; 0: nowhere */
  uint32_t slices;             /* scope chip: of all parts together; 0: they are not modelled */
  double slice_read;           /* bytes per cycle that a slice delivers; 0: no limit */
  double read_gbps, write_gbps; /* scope chip: 10^9 bytes per second in total */
  uint32_t queue;               /* cycles: queue.c */
  struct gc_profile_idle idle;  /* queue.c */
  enum gc_store_policy write;
  enum gc_store_allocates write_allocate;
  bool compete;                 /* SMs that share it load at the same time */
  struct gc_cache_shape shape;
};

/* A TLB: a cache whose lines are the ranges of virtual addresses that one entry translates. */
struct gc_profile_tlb {
  struct gc_profile_cache cache; /* name, scope and shape */
  uint64_t entries;
  uint32_t penalty;              /* cycles that a miss adds */
  uint32_t set_count;            /* 0: all sets have shape.ways entries */
  uint32_t set_entries[GC_PROFILE_TLB_SETS_MAX]; /* of each set, if they differ */
};

struct gc_profile_level {
  int cache;         /* index of the cache, or GC_PROFILE_MEMORY */
  uint32_t cycles;   /* latency of a load that hits here while no others read */
  double jitter;     /* its standard deviation, cycles */
};

/* Which warp of an SM may make its loads next if they pile up (warps.c). */
enum gc_order {
  GC_ORDER_NONE,     /* the profile does not state it */
  GC_ORDER_OLDEST,   /* one of the oldest block */
  GC_ORDER_YOUNGEST, /* one of the youngest block */
  GC_ORDER_IN_TURN,  /* the one that has had its data for the longest time */
  GC_ORDER_READY,    /* the one that has had its data for the shortest time */
};

struct gc_profile_path {
  unsigned line_number; /* 0: this space does not exist */
  unsigned count;       /* levels; a load always hits in the last one */
  struct gc_profile_level levels[GC_PROFILE_LEVELS_MAX];
  bool other_hash; /* these loads choose the set of the first cache by its other hash */
  enum gc_order order;
  uint32_t waiting; /* loads of an SM in front of the first cache, at most; 0: none has to wait */
  /* Bytes per cycle and SM, for the levels inside the SM. */
  double read_rates[GC_PROFILE_LEVELS_MAX], write_rates[GC_PROFILE_LEVELS_MAX];
};

/* The banks of shared memory. */
struct gc_profile_banks {
  unsigned line_number; /* 0: the profile does not state them */
  uint32_t count;
  uint32_t width;      /* bytes that a bank delivers at once, from one of its rows */
  uint32_t interleave; /* adjacent bytes in one bank */
  uint32_t conflict;   /* cycles that each further row of a bank adds to a load */
};

/* Atomic operations that return the old value. */
struct gc_profile_atomics {
  unsigned line_number;
  uint32_t shared_cycles, l2_cycles; /* latencies; 0: as of a load that hits */
  uint32_t l2_far; /* additional latency in a far partition; 0: as of a load */
  double shared_rate, l2_rate;       /* operations on one word for each cycle: of an SM; of all */
};

/* Bulk copies from global to shared memory. */
struct gc_profile_bulk {
  unsigned line_number; /* 0: there are none */
  uint32_t cycles;      /* latency of a short copy that L2 has */
  double rate;          /* bytes for each cycle of an SM */
};

/* The numbers of the SMs: ranges, which repeat `times` times, each time `step` higher. */
struct gc_profile_ids {
  unsigned count; /* 0: the numbers are 0, 1, 2 … */
  struct {
    uint32_t first, last;
  } ranges[GC_PROFILE_RANGES_MAX];
  uint64_t times, step;
};

/* The GPCs, and which clusters of blocks their SMs take. */
struct gc_profile_gpcs {
  unsigned count;                  /* 0: the profile does not state them */
  uint16_t of[GC_PROFILE_SMS_MAX]; /* by SM: the number of its GPC + 1; 0: in none */
  bool lone[GC_PROFILE_SMS_MAX];   /* by SM: its TPC takes only clusters that fit in it */
  uint32_t tpc_sms;                /* SMs of a TPC, which are adjacent */
  uint32_t remote_cycles;          /* latency of shared memory of another SM in the cluster */
  uint32_t remote_spread;          /* by how much pairs of SMs differ, cycles */
};

struct gc_profile {
  struct gc_model_facts facts;
  struct gc_profile_gpcs gpcs;
  char gfx[GC_PROFILE_GFX_BYTES]; /* AMD: gfx target; empty: not AMD */
  struct gc_profile_ids ids;
  uint32_t clock_overhead;
  uint32_t sm_spread; /* by how much SMs differ in latencies outside the SM, cycles */
  uint64_t seed, page_seed;
  uint64_t page_bytes; /* 0: physical addresses equal virtual ones */
  enum gc_page_order page_order;
  bool whole_sectors; /* a miss requests a whole sector of its level from the next one */
  struct gc_disturbance disturbance;
  struct gc_clock_habits clock;
  enum gc_own_clock own_clock;
  uint32_t latency_step;     /* latencies of timed loads are multiples of so many cycles */
  uint32_t outstanding_per_warp, outstanding_per_sm; /* lines; 0: no limit */
  uint32_t miss_cycles, load_cycles; /* between lines that an SM requests, and loads of a warp */
  uint32_t miss_bytes; /* of lines that an SM requests in a cycle, at most; 0: no limit */
  double memory_read_gbps, memory_write_gbps;
  uint32_t memory_queue;     /* cycles: queue.c */
  struct gc_profile_idle memory_idle; /* queue.c */
  double bandwidth_noise;    /* standard deviation between launches, of L2 and memory; a share */
  unsigned unified_line;     /* 0: L1 and shared memory have their own storage */
  uint64_t unified_total;
  unsigned carveout_count;
  uint64_t carveouts[GC_PROFILE_CARVEOUTS_MAX]; /* bytes, ascending */
  unsigned cache_count;
  struct gc_profile_cache caches[GC_PROFILE_CACHES_MAX];
  struct gc_profile_path paths[GC_SPACE_COUNT];
  struct gc_profile_banks banks;
  struct gc_profile_atomics atomics;
  struct gc_profile_bulk bulk;
  unsigned tlb_count;
  struct gc_profile_tlb tlbs[GC_PROFILE_TLBS_MAX]; /* nearest first */
  struct gc_profile_tlb host_tlb; /* of pages of the host; cache.line_number 0: there is none */
};

/* Names of the spaces as profiles write them, indexed by enum gc_space. */
extern const char *const gc_profile_space_names[GC_SPACE_COUNT];

/* Index of the cache with this name, or -ENOENT. */
int gc_profile_find_cache(const struct gc_profile *profile, const char *name);

#endif
