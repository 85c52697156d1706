/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * L3 (AMD: Infinity Cache, MALL) lies between L2 and device memory and serves the whole GPU. All
 * SMs read an array in order, one piece per launch. Then all XCDs read its end once more, so that
 * L2 keeps only this end. Then one SM times single lines of the part that was read first. So the
 * timed loads end in L3 or, if the array does not fit, in memory. Arrays begin where the arena
 * begins.
 *
 * The timed lines are far apart, so a load may have to wait for the translation of its address (a
 * TLB miss). So the slots of a ring come in pairs: the first load of a pair brings in the
 * translation and does not count; the second one is in another line of the same page, which L2
 * did not fetch with the first one, if it is known how much L2 fetches.
 */
#ifndef GC_MEASURE_WALK_L3_H
#define GC_MEASURE_WALK_L3_H

#include "measure/core/measurement.h"
#include "measure/raw/run.h"
#include "measure/walk/beside.h"

#define GC_L3_LINE 128u /* bytes: pairs of a ring are a prime multiple of it apart */
#define GC_L3_SLOT 8u   /* bytes that a slot takes */
#define GC_L3_RINGS (GC_L3_LINE / GC_L3_SLOT) /* most rings that can exist at the same time */
#define GC_L3_PAIRS_MAX 8192u
/* A timed ring lies in the first half of its array: its size divided by this. */
#define GC_L3_EARLY 2
/* The least size of an array, in L2s. Its end, which L2 keeps, is then in its second half. */
#define GC_L3_LEAST_L2S 4
#define GC_L3_TOO_SMALL "it is too small to be seen behind the L2"

/* Capacities are multiples of this: the nominal size divided by GC_L3_STEPS. */
#define GC_L3_STEPS 256
uint32_t gc_l3_step(const struct gc_properties *properties);

struct gc_l3_ring {
  uint64_t start;  /* address of the first slot of the pair at the lowest address */
  uint64_t stride; /* bytes between neighbouring pairs; the ring visits them in scattered order */
  uint64_t apart;  /* bytes from the first slot of a pair to the second */
  uint64_t pairs;
};

/* Lays ring `number`, below GC_L3_RINGS, with this many pairs at most in the first `bytes` of the
 * arena. The stride is no power of two. Rings with different numbers share no slot. In a small
 * array, there are fewer pairs. */
int gc_l3_lay_ring(struct gc_measurement *m, size_t number, uint64_t bytes, uint64_t most,
                   struct gc_l3_ring *ring);

/* How many rings of the same size, numbered from 0, share no counted line. At least 1. */
size_t gc_l3_rings(const struct gc_results *results, uint64_t bytes, uint64_t pairs);

/* One SM walks `pairs` pairs of the ring, up to GC_L3_PAIRS_MAX, from the from-th one on, after
 * `warm` pairs that are not timed. cycles[*n]: raw cycles of the loads that count, in order. A pair
 * that extends over the end of a page does not count. */
int gc_l3_time(struct gc_bench *bench, const struct gc_l3_ring *ring, uint64_t from, uint32_t warm,
               uint32_t pairs, uint32_t *cycles, size_t *n);

/* The same for pairs from the from-th one on, at least GC_L3_BESIDE of them, while others read
 * (walk/beside.h) from `beside`, whose chains and starts it sets. *met: as gc_beside_launch. */
#define GC_L3_BESIDE (GC_BESIDE_CHAIN / 2)
int gc_l3_time_beside(struct gc_bench *bench, const struct gc_l3_ring *ring, uint64_t from,
                      struct gc_beside *beside, double cycles[GC_BESIDE_LOADS / 2], size_t *n,
                      bool *met);

/* The same for the whole ring, as the histogram and the number of slow loads. */
int gc_l3_sample(struct gc_bench *bench, const struct gc_l3_ring *ring,
                 const struct gc_binning *binning, struct gpu_chase_result *seen);

/* Bytes between the loads that read an array: the fetch granularity of the L2. */
uint32_t gc_l3_read_stride(const struct gc_results *results);

/* Reads an array of `bytes` bytes from offset `from` on. Afterwards L2 keeps only lines of the end
 * of the array, which has so many L2s. */
#define GC_L3_END_L2S 2
int gc_l3_read_array(struct gc_measurement *m, uint64_t from, uint64_t bytes);

#endif
