/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hints for the caches of the host: loads what an SM will need soon, step by step, because each
 * step reads what the one before has loaded. No hint changes a result.
 */
#ifndef GC_PREDICT_MODEL_SM_HINTS_H
#define GC_PREDICT_MODEL_SM_HINTS_H

#include "predict/model/sm_state.h"

/* Warps ahead, for each step. */
#define GC_WARP_AHEAD 6
#define GC_REQUEST_AHEAD 4
#define GC_LOOK_UP_AHEAD 2
#define GC_MISS_AHEAD 1

void gc_sm_hint_warps(const struct gc_sm *sm, const struct gc_warp_queue *queue);

/* Before the first warp of a queue executes: for the warps after it. */
static inline void gc_sm_hint_queue(const struct gc_sm *sm, const struct gc_warp_queue *queue)
{
  if (queue->count > GC_MISS_AHEAD)
    gc_sm_hint_warps(sm, queue);
}

/* Before an instruction executes this request, for which there is an entry: for its next ones, as
 * far as there are entries for them. first: it has executed none since it waited, and
 * gc_sm_hint_warps has given none. */
void gc_sm_hint_requests(const struct gc_sm *sm, const struct gc_instruction *instruction,
                         const struct gc_request *requests, uint32_t request, bool first);

/* After those have had time to load the sets: for the lines that a request will find or replace. */
static inline void gc_sm_hint_miss(const struct gc_sm *sm, const struct gc_request *request)
{
  if (sm->gpu->l1.early)
    gc_lines_prefetch_line(&sm->l1, request->set, request->mix);
  if (sm->l2->same_lines)
    gc_l2_prefetch_miss(sm->l2, sm->number, request);
}

/* For the lines that arrive soon. */
void gc_sm_hint_arrivals(struct gc_sm *sm);

#endif
