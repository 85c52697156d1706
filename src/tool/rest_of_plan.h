/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * After an illegal address, a launch failure or an ECC error, the driver refuses all further calls
 * of this process, even in new contexts (seen on an H200 with driver 580). Another process of this
 * program then gets the results so far (measure/results/handover.h) and measures the rest of the
 * plan.
 */
#ifndef GC_TOOL_REST_OF_PLAN_H
#define GC_TOOL_REST_OF_PLAN_H

#include "gpus/gpus.h"
#include "measure/measure.h"
#include "tool/tool.h"
#include "util/spawn.h"

struct gc_elsewhere {
  const struct gc_handover *handover; /* the results so far, and the step to go on with */
  struct gc_command *command;         /* of the process, for at_end of the watch */
  bool said;                          /* set: the process has printed why it failed */
};

/* Measures the remaining steps in another process and replaces *record by the complete record. 0 or
 * a negative errno with a sentence. */
int gc_continue_elsewhere(const struct gc_tool *tool, const struct gc_gpu *gpu,
                          struct gc_elsewhere *elsewhere, struct gc_record **record,
                          struct gc_error *err);

#endif
