/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything else is measured with lone loads, and so are miss penalties and the 95th percentile,
 * which stay. A program has traffic, so its loads take what they take beside others.
 * doc/methods.md, "Clocks that rise with traffic".
 */
#include "measure/check/traffic.h"

#include <math.h>

/* With several partitions, a line may be copied to the near one meanwhile, so that a later load of
 * it is faster without any clock. */
static bool may_be_nearer(const struct gc_measured *element)
{
  return element->kind == GC_L2 && !(gc_found(element, GC_PARTITIONS) && element->partitions == 1);
}

void gc_check_traffic(struct gc_results *results)
{
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_measured *element = &results->element[kind];
    struct gc_latency beside = element->traffic.beside;

    if (!(beside.confidence >= GC_CONFIDENCE_LEAST) || !gc_found(element, GC_LATENCY) ||
        may_be_nearer(element) || !(results->mhz > 0))
      continue;
    beside.confidence = fmin(beside.confidence, element->found[GC_LATENCY].confidence);
    element->idle_latency_ns = round(element->traffic.idle_cycles * 1e4 / results->mhz) / 10;
    gc_set_latency(element, GC_LATENCY, &beside, results->mhz);
  }
}
