/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/helps.h"

#include <math.h>

const char *const gc_remedy_names[GC_REMEDY_COUNT] = {
    [GC_REMEDY_CARVEOUT] = "carve-out",
    [GC_REMEDY_LINE] = "line use",
    [GC_REMEDY_BLOCKS] = "occupancy",
};

struct gc_helps gc_helps_most(uint64_t accesses, uint64_t misses, double fewest,
                              const struct gc_remedy_effect effects[GC_REMEDY_COUNT])
{
  struct gc_helps helps = {-1, 0};

  for (int i = 0; i < GC_REMEDY_COUNT; i++) {
    const double less = (double)misses - (double)effects[i].misses;

    if (!effects[i].tried || !(less >= GC_REMEDY_LEAST * (double)accesses) || !accesses ||
        (double)effects[i].misses >= fewest || less / (double)accesses <= helps.gain)
      continue;
    helps.remedy = i;
    helps.gain = less / (double)accesses;
  }
  return helps;
}

double gc_helps_fewest(const struct gc_kernel_prediction *kernel)
{
  const uint64_t accesses = kernel->counts.l1_loads.accesses;

  return accesses ? round((1 - kernel->rates[GC_RATE_L1].high) * (double)accesses) : 0;
}

struct gc_helps gc_helps_kernel(const struct gc_kernel_prediction *kernel)
{
  const struct gc_cache_counts *loads = &kernel->counts.l1_loads;

  return gc_helps_most(loads->accesses, loads->misses, gc_helps_fewest(kernel), kernel->remedies);
}

const char *gc_helps_sentence(const struct gc_helps *helps)
{
  static const char *const sentences[GC_REMEDY_COUNT] = {
      [GC_REMEDY_CARVEOUT] = "the largest L1 (--carveout 0)",
      [GC_REMEDY_LINE] = "lines of which all sectors are used",
      [GC_REMEDY_BLOCKS] = "half as many blocks on an SM",
  };

  return helps->remedy < 0 ? "" : sentences[helps->remedy];
}
