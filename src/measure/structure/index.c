/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear algebra over bits: from a kernel to the masks of a hash.
 */
#include "measure/structure/index.h"

#include <string.h>

static unsigned top_bit(uint64_t vector)
{
  return 63u - (unsigned)__builtin_clzll(vector);
}

/* Keeps the span reduced: the top bit of each vector is in no other one. */
void gc_span_add(struct gc_span *span, uint64_t vector)
{
  for (uint32_t i = 0; i < span->count; i++)
    if (vector >> top_bit(span->vectors[i]) & 1)
      vector ^= span->vectors[i];
  if (!vector || span->count == 64)
    return;
  for (uint32_t i = 0; i < span->count; i++)
    if (span->vectors[i] >> top_bit(vector) & 1)
      span->vectors[i] ^= vector;
  span->vectors[span->count++] = vector;
}

/* In a reduced span, an address bit that is no top bit is free: its mask has this bit, and the top
 * bits of those vectors that contain it. */
void gc_index_find(const struct gc_span *kernel, unsigned low, unsigned high,
                   struct gc_set_masks *index)
{
  uint64_t tops = 0;

  memset(index, 0, sizeof(*index));
  for (uint32_t i = 0; i < kernel->count; i++)
    tops |= 1ull << top_bit(kernel->vectors[i]);
  for (unsigned bit = low; bit < high && index->count < GC_INDEX_BITS_MAX; bit++) {
    uint64_t mask = 1ull << bit;

    if (tops >> bit & 1)
      continue;
    for (uint32_t i = 0; i < kernel->count; i++)
      if (kernel->vectors[i] >> bit & 1)
        mask |= 1ull << top_bit(kernel->vectors[i]);
    index->masks[index->count++] = mask;
  }
}

uint32_t gc_index_set(const struct gc_set_masks *index, uint64_t address)
{
  uint32_t set = 0;

  for (uint32_t i = 0; i < index->count; i++)
    set |= (uint32_t)__builtin_parityll(address & index->masks[i]) << i;
  return set;
}
