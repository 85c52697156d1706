/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 95th percentile of the latencies of single loads. doc/methods.md, "95th percentile".
 */
#ifndef GC_MEASURE_LATENCY_TAIL_H
#define GC_MEASURE_LATENCY_TAIL_H

#include "measure/core/measurement.h"
#include "measure/walk/path.h"

#define GC_TAIL 0.95 /* quantile */

/* The median of n > 0 repetitions of the percentile, in cycles without timing overhead, and its
 * confidence; `others` is a factor of that. */
void gc_conclude_tail(double others, const double *tails, size_t n, struct gc_latency *p95);

/* For memories inside the SM: times single loads of the ring that is laid, after `warm` untimed
 * ones, and reports the percentile. latency: of the same ring. */
int gc_time_tail(struct gc_measurement *m, struct gc_measured *element, const struct gc_path *path,
                 uint32_t warm, const struct gc_latency *latency);

#endif
