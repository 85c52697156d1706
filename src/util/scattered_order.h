/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An order in which everything numbered 0 to n - 1 has its turn once in a round, and neighbours do
 * not follow each other.
 */
#ifndef GC_UTIL_SCATTERED_ORDER_H
#define GC_UTIL_SCATTERED_ORDER_H

#include <stdint.h>

/* The least number from `least` (1 or more) on that has no common factor with n (1 or more). Pure;
 * safe from any thread. */
static inline uint64_t gc_coprime(uint64_t n, uint64_t least)
{
  for (;; least++) {
    uint64_t a = least, b = n;

    while (b) {
      const uint64_t rest = a % b;

      a = b;
      b = rest;
    }
    if (a == 1)
      return least;
  }
}

/* From a number to the next one in turn, modulo n (1 or more): about 0.6 n. Pure. */
static inline uint32_t gc_stride_of_turns(uint32_t n)
{
  return (uint32_t)gc_coprime(n, n - n / 5 * 2);
}

#endif
