/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All that is measured of an L2 or L3 relies on lines that stay in it: what one launch loads, the
 * next one finds. A GPU may keep nothing from launch to launch, bypass the cache for such loads, or
 * insert lines where they are replaced at once. Then the loads were those of the next level, all
 * repetitions agree, and the values are wrong with a high confidence. So a level counts only if it
 * is clearly faster than the level behind it.
 */
#include "measure/check/next_level.h"

#include <math.h>
#include <stdio.h>

/* Levels are the same if the one behind reaches this share of the speed of the one before. A tenth
 * is five times the tolerance of a latency (2 %) and three times that of a bandwidth (3 %), so
 * errors of both values together cannot make one level look like two. */
#define SAME_SHARE 0.9

static enum gc_kind level_behind(const struct gc_results *results, enum gc_kind kind)
{
  const struct gc_measured *l3 = &results->element[GC_L3];

  return kind == GC_L2 && gc_found(l3, GC_LATENCY) ? GC_L3 : GC_DEVICE_MEMORY;
}

static bool both_found(const struct gc_measured *one, const struct gc_measured *next,
                       enum gc_property property)
{
  return gc_found(one, property) && gc_found(next, property);
}

struct gc_next_level gc_next_level_compare(const struct gc_results *results, enum gc_kind kind)
{
  struct gc_next_level found = {.next = level_behind(results, kind)};
  const struct gc_measured *one = &results->element[kind], *next = &results->element[found.next];
  const bool reads = both_found(one, next, GC_READ);

  found.same_latency =
      both_found(one, next, GC_LATENCY) && one->latency_cycles >= SAME_SHARE * next->latency_cycles;
  found.other_penalty =
      both_found(one, next, GC_LATENCY) && gc_found(one, GC_MISS_PENALTY) &&
      !(kind == GC_L2 && found.next == GC_DEVICE_MEMORY && results->element[GC_L3].tried) &&
      fabs(one->latency_cycles + one->miss_penalty_cycles - next->latency_cycles) >
          (1 - SAME_SHARE) * next->latency_cycles;
  found.same_reads = reads && next->read_gbps >= SAME_SHARE * one->read_gbps;
  /* Stores often reach no more than the way from the SMs allows, whichever level takes them (H200:
   * L2 4,700 GB/s, memory 4,400). If reads show that the array was in the cache, it was there when
   * it was written, too. */
  found.same_writes = (!reads || found.same_reads) && both_found(one, next, GC_WRITE) &&
                      next->write_gbps >= SAME_SHARE * one->write_gbps;
  return found;
}

static void withhold_all(struct gc_results *results, enum gc_kind kind, const char *why)
{
  struct gc_measured *element = &results->element[kind];

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (element->found[property].origin == GC_MEASURED)
      gc_set_absent(element, (enum gc_property)property, why);
  element->capacity_at_least_bytes = 0;
  gc_warn(results, "all that was measured of %s is withheld: %s", gc_kinds[kind].subtype, why);
}

/* A twentieth of the loads is enough to make the 95th percentile that of the next level. */
static void withhold_tail(struct gc_results *results, enum gc_kind kind, enum gc_kind behind)
{
  struct gc_measured *one = &results->element[kind];
  const struct gc_measured *next = &results->element[behind];
  char why[160];

  if (!gc_found(one, GC_LATENCY_P95) || !gc_found(next, GC_LATENCY) ||
      one->latency_p95_cycles < SAME_SHARE * next->latency_cycles)
    return;
  snprintf(why, sizeof(why),
           "the slowest loads take %.1f cycles, those of %s %.1f: they may have gone there",
           one->latency_p95_cycles, gc_kinds[behind].subtype, next->latency_cycles);
  gc_set_absent(one, GC_LATENCY_P95, why);
}

static void withhold(struct gc_results *results, enum gc_kind kind,
                     const struct gc_next_level *found)
{
  const struct gc_measured *one = &results->element[kind], *next = &results->element[found->next];
  const char *behind = gc_kinds[found->next].subtype;
  /* the loads of L3 may have hit what L2 fetched with the loads before them (walk/l3.h) */
  const bool both = found->next == GC_L3 && !gc_found(one, GC_FETCH);
  char why[160];

  if (found->same_latency) {
    snprintf(why, sizeof(why), "loads take %.1f cycles, those of %s %.1f: they may have gone there",
             one->latency_cycles, behind, next->latency_cycles);
    withhold_all(results, kind, why);
    if (both)
      withhold_all(results, GC_L3, why);
    return;
  }
  withhold_tail(results, kind, found->next);
  if (found->other_penalty) {
    snprintf(why, sizeof(why),
             "hits take %.1f cycles, and with the %.1f of a miss not the %.1f of %s",
             one->latency_cycles, one->miss_penalty_cycles, next->latency_cycles, behind);
    gc_withhold(results, kind, GC_MISS_PENALTY, why);
  }
  if (found->same_reads) {
    snprintf(why, sizeof(why), "%.4g GB/s, and %s has %.4g: the reads may have gone there",
             one->read_gbps, behind, next->read_gbps);
    gc_withhold(results, kind, GC_READ, why);
  }
  if (found->same_writes) {
    snprintf(why, sizeof(why), "%.4g GB/s, and %s has %.4g: the writes may have gone there",
             one->write_gbps, behind, next->write_gbps);
    gc_withhold(results, kind, GC_WRITE, why);
  }
}

void gc_check_next_level(struct gc_results *results)
{
  static const enum gc_kind kinds[] = {GC_L2, GC_L3};
  struct gc_next_level found[2];

  /* an L3 that is withheld would hide that the L2 is like it */
  for (size_t i = 0; i < 2; i++)
    found[i] = gc_next_level_compare(results, kinds[i]);
  for (size_t i = 0; i < 2; i++)
    withhold(results, kinds[i], &found[i]);
}
