/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the vendor's interface states about the whole GPU.
 */
#ifndef GC_MEASURE_PLAN_FACTS_H
#define GC_MEASURE_PLAN_FACTS_H

#include "measure/core/bench.h"
#include "measure/results/results.h"

/* Writes SMs, clocks, limits … and the SM clock that was measured. 0 or -ENOMEM. */
int gc_facts_publish(const struct gc_properties *properties, double mhz, struct gc_infos *infos);

/* Sets line and fetch granularity of L3 absent, because they cannot be measured. */
void gc_facts_explain_l3(struct gc_results *results);

/* Where a latency is absent, its 95th percentile is so for the same reason. */
void gc_facts_explain_p95(struct gc_results *results);

/* Sets the nominal capacity absent for all elements without one: the interface does not state
 * it. */
void gc_facts_explain_nominal(struct gc_results *results);

#endif
