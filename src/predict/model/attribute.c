/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/attribute.h"

void gc_variant_options(enum gc_variant variant, struct gc_model_options *options)
{
  options->compulsory = variant == GC_VARIANT_FULL;
  options->fully_associative = variant == GC_VARIANT_FULLY_ASSOCIATIVE;
  options->no_latency = variant == GC_VARIANT_NO_LATENCY;
  options->no_outstanding_limit = variant == GC_VARIANT_NO_LIMIT;
}

static uint64_t excess(uint64_t misses, uint64_t without)
{
  return misses > without ? misses - without : 0;
}

struct gc_attributed gc_attribute(const struct gc_cache_counts *const counts[GC_VARIANT_COUNT])
{
  static const enum gc_miss reduce[] = {GC_MISS_MSHR, GC_MISS_LATENCY, GC_MISS_ASSOCIATIVITY};
  uint64_t all = counts[GC_VARIANT_FULL]->misses, explained;
  struct gc_attributed to;

  to.misses[GC_MISS_COMPULSORY] = counts[GC_VARIANT_FULL]->compulsory;
  to.misses[GC_MISS_ASSOCIATIVITY] = excess(all, counts[GC_VARIANT_FULLY_ASSOCIATIVE]->misses);
  to.misses[GC_MISS_MSHR] = excess(all, counts[GC_VARIANT_NO_LIMIT]->misses);
  to.misses[GC_MISS_LATENCY] =
      excess(all - to.misses[GC_MISS_MSHR], counts[GC_VARIANT_NO_LATENCY]->misses);
  explained = to.misses[GC_MISS_COMPULSORY] + to.misses[GC_MISS_ASSOCIATIVITY] +
              to.misses[GC_MISS_LATENCY] + to.misses[GC_MISS_MSHR];
  to.misses[GC_MISS_CAPACITY] = excess(all, explained);
  for (unsigned i = 0; i < 3 && explained > all; i++) {
    uint64_t *misses = &to.misses[reduce[i]];
    uint64_t less = explained - all < *misses ? explained - all : *misses;

    *misses -= less;
    explained -= less;
  }
  return to;
}
