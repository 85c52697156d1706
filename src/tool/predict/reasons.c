/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/reasons.h"

const char *const gc_miss_names[GC_MISS_COUNT] = {
    [GC_MISS_COMPULSORY] = "compulsory",       [GC_MISS_CAPACITY] = "capacity",
    [GC_MISS_ASSOCIATIVITY] = "associativity", [GC_MISS_LATENCY] = "latency",
    [GC_MISS_MSHR] = "outstanding loads",
};

const char *gc_main_reason(const uint64_t misses[GC_MISS_COUNT])
{
  int most = 0;

  for (int i = 1; i < GC_MISS_COUNT; i++)
    if (misses[i] > misses[most])
      most = i;
  return misses[most] ? gc_miss_names[most] : "";
}
