/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the requests of a warp do to L1 and to the lines under way.
 */
#ifndef GC_PREDICT_MODEL_SM_ACCESS_H
#define GC_PREDICT_MODEL_SM_ACCESS_H

#include "predict/model/sm_state.h"

enum gc_access_status {
  GC_ACCESS_DONE,
  GC_ACCESS_SM_FULL,   /* no entry of the SM is free */
  GC_ACCESS_WARP_FULL, /* the warp has all entries that it may have */
  GC_ACCESS_NO_MEMORY
};

/* Executes the requests of an instruction from warp->request on, until one cannot be executed now.
 * warp->ready is then not before the time at which the last sector of the others is there. */
enum gc_access_status gc_sm_access(struct gc_sm *sm, struct gc_warp *warp,
                                   const struct gc_instruction *instruction);

/* A line arrives. Its entry becomes free, and a warp that waits for that continues. 0 or -ENOMEM. */
int gc_sm_arrive(struct gc_sm *sm, const struct gc_event *event);

#endif
