/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting bits without a call: compilers call a function where the CPU may lack an instruction.
 */
#ifndef GC_PREDICT_MODEL_BITS_H
#define GC_PREDICT_MODEL_BITS_H

#include <stdint.h>

static inline unsigned gc_count_bits(uint32_t word)
{
  if (word < 16) /* lines mostly have four sectors */
    return UINT64_C(0x4332322132212110) >> 4 * word & 15;
  word -= word >> 1 & UINT32_C(0x55555555);
  word = (word & UINT32_C(0x33333333)) + (word >> 2 & UINT32_C(0x33333333));
  word = (word + (word >> 4)) & UINT32_C(0x0f0f0f0f);
  return word * UINT32_C(0x01010101) >> 24;
}

#endif
