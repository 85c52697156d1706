/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Filling and emptying L2 and L3 by reading the arena. Offsets and sizes are bytes of the arena.
 */
#ifndef GC_MEASURE_WALK_EVICT_H
#define GC_MEASURE_WALK_EVICT_H

#include "measure/core/measurement.h"

/* A part of the arena that is read through L2, and by which SMs. */
struct gc_read {
  uint64_t offset, bytes;
  uint32_t stride; /* bytes from load to load */
  uint32_t passes;
  uint32_t only_sm; /* the number of an SM; GPU_ANY_SM: all SMs share the reads; GPU_EACH_SM: some
                       SMs of every L2, and each of them reads everything */
};
int gc_read_arena(struct gc_bench *bench, const struct gc_read *read);

/* Reads a part once, by all SMs together. */
int gc_read_by_all(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride);

/* Brings a part of the arena into the L2 of every SM. If there are several L2, all SMs together
 * cannot do that: XCDs get blocks alternately, so each of them would read only every n-th address,
 * and these may belong to few sets. */
int gc_fill_l2(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
               uint32_t passes);

/* Evicts the first half of the arena from L2, or less of it if memory is scarce (gc_cold_bytes).
 * Reading as much as the L2 holds once or twice is not enough: an H200 then still has half of the
 * lines that were read often (none after 4 times). */
int gc_empty_l2(struct gc_bench *bench);

/* The arena that gc_empty_l2 and gc_empty_caches need. */
gc_step_needs gc_needs_cold_l2, gc_needs_cold;

/* Bytes at the start of the arena for rings that shall be in no cache. The rest of the arena is
 * larger than all caches together; reading it evicts the rings (gc_empty_caches). */
uint64_t gc_cold_bytes(const struct gc_bench *bench);
int gc_empty_caches(struct gc_bench *bench);

#endif
