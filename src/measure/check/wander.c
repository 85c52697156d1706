/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * L2, L3 and device memory have clocks of their own. If the SM clock changes all the time, their
 * latencies in SM cycles do so, too, and the nanoseconds of an SM cycle are not known. Inside an
 * SM, everything counts in its own cycles and is right. doc/methods.md, "Interference".
 */
#include "measure/check/wander.h"

#include <stdio.h>

static void withhold(struct gc_measured *element, enum gc_property property, const char *why)
{
  if (element->found[property].origin == GC_MEASURED)
    gc_set_absent_for_now(element, property, GC_CLOCK_WANDERS, why);
}

static bool is_outside(enum gc_kind kind)
{
  return kind == GC_DEVICE_MEMORY || kind == GC_L2 || kind == GC_L3;
}

void gc_check_wandering(struct gc_results *results)
{
  char why[160];

  if (!(results->most_mhz > 0))
    return;
  snprintf(why, sizeof(why), "the SM clock does not settle: it was between %.0f and %.0f MHz",
           results->least_mhz, results->most_mhz);
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_measured *element = &results->element[kind];

    for (int property = 0; property < GC_PROPERTY_COUNT && is_outside((enum gc_kind)kind);
         property++)
      withhold(element, (enum gc_property)property, why);
    /* what a miss adds is spent outside the SM, unless the next cache is a constant cache */
    if (kind != GC_CONSTANT_L1)
      withhold(element, GC_MISS_PENALTY, why);
    element->latency_ns = element->near_latency_ns = element->far_latency_ns = 0;
  }
  gc_warn(results, "%s; nanoseconds, L2 and device memory are withheld", why);
}
