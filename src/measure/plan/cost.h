/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost of measuring: time, launches and device memory, for each step and in total (make bench
 * prints it).
 */
#ifndef GC_MEASURE_PLAN_COST_H
#define GC_MEASURE_PLAN_COST_H

#include "measure/core/bench.h"
#include "measure/measure.h"
#include "measure/results/results.h"

struct gc_cost_mark {
  double ms; /* gc_now_ms */
  uint64_t launches;
};

struct gc_cost_mark gc_cost_now(const struct gc_bench *bench);

/* Reports the cost since this mark (gc_measure_options.spent). */
void gc_cost_report(const struct gc_bench *bench, const struct gc_measure_options *options,
                    const char *what, const struct gc_cost_mark *since);

/* Adds the cost of this process since `since_ms`. Called once, at the end. */
void gc_cost_add(struct gc_cost *cost, const struct gc_bench *bench, double since_ms);

/* Writes the cost into the facts of a record: MeasuringMilliseconds … 0 or -ENOMEM. */
int gc_cost_publish(const struct gc_cost *cost, struct gc_infos *infos);

#endif
