/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A memory hierarchy in software, good enough to be measured: per SM any number of caches behind
 * logical spaces that share or do not share them, a chip-wide L2 (partitions), DRAM; each cache
 * with its own sets, ways, line, sector, replacement and set hash; latency per space and level,
 * noise and outliers. A profile (data/sim/NAME, format in data/sim/README) states geometry and
 * policy, never the answers. Deterministic: the same seed gives the same run.
 */
#ifndef GC_MODEL_MODEL_H
#define GC_MODEL_MODEL_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gc_space {
  GC_SPACE_CA,       /* global load, cached in L1 */
  GC_SPACE_CG,       /* global load, L2 only */
  GC_SPACE_NC,       /* read-only path */
  GC_SPACE_TEXTURE,
  GC_SPACE_CONSTANT,
  GC_SPACE_SHARED,
  GC_SPACE_SCALAR,   /* global load by the scalar unit (AMD) */
  GC_SPACE_INSTRUCTION, /* code: only in profiles that say where it is cached */
  GC_SPACE_COUNT
};

struct gc_model;

/* Facts of the chip that the simulated driver reports; the rest of a profile stays inside the
 * model. */
struct gc_model_facts {
  char model[96];
  uint32_t xcds; /* parts with SMs and an L2 of their own, to which blocks are dealt in turn */
  char broken[32]; /* a kernel that fails, and takes the device with it; empty: none */
  uint32_t sms, warp, clock_khz, memory_clock_khz, memory_bus_bits;
  uint32_t running_clock_khz; /* what the SMs really run at; clock_khz is the highest they could */
  uint32_t compute_major, compute_minor;
  uint32_t threads_per_block, threads_per_sm, blocks_per_sm, registers_per_block, registers_per_sm;
  uint64_t memory_bytes, l2_bytes, shared_per_sm, shared_per_block, shared_reserved, texture_texels;
  bool rotates; /* a block alone in its launch runs on another SM each time */
  bool global_l1, has_texture, has_constant, has_read_only, has_scalar, has_carveout, ecc;
};

/* Parses a profile text. -EINVAL with file name, line number and what is wrong; -ENOMEM. */
int gc_model_new(const char *name, const char *text, size_t length, struct gc_model **model,
                 struct gc_error *err);
void gc_model_free(struct gc_model *model);
const struct gc_model_facts *gc_model_facts(const struct gc_model *model);

/* A kernel starts: L1-class caches are emptied; the unified L1 is sized for this carve-out
 * (percent of the largest shared memory, -1 the driver's default) and for so many resident
 * blocks per SM, each of which takes shared_bytes + shared_reserved. */
void gc_model_launch(struct gc_model *model, int carveout_percent, uint32_t resident_blocks,
                     uint64_t shared_bytes);

/* Which of the caches that an SM has several of the loads from now on go through (0, 1 …, taken
 * modulo their number): a real SM decides that by the warp. */
void gc_model_unit(struct gc_model *model, uint32_t unit);

/* The noise starts again from this seed instead of the profile's, for another run on the same
 * chip. */
void gc_model_seed(struct gc_model *model, uint64_t seed);

/* One load by a thread on an SM; returns its latency in SM cycles, noise and outliers included, and
 * moves the caches. The clock does not advance by itself. */
uint32_t gc_model_load(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address);

/* The same, for loads that nobody times (faster: no noise is drawn). 0 for a space that the profile does
 * not have. */
uint32_t gc_model_touch(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address);

/* The same for `count` addresses, `stride` bytes apart, one after another: the sum of the latencies. */
uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count);

/* Rows of warps, of so many bytes each, many of them under way at once. They move the caches as
 * loads from all lines of the first of them do. Adds to busy[level] for how many cycles they keep each level of the path
 * busy, down to the one where that load ends; the slowest decides how fast they come. From one level
 * to the next go whole sectors. Of what all SMs use together, each has the same part. */
#define GC_MODEL_LEVELS 5
void gc_model_rows(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                   uint32_t bytes, uint32_t rows, bool write, double busy[GC_MODEL_LEVELS]);

/* Another program used the caches of the chip: nothing of ours is left there. */
void gc_model_displace(struct gc_model *model);

/* What disturbs measurements on this chip (noise.h). */
struct gc_disturbance;
const struct gc_disturbance *gc_model_disturbance(const struct gc_model *model);

/* Cycles that reading the clock adds to a timed window. */
uint32_t gc_model_clock_overhead(const struct gc_model *model);

/* Ground truth, for tests only: the usable bytes of the first-level cache behind a space as it is
 * after the last gc_model_launch (0: none), or of the L2 for GC_SPACE_CG. */
uint64_t gc_model_true_capacity(const struct gc_model *model, enum gc_space space);

/* The same for any level of a space's path (0: the first), as one SM sees it: of a cache whose
 * partitions replicate, one partition. 0: the level is no cache, or there is none. */
uint64_t gc_model_true_level(const struct gc_model *model, enum gc_space space, unsigned level);

/* Latency in cycles, without noise, of a load that ends at this level; 0: there is none. */
uint32_t gc_model_true_latency(const struct gc_model *model, enum gc_space space, unsigned level);

/* How fast bytes come from this level: per cycle and SM inside the SM, 10^9 of them per second of the
 * whole chip outside. 0: there is no such level. */
double gc_model_true_bandwidth(const struct gc_model *model, enum gc_space space, unsigned level,
                               bool write);

/* Do these spaces use the same storage at their first level? */
bool gc_model_true_shared(const struct gc_model *model, enum gc_space a, enum gc_space b);

/* Do loads of two SMs go through the same cache at this level? */
bool gc_model_true_mates(const struct gc_model *model, enum gc_space space, unsigned level,
                         uint32_t sm, uint32_t other);

/* What a kernel on this SM (0, 1 …) reads as the number of its SM: not dense where some are switched
 * off. Ascending. */
uint32_t gc_model_sm_id(const struct gc_model *model, uint32_t sm);

/* The SM that block `block` of a launch runs on: XCDs in turn, and SMs in turn on each of them. */
uint32_t gc_model_sm_of_block(const struct gc_model *model, uint32_t block);

#endif
