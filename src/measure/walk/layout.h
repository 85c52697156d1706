/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains that the host lays slot by slot, for what regular rings cannot do: slots at random places,
 * so that the mapping of addresses to sets does not matter, and slots that differ in one address
 * bit.
 */
#ifndef GC_MEASURE_WALK_LAYOUT_H
#define GC_MEASURE_WALK_LAYOUT_H

#include "measure/core/bench.h"
#include "measure/walk/path.h"

#define GC_SLOT 8u /* bytes of a slot, in every address space */

/* An image of the start of the arena, or of the bank of constants. The offset in it identifies a
 * slot. */
struct gc_layout {
  struct gc_bench *bench;
  enum gc_address_space space;
  uint64_t bytes;
  uint64_t random; /* state of the generator; starts the same in every run */
  unsigned char *image;
  bool *taken; /* [bytes / GC_SLOT] */
};

/* bytes is reduced to what the address space can have. Not for shared memory. The memory
 * is that of the step. 0 or -ENOMEM. */
int gc_layout_open(struct gc_layout *layout, struct gc_bench *bench, enum gc_address_space space,
                   uint64_t bytes);

/* Frees all slots. The random numbers go on, so that the next chains differ. */
void gc_layout_clear(struct gc_layout *layout);

/* A random number below n > 0. */
uint32_t gc_layout_random(struct gc_layout *layout, uint32_t n);

/* 0 to n - 1 in random order. */
void gc_layout_shuffle(struct gc_layout *layout, uint32_t *order, uint32_t n);

/* Takes a random free slot in the block [start, start + bytes), and the slot whose offset differs
 * from it by the bit `flip` (0: only one slot). Both must be free. bytes is a power of two, start a
 * multiple of it. UINT64_MAX: no such slot is free. */
uint64_t gc_layout_take(struct gc_layout *layout, uint64_t start, uint32_t bytes, uint32_t flip);

/* Makes slot `to` the successor of slot `from` in the chain. */
void gc_layout_link(struct gc_layout *layout, uint64_t from, uint64_t to);

int gc_layout_upload(struct gc_layout *layout);

#endif
