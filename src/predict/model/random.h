/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of the model: splitmix64 (Steele, Lea and Flood 2014), which needs one word of
 * state per SM, and is as fast as an access to a cache of the host.
 */
#ifndef GC_PREDICT_MODEL_RANDOM_H
#define GC_PREDICT_MODEL_RANDOM_H

#include <stdint.h>

/* Spreads a number over all bits; a bijection. */
static inline uint64_t gc_mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static inline uint64_t gc_draw(uint64_t *state)
{
  return gc_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Below n, n > 0. The bias is n / 2^32. */
static inline uint32_t gc_draw_below(uint64_t *state, uint32_t n)
{
  return (uint32_t)(((gc_draw(state) >> 32) * n) >> 32);
}

/* In [0, 1). */
static inline double gc_draw_uniform(uint64_t *state)
{
  return (double)(gc_draw(state) >> 11) * 0x1p-53;
}

/* The parts of the model that draw. The sets of a partition of L2 and the L1 of an SM add its
 * number. */
enum gc_random_part {
  GC_RANDOM_PAPER = 0, /* of the model of the paper, for tests */
  GC_RANDOM_L2 = 1,
  GC_RANDOM_L2_SETS = 2,
  GC_RANDOM_GPC = 500,
  GC_RANDOM_L1 = 1000
};

/* An independent state for each part of the model: enum gc_random_part. */
static inline uint64_t gc_draw_state(uint64_t seed, uint64_t part)
{
  return gc_mix(gc_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ part * UINT64_C(0xd1342543de82ef95));
}

#endif
