/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hash that chooses a set, if it is linear over bits: each bit of the number of a set is the
 * parity of some address bits. Two addresses are in the same set exactly if the hash of their
 * exclusive or is 0. So the exclusive ors of addresses that are known to share a set span the
 * kernel of the hash, and the hash is what vanishes on all of them. Pure functions.
 */
#ifndef GC_MEASURE_STRUCTURE_INDEX_H
#define GC_MEASURE_STRUCTURE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_INDEX_BITS_MAX 32

struct gc_set_masks {
  uint32_t count;                    /* bits of the number of a set */
  uint64_t masks[GC_INDEX_BITS_MAX]; /* of address bits; ascending by their lowest bit, which no
                                        other mask has */
};

/* Vectors that span a space: bit b of one is an address bit. */
struct gc_span {
  uint32_t count;
  uint64_t vectors[64];
};

/* Adds a vector, unless the others span it already. */
void gc_span_add(struct gc_span *span, uint64_t vector);

/* The hash of address bits low to high - 1 that vanishes on the span. */
void gc_index_find(const struct gc_span *kernel, unsigned low, unsigned high,
                   struct gc_set_masks *index);

/* The number of an address's set. */
uint32_t gc_index_set(const struct gc_set_masks *index, uint64_t address);

#endif
