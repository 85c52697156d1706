/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 95th percentile of the latencies of single loads. doc/methods.md, "95th percentile".
 */
#ifndef GC_MEASURE_LATENCY_TAIL_H
#define GC_MEASURE_LATENCY_TAIL_H

#include "measure/core/measurement.h"
#include "measure/walk/chase.h"

#define GC_TAIL 0.95 /* quantile */

/* The median of n > 0 repetitions of the percentile, in cycles without timing overhead, and its
 * confidence; `others` is a factor of that. */
void gc_conclude_tail(double others, const double *tails, size_t n, struct gc_latency *p95);

/* For memories inside the SM: times single loads of the ring that is laid, after chain->warm
 * untimed ones, and reports the percentile. latency: what chains of chain->n loads of the same ring
 * took; it is corrected if some loads are delayed, which makes chains longer. */
int gc_time_single(struct gc_measurement *m, struct gc_measured *element,
                   const struct gc_path *path, const struct gc_chain *chain,
                   struct gc_latency *latency);

#endif
