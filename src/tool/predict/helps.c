/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/helps.h"

#include <math.h>

const char *const gc_remedy_names[GC_REMEDY_COUNT] = {
    [GC_REMEDY_CARVEOUT] = "carve-out",
    [GC_REMEDY_LINE] = "line use",
    [GC_REMEDY_BLOCKS] = "occupancy",
};

/* The fewest misses in L1 of all runs. */
static double fewest_misses(const struct gc_kernel_prediction *kernel)
{
  const uint64_t accesses = kernel->counts.l1_loads.accesses;

  return accesses ? round((1 - kernel->rates[GC_RATE_L1].high) * (double)accesses) : 0;
}

struct gc_helps gc_helps_most(const struct gc_kernel_prediction *kernel)
{
  const double accesses = (double)kernel->counts.l1_loads.accesses;
  const double misses = (double)kernel->counts.l1_loads.misses;
  const double fewest = fewest_misses(kernel);
  struct gc_helps helps = {-1, 0};

  for (int i = 0; i < GC_REMEDY_COUNT; i++) {
    const struct gc_remedy_effect *effect = &kernel->remedies[i];
    const double less = misses - (double)effect->misses;

    if (!effect->tried || !(less >= GC_REMEDY_LEAST * accesses) || !(accesses > 0) ||
        (double)effect->misses >= fewest || less / accesses <= helps.gain)
      continue;
    helps.remedy = i;
    helps.gain = less / accesses;
  }
  return helps;
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
