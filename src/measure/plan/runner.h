/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the steps of the plan: repeats disturbed steps, and stops if a step breaks the device.
 */
#ifndef GC_MEASURE_PLAN_RUNNER_H
#define GC_MEASURE_PLAN_RUNNER_H

#include "measure/core/interference.h"
#include "measure/measure.h"
#include "measure/plan/plan.h"

/* A group of steps, which one check covers. */
struct gc_checked {
  bool open;
  unsigned first;    /* the step that it began with */
  uint64_t launches; /* so far, when it began */
};

struct gc_runner {
  struct gc_measurement m;
  struct gc_interference interference;
  const struct gc_measure_options *options;
  struct gc_results *before; /* copy of the results before a step or a group of steps; used by the
                                runner only */
  struct gc_checked group;
  bool wary;     /* steps are no longer checked in groups */
  unsigned next; /* the step to continue with */
};

/* Runs from step `next` to the end of the plan. If the SM clock settles at another rate, everything
 * is measured again. Stops early, with 0 and next < gc_plan_steps, if a step breaks the device. */
int gc_run_plan(struct gc_runner *runner);

#endif
