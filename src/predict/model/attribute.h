/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why sectors were not there, by the method of Nugteren et al. 2014, section 6: the model runs four
 * times over the same trace with the same seed, each time without one thing. With M misses in the
 * full run, of which C were compulsory:
 *
 *   associativity = M - misses with one set and LRU           if that is positive, else 0
 *   MSHR          = M - misses without a limit                likewise
 *   latency       = M - MSHR - misses if loads take no time   likewise
 *   capacity      = M - C - the three others
 *
 * If loads take no time, no line is ever under way, and a limit has no effect. So what the limit
 * causes is taken from M before latency. The others still overlap: one miss may vanish in several
 * runs. If the rest is then negative, capacity is 0, and MSHR, latency and associativity are
 * reduced, in this order. So no number is negative, and the sum is M.
 *
 * The released code of the paper differs in two points. Its latency misses are loads of lines under
 * way; those are hits on miss here, and not part of M. If the rest is negative, it adds the excess
 * instead of subtracting it.
 */
#ifndef GC_PREDICT_MODEL_ATTRIBUTE_H
#define GC_PREDICT_MODEL_ATTRIBUTE_H

#include "predict/model/run.h"

enum gc_variant {
  GC_VARIANT_FULL, /* counts compulsory misses */
  GC_VARIANT_FULLY_ASSOCIATIVE,
  GC_VARIANT_NO_LATENCY,
  GC_VARIANT_NO_LIMIT,
  GC_VARIANT_COUNT
};

/* Changes options so that they are those of a variant. Each variant needs a model and a reader of
 * its own. */
void gc_variant_options(enum gc_variant variant, struct gc_model_options *options);

struct gc_attributed {
  uint64_t misses[GC_MISS_COUNT];
};

/* From the counts of one cache in the four variants. */
struct gc_attributed gc_attribute(const struct gc_cache_counts *const counts[GC_VARIANT_COUNT]);

#endif
