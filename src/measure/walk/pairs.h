/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pairs of loads from cold caches. The second load of a pair is reach / 2 bytes from the first, and
 * both are in one aligned block of `reach` bytes at a random place. So the second load hits if the
 * first one brought in at least `reach` bytes. Pairs are in blocks of their own, in random order;
 * pair i has reaches[i % n].
 */
#ifndef GC_MEASURE_WALK_PAIRS_H
#define GC_MEASURE_WALK_PAIRS_H

#include "measure/walk/layout.h"

struct gc_pairs {
  const struct gc_path *path;
  struct gc_layout layout;
  uint32_t block;   /* bytes of the block of each pair */
  uint32_t count;   /* pairs */
  uint64_t *firsts; /* [count] slot of the first load */
  uint32_t sms;     /* SMs that walk */
  /* Pairs that each SM walks: all of them. Or a part of its own if SMs may share the cache or the
   * one behind it (L2, constants, scalar L1). */
  uint32_t each;
  uint32_t *trace; /* [sms * each * 2] raw cycles of the last run */
};

/* Lays and uploads about `each` pairs of every reach (fewer in the bank of constants); reaches
 * ascend. The memory is that of the step. -ENOMEM or a device error. */
int gc_pairs_open(struct gc_pairs *pairs, struct gc_bench *bench, const struct gc_path *path,
                  const uint32_t *reaches, uint32_t n, uint32_t each);

/* Walks the pairs in a cold cache and fills the trace. */
int gc_pairs_run(struct gc_pairs *pairs);

/* The index of the k-th pair in the trace. */
static inline uint32_t gc_pairs_at(const struct gc_pairs *pairs, uint32_t k)
{
  const uint32_t sm = k / pairs->each;

  return ((uint32_t)((uint64_t)sm * pairs->count / pairs->sms) + k % pairs->each) % pairs->count;
}

#endif
