/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a profile says, read and checked; the format is documented in data/sim/README. Nothing here
 * knows how the model works, and the model knows nothing of text.
 */
#ifndef GC_MODEL_PROFILE_H
#define GC_MODEL_PROFILE_H

#include "model/cache.h"
#include "model/model.h"

#define GC_PROFILE_CACHES_MAX 12
#define GC_PROFILE_LEVELS_MAX 5
#define GC_PROFILE_CARVEOUTS_MAX 16
#define GC_PROFILE_RANGES_MAX 128
#define GC_PROFILE_GFX_BYTES 16
#define GC_PROFILE_MEMORY (-1) /* level: not a cache but DRAM, or the shared memory itself */

/* How many of a cache there are: the SMs of a range of sm_ids, of a group, of an XCD, or of the chip use
 * the same. From near to far. */
enum gc_scope { GC_SCOPE_SM, GC_SCOPE_RANGE, GC_SCOPE_GROUP, GC_SCOPE_XCD, GC_SCOPE_CHIP };

struct gc_profile_cache {
  char name[24];
  unsigned line_number;        /* of its section, for messages */
  enum gc_scope scope;
  uint32_t group;              /* SMs that share one, scope group */
  uint32_t instances;          /* independent ones in an SM, scope SM */
  bool unified;                /* size is what the carve-out leaves */
  uint64_t size, lost;         /* bytes; lost: never usable */
  uint32_t partitions;         /* scope chip: so many equal parts, each near to some SMs */
  bool replicate;              /* a line from a far part is kept in the near one too */
  uint32_t partition_sms;      /* SMs in a row that are on the same side */
  uint32_t far_cycles;         /* what a hit in a far part takes more */
  double read_gbps, write_gbps; /* scope chip: 10^9 bytes per second in all */
  struct gc_cache_shape shape;
};

struct gc_profile_level {
  int cache;         /* index of the cache, or GC_PROFILE_MEMORY */
  uint32_t cycles;   /* latency of a load that ends here */
  double jitter;     /* its standard deviation, cycles */
};

struct gc_profile_path {
  unsigned line_number; /* 0: this space does not exist */
  unsigned count;       /* levels; the last one always answers */
  struct gc_profile_level levels[GC_PROFILE_LEVELS_MAX];
  /* Bytes per cycle and SM of the levels inside the SM. */
  double read_rates[GC_PROFILE_LEVELS_MAX], write_rates[GC_PROFILE_LEVELS_MAX];
};

/* Which numbers the SMs have: ranges, and all of them again `times` times, each `step` further. */
struct gc_profile_ids {
  unsigned count; /* 0: 0, 1, 2 … */
  struct {
    uint32_t first, last;
  } ranges[GC_PROFILE_RANGES_MAX];
  uint64_t times, step;
};

struct gc_profile {
  struct gc_model_facts facts;
  char gfx[GC_PROFILE_GFX_BYTES]; /* AMD: target of its code; empty: not AMD */
  struct gc_profile_ids ids;
  uint32_t clock_overhead;
  uint64_t seed;
  struct gc_disturbance disturbance;
  double memory_read_gbps, memory_write_gbps;
  double bandwidth_noise;    /* of L2 and memory, from launch to launch: a share of it */
  unsigned unified_line;     /* 0: L1 and shared memory have their own storage */
  uint64_t unified_total;
  unsigned carveout_count;
  uint64_t carveouts[GC_PROFILE_CARVEOUTS_MAX]; /* bytes, ascending */
  unsigned cache_count;
  struct gc_profile_cache caches[GC_PROFILE_CACHES_MAX];
  struct gc_profile_path paths[GC_SPACE_COUNT];
};

/* Names of the spaces as profiles write them, indexed by enum gc_space. */
extern const char *const gc_profile_space_names[GC_SPACE_COUNT];

/* Reads a profile (keys.c says which keys there are). name is for messages. 0, or -EINVAL with
 * "NAME:LINE: what is wrong". */
int gc_profile_parse(const char *name, const char *text, size_t length, struct gc_profile *profile,
                     struct gc_error *err);

/* check.c: does what was read make sense together? The same errors. Also fills the facts that
 * follow from the rest (global_l1, has_texture …, l2_bytes, shared_per_sm). */
int gc_profile_check(const char *name, struct gc_profile *profile, struct gc_error *err);

#endif
