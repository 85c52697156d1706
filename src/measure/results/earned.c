/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Limits confidences to what the calibration has shown.
 */
#include "measure/results/earned.h"

#include <math.h>

const double gc_earned_bins[GC_EARNED_BINS] = {
    GC_CONFIDENCE_LEAST, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999};

size_t gc_earned_bin(double confidence)
{
  size_t bin = GC_EARNED_BINS - 1;

  while (bin && confidence < gc_earned_bins[bin])
    bin--;
  return bin;
}

enum gc_property gc_earned_as(enum gc_property property)
{
  switch (property) {
  case GC_PEER_READ:
    return GC_HOST_READ;
  case GC_PEER_WRITE:
    return GC_HOST_WRITE;
  case GC_PEER_COPY:
    return GC_HOST_COPY_TO;
  case GC_PEER_LATENCY:
    return GC_HOST_LATENCY;
  default:
    return property;
  }
}

static void limit(struct gc_measured *element, enum gc_property property,
                  const struct gc_earned *table)
{
  struct gc_finding *finding = &element->found[property];
  const size_t bin = gc_earned_bin(finding->confidence);
  const double most = table[(size_t)gc_earned_as(property) * GC_EARNED_BINS + bin].most;

  if (!(finding->confidence >= GC_CONFIDENCE_LEAST)) /* or not a number */
    gc_set_absent(element, property, "too uncertain: it is more likely wrong than right");
  else if (most < GC_CONFIDENCE_LEAST)
    gc_set_absent(element, property,
                  "too uncertain: too few values like this have been checked on "
                  "simulated GPUs, or too many of them were wrong");
  else
    finding->confidence = fmin(finding->confidence, most);
}

void gc_earn(struct gc_results *results, const struct gc_earned *table)
{
  if (!table)
    table = *gc_earned_table;
  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++)
    for (int property = 0; property < GC_PROPERTY_COUNT; property++)
      if (results->element[kind].found[property].origin == GC_MEASURED)
        limit(&results->element[kind], (enum gc_property)property, table);
}
