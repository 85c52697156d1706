/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The fault policy: what happens when a step fails.
 */
#ifndef GC_MEASURE_PLAN_FAULTS_H
#define GC_MEASURE_PLAN_FAULTS_H

#include "measure/measure.h"
#include "measure/plan/plan.h"

/* Handles a failure: counts it and warns. m->bench.err has its sentence. If the step did not
 * finish (`reported` is false), all properties that it would have reported become absent for that
 * reason. Other steps are not affected. Returns 0, or -EIO with a sentence if too many steps have
 * failed. */
int gc_fault_handle(struct gc_measurement *m, const struct gc_measure_options *options,
                    const struct gc_plan_step *step, bool reported);

#endif
