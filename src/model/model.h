/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A memory hierarchy in software that can be measured like a GPU. An SM has any number of caches.
 * Logical spaces (L1, texture, constant and so on) share caches or have their own. Behind them are
 * an L2, which may have partitions, and DRAM. Each cache has its own sets, ways, line, sector,
 * replacement and set hash. Each level of a space has a latency with noise and outliers.
 *
 * A profile states geometry and policy, never the answers (data/sim/NAME; data/sim/README documents
 * the format). The model is deterministic: the same seed gives the same run. A model may be used by
 * one thread at a time.
 */
#ifndef GC_MODEL_MODEL_H
#define GC_MODEL_MODEL_H

#include "model/facts.h"
#include "util/error.h"

struct gc_model;

/* Makes a model from the text of a profile. name: for messages. -EINVAL with "NAME:LINE: what is
 * wrong", or -ENOMEM; then *model is NULL. */
int gc_model_new(const char *name, const char *text, size_t length, struct gc_model **model,
                 struct gc_error *err);
void gc_model_free(struct gc_model *model); /* NULL is fine */

/* Valid as long as the model. */
const struct gc_model_facts *gc_model_facts(const struct gc_model *model);

/* An allocation of device memory begins at `base`, a multiple of 2 MiB, or is released. Where its
 * pages lie is drawn from the profile's page_seed. 0 or -ENOMEM. */
int gc_model_map(struct gc_model *model, uint64_t base, uint64_t bytes);
void gc_model_unmap(struct gc_model *model, uint64_t base);
/* Behind the `span` addresses from `base` on, the same `bytes` bytes (a power of two) lie again and
 * again. gc_model_unmap releases them. */
int gc_model_alias(struct gc_model *model, uint64_t base, uint64_t bytes, uint64_t span);

/* A kernel starts. This empties the caches that do not survive a launch, which includes all inside
 * the SMs, and sets the size of the unified L1.
 * carveout_percent: of the largest shared memory; -1: the driver's default. Each of the resident
 * blocks of an SM takes shared_bytes + shared_reserved. */
void gc_model_launch(struct gc_model *model, int carveout_percent, uint32_t resident_blocks,
                     uint64_t shared_bytes);

/* Selects the cache for later loads if an SM has several (modulo their number). On a real SM the
 * warp determines it. */
void gc_model_unit(struct gc_model *model, uint32_t unit);

/* Restarts the random numbers with this seed instead of the profile's, for another run on the same
 * chip. */
void gc_model_seed(struct gc_model *model, uint64_t seed);

/* From now on, loads of device memory take so many cycles longer. */
void gc_model_delay_memory(struct gc_model *model, uint32_t cycles);

/* One load on an SM. Returns its latency in SM cycles, with noise and outliers, and changes the
 * caches. Does not advance the clock. */
uint32_t gc_model_load(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address);

/* The same for untimed loads, without noise, which is faster. 0 for a space that the profile does
 * not have. */
uint32_t gc_model_touch(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address);

/* The same for `count` addresses, `stride` bytes apart, in order. Returns the sum of the
 * latencies. */
uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count);

/* Whether more passes of untimed loads over the same addresses, in the same order, would take as
 * many cycles each as the last one, and leave the caches as they are. `passes` of them have been
 * made, one after another. loads, cycles: of the last one. */
bool gc_model_repeats(const struct gc_model *model, enum gc_space space, uint32_t passes,
                      uint64_t loads, uint64_t cycles);

/* A store of `bytes` adjacent bytes by a warp. It changes the caches on the path as their write
 * policy says. */
void gc_model_store(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                    uint32_t bytes);

/* The same at the first level of the path only. Whether the next level does not get the store, at
 * least not yet. */
bool gc_model_store_first(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                    uint32_t bytes);

/* Whether the first cache of the path writes back, and is inside the SMs: then other SMs do not see
 * stores before the kernel ends. */
bool gc_model_holds_stores(const struct gc_model *model, enum gc_space space);

/* Rows of `count` warps of an SM, `bytes` bytes each, many of them in flight at once. */
#define GC_ROWS_MAX 8
struct gc_rows {
  uint32_t sm;
  enum gc_space space;
  uint64_t address; /* of the first row of the first warp */
  uint32_t bytes, count;
  bool write;
  uint32_t flight; /* how many of a warp are in flight at once; 0 counts as 1 */
  uint32_t more;   /* each warp moves so many more rows, behind its first one; below GC_ROWS_MAX */
  uint32_t readers; /* so many SMs do the same, and each waits for its rows (queue.c); 0: all do,
                       and have so many rows in flight as the slowest level can use */
};

/* Moves rows. They change the caches as loads from all lines of the first row do. Adds to
 * busy[level] the cycles for which they keep each level of the path busy, down to the level where
 * the load hits; the slowest level determines the bandwidth. Whole sectors go from one level to the
 * next. Every SM has the same share of the levels that all SMs use. */
#define GC_MODEL_LEVELS 5
/* The last one: how long the SM waits because it can wait for so many lines only. */
#define GC_MODEL_BUSY (GC_MODEL_LEVELS + 1)
void gc_model_rows(struct gc_model *model, const struct gc_rows *rows, double busy[GC_MODEL_BUSY]);

/* A part of a sweep: adjacent bytes that an SM reads or stores. */
struct gc_swept {
  uint32_t sm;
  enum gc_space space; /* its first cache is outside the SMs */
  uint64_t address, bytes; /* multiples of the longest line */
  bool write;
};

/* Reads or stores all lines. Stores follow the write policy of each cache. A stored line is written
 * to the next level when it is replaced. Returns the cycles for which the busiest level has been
 * busy since the launch began, with the sweeps of all SMs: they share the bandwidth. */
double gc_model_sweep(struct gc_model *model, const struct gc_swept *sweep);

/* Memory of the host. host: an index of facts.hosts. The latency of a load and of an atomic
 * operation by an SM; the cycles for which the way there has been busy with sweeps by all SMs since
 * the launch began; and the nanoseconds that a copy to the GPU, from it, or both at once take. */
uint32_t gc_model_host_load(struct gc_model *model, uint32_t host, uint32_t sm, uint64_t address);
uint32_t gc_model_host_atomic(struct gc_model *model, uint32_t host, uint32_t sm, uint64_t address);
double gc_model_host_sweep(struct gc_model *model, uint32_t host, uint64_t bytes, bool write);
double gc_model_host_copy(struct gc_model *model, uint32_t host, uint64_t to_gpu, uint64_t from_gpu);

#define GC_MODEL_LINE 128

/* An SM reads a line of GC_MODEL_LINE bytes that L2 has, while other SMs do the same. Returns the
 * latency of the load without noise. *busy: the cycles for which L2, or the slice of the line, has
 * been busy with such reads since the launch began. */
uint32_t gc_model_read_line(struct gc_model *model, uint32_t sm, uint64_t address, double *busy);

/* A load of 4 bytes of shared memory by every lane of a warp: lane i from (i & mask) * stride. */
struct gc_lanes {
  uint32_t mask, stride;
};
/* Its latency without noise, which depends on the banks; and such a latency with noise. */
uint32_t gc_model_lanes_cycles(const struct gc_model *model, const struct gc_lanes *lanes);
uint32_t gc_model_lanes(struct gc_model *model, uint32_t cycles);

/* An atomic operation of one lane that returns the old value, in shared memory (GC_SPACE_SHARED) or
 * in L2 (GC_SPACE_CG). Returns its latency with noise. */
uint32_t gc_model_atomic(struct gc_model *model, uint32_t sm, enum gc_space space,
                         uint64_t address);

/* Until the end of the launch, other SMs keep so many atomic operations on the line at this address
 * under way. Those on other lines of its slice wait for them. */
void gc_model_occupy(struct gc_model *model, uint64_t address, uint32_t operations);

/* The cycles that `lanes` atomic operations of one SM on one word take while many are under way;
 * `sms` SMs do the same. */
double gc_model_atomics(const struct gc_model *model, enum gc_space space, uint32_t lanes,
                        uint32_t sms);
/* `loads` independent loads, `stride` bytes apart, by the warps of an SM in turn. All lanes load the
 * same word, or words that are lane_stride bytes apart. */
struct gc_independent {
  uint32_t sm;
  enum gc_space space;
  uint64_t address, stride, lane_stride;
  uint32_t loads, warps;
};

/* Makes these loads. Returns the cycles until the last one has arrived. Lines are requested one after
 * the other, and each one that leaves the SM takes a place among the outstanding lines of its warp
 * and of the SM. If none is free it waits until an earlier one arrives; warps that have a place
 * continue. */
uint64_t gc_model_independent(struct gc_model *model, const struct gc_independent *loads);

/* Blocks of one SM that repeat loads, all of them hits in L1, at the same time: each warp makes
 * `loads` loads, waits for all of them, and does so again. Lanes load words that are lane_stride
 * bytes apart. */
#define GC_SHARES_QUEUE_MAX 1024 /* loads in front of L1 */
#define GC_SHARES_WARPS_MAX 64
struct gc_shares {
  uint32_t sm, blocks, warps; /* warps: of each block; at most GC_SHARES_WARPS_MAX in all */
  uint32_t loads;
  uint64_t lane_stride;
  const uint64_t *begin; /* by block, the oldest one first: when it begins, cycles */
  uint64_t from, until;  /* of the time that counts */
  uint32_t *counts;      /* by block: how often the loads of its warps have arrived meanwhile */
};

/* Fills counts. */
void gc_model_shares(struct gc_model *model, const struct gc_shares *shares);

/* The wall clock, in ns, when the SM clock has counted so many cycles. */
uint64_t gc_model_wall(struct gc_model *model, uint64_t cycles);

/* Whether the SM clock wanders. */
bool gc_model_wanders(const struct gc_model *model);

/* Later loads are made at that time. It matters if the SM clock changes and other levels have a
 * clock of their own. */
void gc_model_time(struct gc_model *model, uint64_t cycles);

/* true: the blocks of this launch run at the same time on a real GPU, so SMs that share a cache
 * disturb each other there. false, which gc_model_launch sets: its blocks run one after another on a
 * real GPU, too. */
void gc_model_compete(struct gc_model *model, bool compete);

/* Empties the caches outside the SMs and the TLBs, as if another program had used them. */
void gc_model_displace(struct gc_model *model);

/* The disturbances of this chip (noise.h); valid as long as the model. */
struct gc_disturbance;
/* A random bit, for the disturbances of a launch. */
bool gc_model_coin(struct gc_model *model);

const struct gc_disturbance *gc_model_disturbance(const struct gc_model *model);

/* Cycles that a clock read adds to a timed load. */
uint32_t gc_model_clock_overhead(const struct gc_model *model);

/* The number that a kernel on this SM (0, 1 …) reads as the number of its SM. Ascending, with gaps
 * where SMs are disabled. */
uint32_t gc_model_sm_id(const struct gc_model *model, uint32_t sm);

/* The SM that runs this block of a launch. The XCDs get blocks alternately, and so do the SMs of
 * each XCD. */
uint32_t gc_model_sm_of_block(const struct gc_model *model, uint32_t block);

/* The SMs that run cluster number `cluster` of a launch, for each of its `size` blocks. The GPCs
 * get clusters alternately, and in each GPC a cluster gets the SMs behind those of the one before.
 * Returns false if no GPC can take a cluster of that size. */
bool gc_model_sms_of_cluster(const struct gc_model *model, uint32_t cluster, uint32_t size,
                             uint32_t *sms);

/* The cycles of a load from the shared memory of another SM of the cluster. */
uint32_t gc_model_remote(struct gc_model *model, uint32_t sm, uint32_t other);

/* A bulk copy of so many bytes to the shared memory of this SM. Returns its latency, without the
 * cycles for which it keeps the copy engine of the SM busy: *busy. */
uint32_t gc_model_bulk(struct gc_model *model, uint32_t sm, uint64_t address, uint32_t bytes,
                       double *busy);

#endif
