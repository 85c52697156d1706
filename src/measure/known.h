/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel driver's tables say of the caches of this GPU (struct gc_gpu, known), as far as
 * measurements need it: how many L2 there are, whether there is an L3, and how much memory it takes to push
 * all of them out. Says 0, or 1 for a number of caches, where the tables say nothing.
 */
#ifndef GC_MEASURE_KNOWN_H
#define GC_MEASURE_KNOWN_H

#include "measure/bench.h"

/* A number that the tables state of an element; 0: none. */
uint64_t gc_known_u64(const struct gc_record *known, enum gc_kind kind, const char *key);

/* Fills in what properties leave open: l2_bytes, l2_count, l3_bytes. */
void gc_complete_properties(struct gc_properties *properties, const struct gc_record *known);

/* All L2 caches together. */
uint64_t gc_all_l2_bytes(const struct gc_bench *bench);

/* So many bytes of the arena, from offset on, come into the L2 of every SM; one load every `stride` bytes.
 * Where there are several L2, what all SMs read together is no good for that: blocks are dealt to XCDs in
 * turn, and each of these gets only every so many addresses, which may be in few sets. */
int gc_fill_l2(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
               uint32_t passes);

/* How much of the arena, from its start, is for rings whose lines lie in no cache; what follows is larger
 * than all caches together and is read to push them out: gc_empty_caches. */
uint64_t gc_cold_room(const struct gc_bench *bench);
int gc_empty_caches(struct gc_bench *bench);

/* Bytes of device memory that are read round and round without finding anything that a cache kept of the round
 * before, at least; and how many of `room` such a walk takes, 0: these are too few. */
uint64_t gc_walk_enough(const struct gc_bench *bench);
uint64_t gc_walk_bytes(const struct gc_bench *bench, uint64_t room);

#endif
