/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The ground truth of a simulated GPU, for tests only: what a measurement should find.
 */
#ifndef GC_MODEL_TRUTH_H
#define GC_MODEL_TRUTH_H

#include "model/model.h"

/* The usable bytes of the first cache on the path of a space, after the last gc_model_launch; of
 * the L2 for GC_SPACE_CG. 0: there is none. */
uint64_t gc_model_true_capacity(const struct gc_model *model, enum gc_space space);

/* The same for any level of the path (0: the first), as one SM sees it: for a cache whose
 * partitions replicate lines, the bytes of one partition. 0: there is no such level, or it is not a
 * cache. */
uint64_t gc_model_true_level(const struct gc_model *model, enum gc_space space, unsigned level);

/* What allocations can use of a cache outside the SMs. Where pages are scattered, some sets get
 * more lines than they have ways before others are full. Draws the pages of n allocations from the
 * seed, and fills bytes[n], ascending, with how much of each, from its begin, the cache holds for
 * one SM: no more than 1 % of these lines are in sets that get too many. All are
 * gc_model_true_level if physical addresses equal virtual ones. 0, -ENOENT: there is no such level,
 * or -ENOMEM. */
int gc_model_true_fits(const struct gc_model *model, enum gc_space space, unsigned level,
                       uint64_t seed, uint64_t *bytes, unsigned n);

/* Latency, in cycles, without noise and misses of TLBs, of a load that hits at this level while no
 * others read. 0: there is no such level. */
uint32_t gc_model_true_latency(const struct gc_model *model, enum gc_space space, unsigned level);

/* How many of these cycles traffic saves, because clocks of the levels rise with it. */
uint32_t gc_model_true_idle(const struct gc_model *model, enum gc_space space, unsigned level);

/* By how many cycles it differs on this SM. */
int32_t gc_model_true_offset(const struct gc_model *model, enum gc_space space, unsigned level,
                             uint32_t sm);

/* The standard deviation of this latency, in cycles, over all loads of all SMs, without outliers.
 * 0: there is no such level. */
double gc_model_true_jitter(const struct gc_model *model, enum gc_space space, unsigned level);

/* Bandwidth of this level: bytes per cycle and SM inside the SM, 10^9 bytes per second of the whole
 * chip outside. 0: there is no such level. */
/* The cycles for which a load waits at a level that is busy for this share of the time; negative:
 * it is answered sooner, because the clock of the level has risen. */
double gc_model_true_queue(const struct gc_model *model, enum gc_space space, unsigned level,
                           double share);
double gc_model_true_bandwidth(const struct gc_model *model, enum gc_space space, unsigned level,
                               bool write);

/* The caches are full. SM 0 reads lines several times, then all SMs read so many bytes of other
 * memory once, in order. *share: of the lines, those that SM 0 still gets sooner than from memory.
 * Changes the caches. 0 or -ENOMEM. */
int gc_model_true_left(struct gc_model *model, uint64_t bytes, double *share);

/* Whether the first levels of two spaces are the same storage. */
bool gc_model_true_shared(const struct gc_model *model, enum gc_space a, enum gc_space b);

/* The latency of a load from the shared memory of another SM, without noise. */
uint32_t gc_model_true_remote(const struct gc_model *model, uint32_t sm, uint32_t other);

/* Whether loads of two SMs go through the same cache at this level. */
bool gc_model_true_sharing_groups(const struct gc_model *model, enum gc_space space, unsigned level,
                                  uint32_t sm, uint32_t other);

#endif
