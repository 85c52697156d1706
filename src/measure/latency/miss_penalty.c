/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The miss penalty: the latency of loads that miss an element and hit the next level, less that of
 * loads that hit the element. Both are timed alone and through the same path (walk/levels.c), so
 * that the timing overhead cancels out. The value is the median of the differences. doc/methods.md,
 * "Miss penalty".
 */
#include "measure/latency/latency.h"
#include "measure/walk/evict.h"
#include "measure/walk/levels.h"
#include "stats/stats.h"

#define TOLERANCE 0.02

int gc_step_miss_penalty(struct gc_measurement *m, struct gc_measured *element)
{
  const bool behind_constant_l1 =
      element->kind == GC_CONSTANT_L1 || element->kind == GC_CONSTANT_L15;
  double penalties[GC_LEVEL_REPEATS], penalty, confidence;
  struct gc_levels levels;
  int status;

  if (behind_constant_l1 && !gc_misses_constant_l1(m->results, gc_beyond_constant_l1(m->results)))
    return gc_set_absent(element, GC_MISS_PENALTY, gc_constant_l1_hides);
  if (behind_constant_l1 && gc_constant_fetch_unknown(m->results))
    return gc_set_absent(element, GC_MISS_PENALTY, gc_constant_fetch_why);
  if ((status = gc_find_levels(m, element->kind, GC_LEVEL_REPEATS, &levels)))
    return status;
  for (int r = 0; r < GC_LEVEL_REPEATS; r++)
    penalties[r] = levels.miss[r] - levels.hit[r];
  penalty = gc_median(penalties, GC_LEVEL_REPEATS);
  if (!gc_levels_differ(&levels))
    return gc_set_absent(element, GC_MISS_PENALTY, gc_levels_why(&levels));
  confidence = gc_median_confidence(penalties, GC_LEVEL_REPEATS, penalty, TOLERANCE * penalty);
  if (!(confidence > 0.5)) /* the lines of some repetitions were where another program put them */
    m->bench.signs |= GC_SIGN_SCATTER;
  return gc_set_miss_penalty(element, penalty, confidence);
}
