/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/hash.h"

uint64_t gc_hash(uint64_t hash, const void *bytes, size_t length)
{
  const unsigned char *p = bytes;

  for (size_t i = 0; i < length; i++)
    hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
  return hash;
}
