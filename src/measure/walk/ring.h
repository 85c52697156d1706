/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings of slots that a p-chase follows, in the arena, the texture or the bank of constants.
 */
#ifndef GC_MEASURE_WALK_RING_H
#define GC_MEASURE_WALK_RING_H

#include "measure/core/bench.h"
#include "measure/walk/path.h"

/* The most bytes that a ring of this address space can have. */
uint64_t gc_ring_limit(const struct gc_bench *bench, enum gc_address_space space);

/* Lays a ring of bytes / stride slots at the start of its address space: in order (multiplier 1) or
 * scattered (multiplier coprime to the number of slots). Does nothing for shared memory, where
 * kernels lay the ring. */
int gc_ring_lay(struct gc_bench *bench, enum gc_address_space space, uint64_t bytes,
                uint32_t stride, uint64_t multiplier);

/* The address `offset` bytes into the address space, as kernels expect it (kernels/args.h). */
uint64_t gc_ring_address(const struct gc_bench *bench, enum gc_address_space space,
                         uint64_t offset);

/* A multiplier that is coprime to count and near count times the golden ratio: with it a ring
 * visits its slots in scattered order. _other: further such multipliers, between a quarter and
 * three quarters of count; 0 is the first one. */
uint64_t gc_ring_scatter(uint64_t count);
uint64_t gc_ring_scatter_other(uint64_t count, uint64_t which);
/* The smallest multiplier from `least` on that is coprime to count. */
uint64_t gc_ring_step(uint64_t count, uint64_t least);

/* The distance of slots, in bytes, of a ring that extends through nearly all of `bytes`. It is a
 * prime number of lines: hardware chooses channels and sets by remainders, and a distance with a
 * factor in common with their number would use only few of them. */
uint64_t gc_ring_stride(uint64_t bytes, uint64_t slots, uint64_t line);

#endif
