/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan: which element gets which property, in which order.
 */
#ifndef GC_MEASURE_PLAN_PLAN_H
#define GC_MEASURE_PLAN_PLAN_H

#include "measure/core/measurement.h"

enum gc_step_use {
  GC_STEP_REPORTS,  /* determines properties, with the memory of the arena */
  GC_STEP_NO_ARENA, /* the same with the range of addresses for TLBs, or without device memory */
  GC_STEP_PEERS,    /* the same as GC_STEP_REPORTS, only if other GPUs are measured, and then alone */
  GC_STEP_CHECKS,   /* withholds or lowers values */
  GC_STEP_HOST,     /* measures the host, without device memory of the arena */
  GC_STEP_RAW_ONLY, /* only writes curves for --raw */
  GC_STEP_RAW_ONLY_NO_ARENA,
};

struct gc_plan_step {
  enum gc_kind kind;
  const char *name; /* "capacity": for progress, messages and the names of raw files */
  gc_step *run;
  union gc_property_set reports;
  gc_step_needs *needs; /* memory; NULL: no more than every measurement has */
  enum gc_step_use use;
};

extern const struct gc_plan_step gc_plan[];
extern const unsigned gc_plan_steps;

/* Whether too little device memory is free for the step. If so, its properties become absent for
 * that reason. Makes the arena for the step if steps before it used its memory in another way. */
bool gc_plan_lacks_memory(struct gc_measurement *m, const struct gc_plan_step *step);

/* Runs the step unless it lacks memory, frees the memory of the step, and states the reason for
 * what it could not find. Returns 0, or a negative errno and a sentence if the device failed. */
int gc_plan_run(struct gc_measurement *m, const struct gc_plan_step *step);

/* "L1Cache capacity" */
void gc_plan_name(const struct gc_plan_step *step, char *name, size_t size);

#endif
