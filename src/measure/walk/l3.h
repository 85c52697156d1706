/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * L3 (AMD: Infinity Cache, MALL) lies between L2 and device memory and serves the whole GPU. All
 * SMs together read an array, in order. Then one SM times single lines of the part that was read
 * first. Before that, all XCDs read the end of the array once more, so that L2 keeps only this end.
 * So the timed loads end in L3 or, if the array does not fit, in memory. Arrays begin where the
 * arena begins.
 */
#ifndef GC_MEASURE_WALK_L3_H
#define GC_MEASURE_WALK_L3_H

#include "measure/core/measurement.h"

#define GC_L3_LINE 128u /* bytes: slots of a ring are a prime multiple of it apart */
#define GC_L3_SLOT 8u   /* bytes that a slot takes */
#define GC_L3_RINGS (GC_L3_LINE / GC_L3_SLOT) /* rings that can exist at the same time */
/* A timed ring lies in the first half of its array: its size divided by this. */
#define GC_L3_EARLY 2
/* The least size of an array, in L2s. Its end, which L2 keeps, is then in its second half. */
#define GC_L3_LEAST_L2S 4
#define GC_L3_TOO_SMALL "it is too small to be seen behind the L2"

struct gc_l3_ring {
  uint64_t start;  /* address of the first slot */
  uint64_t stride; /* bytes between neighbouring slots; the ring visits them in scattered order */
};

/* Lays ring `number`, below GC_L3_RINGS, with `slots` slots in the first `bytes` of the arena. The
 * stride is no power of two. Rings with different numbers share no slot and almost no line. */
int gc_l3_lay_ring(struct gc_bench *bench, size_t number, uint64_t bytes, uint64_t slots,
                   struct gc_l3_ring *ring);

/* Bytes between the loads that read an array: the fetch granularity of the L2. */
uint32_t gc_l3_read_stride(const struct gc_results *results);

/* Reads an array of `bytes` bytes from offset `from` on. Afterwards L2 keeps only the end of the
 * array. */
int gc_l3_read_array(struct gc_measurement *m, uint64_t from, uint64_t bytes);

#endif
