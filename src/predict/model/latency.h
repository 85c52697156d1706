/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latencies with a half-normal spread, from a table of its quantiles.
 */
#ifndef GC_PREDICT_MODEL_LATENCY_H
#define GC_PREDICT_MODEL_LATENCY_H

#include "predict/model/random.h"

#define GC_QUANTILES 1024

struct gc_half_normal {
  double quantiles[GC_QUANTILES]; /* of |N(0, 1)|, in the middle of equal parts */
};

void gc_half_normal_init(struct gc_half_normal *table);

/* minimum + |N(0, spread^2)|, in whole cycles. Draws only if there is a spread. */
static inline uint64_t gc_latency_draw(const struct gc_half_normal *table, double minimum,
                                       double spread, uint64_t *random)
{
  if (spread > 0)
    minimum += spread * table->quantiles[gc_draw(random) % GC_QUANTILES];
  return (uint64_t)(minimum + 0.5);
}

#endif
