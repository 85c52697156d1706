/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What one request of a warp does to L1 and to the lines under way.
 */
#ifndef GC_PREDICT_MODEL_SM_ACCESS_H
#define GC_PREDICT_MODEL_SM_ACCESS_H

#include "predict/model/sm_state.h"

enum gc_access_status {
  GC_ACCESS_DONE,
  GC_ACCESS_SM_FULL,   /* no entry of the SM is free; nothing has changed */
  GC_ACCESS_WARP_FULL, /* the warp has all entries that it may have; nothing has changed */
  GC_ACCESS_NO_MEMORY
};

/* Executes one request. warp->ready is then not before the time at which its last sector is there.
 */
enum gc_access_status gc_sm_access(struct gc_sm *sm, struct gc_warp *warp,
                                   const struct gc_instruction *instruction,
                                   const struct gc_request *request);

/* A line arrives; *flight is free afterwards. 0 or -ENOMEM. */
int gc_sm_arrive(struct gc_sm *sm, struct gc_flight *flight);

#endif
