/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hints for the caches of the host: loads what an SM will need soon, step by step, because each
 * step reads what the one before has loaded. No hint changes a result.
 */
#ifndef GC_PREDICT_MODEL_SM_HINTS_H
#define GC_PREDICT_MODEL_SM_HINTS_H

#include "predict/model/sm_state.h"

/* Before the first warp of a queue executes: for the warps after it. */
void gc_sm_hint_queue(const struct gc_sm *sm, const struct gc_warp_queue *queue);

/* Before an instruction executes this request: for its next ones, as far as there are entries for
 * them. first: it has executed none since it waited. */
void gc_sm_hint_requests(const struct gc_sm *sm, const struct gc_instruction *instruction,
                         const struct gc_request *requests, uint32_t request, bool first);

/* After that: for this request, which is the next one. */
void gc_sm_hint_next(const struct gc_sm *sm, const struct gc_instruction *instruction,
                     const struct gc_request *requests, uint32_t request);

/* For the lines that arrive soon. */
void gc_sm_hint_arrivals(struct gc_sm *sm);

#endif
