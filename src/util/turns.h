/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An order in which everything numbered 0 to n - 1 has its turn once in a round, and neighbours do
 * not follow each other.
 */
#ifndef GC_UTIL_TURNS_H
#define GC_UTIL_TURNS_H

#include <stdint.h>

/* From a number to the next one in turn, modulo n (1 or more): about 0.6 n, without a common factor
 * with n. Pure; safe from any thread. */
static inline uint32_t gc_stride_of_turns(uint32_t n)
{
  uint32_t stride = n - n / 5 * 2;

  for (;; stride++) {
    uint32_t a = n, b = stride;

    while (b) {
      const uint32_t rest = a % b;

      a = b;
      b = rest;
    }
    if (a == 1)
      return stride;
  }
}

#endif
