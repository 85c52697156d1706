/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting bits without a call: compilers call a function where the CPU may lack an instruction.
 */
#ifndef GC_UTIL_BITS_H
#define GC_UTIL_BITS_H

#include <stdint.h>

/* The number of bits that are set. */
static inline uint64_t gc_ones(uint64_t x)
{
#ifdef __POPCNT__
  return (uint64_t)__builtin_popcountll(x);
#else
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
#endif
}

/* The same, faster for small numbers: lines mostly have four sectors. */
static inline unsigned gc_ones_of_few(uint32_t x)
{
  return x < 16 ? UINT64_C(0x4332322132212110) >> 4 * x & 15 : (unsigned)gc_ones(x);
}

#endif
