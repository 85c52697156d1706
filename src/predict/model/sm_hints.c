/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sm_hints.h"

#define REQUESTS_AHEAD 4 /* of an instruction, for their look-ups; the next one for a miss */

/* Cycles ahead. */
#define EVENTS_AHEAD 16
#define ARRIVALS_AHEAD 8

static void hint_l1(const struct gc_sm *sm, const struct gc_request *request)
{
  gc_lines_prefetch(&sm->l1, request->set, request->mix);
  gc_flight_prefetch(&sm->in_flight, (uint32_t)request->mix);
}

static inline void hint_look_up(const struct gc_sm *sm, unsigned step,
                                const struct gc_request *request)
{
  if (step == GC_STEP_LOAD)
    hint_l1(sm, request);
  if (sm->l2->like_l1)
    gc_l2_prefetch(sm->l2, sm->number, request);
}

/* The next instruction of a warp that accesses memory, or NULL. */
static const struct gc_instruction *next_access(const struct gc_sm *sm, const struct gc_warp *warp)
{
  const struct gc_instruction *instruction;

  if (!warp || warp->instruction == GC_NO_INSTRUCTION)
    return NULL;
  instruction = &sm->residents[warp->resident].block.instructions[warp->instruction];
  return warp->request < instruction->requests ? instruction : NULL;
}

void gc_sm_hint_warps(const struct gc_sm *sm, const struct gc_warp_queue *queue)
{
  const struct gc_warp *warp = gc_warp_queue_peek(queue, GC_WARP_AHEAD);
  const struct gc_instruction *instruction;

  if (warp)
    gc_prefetch(warp);
  warp = gc_warp_queue_peek(queue, GC_REQUEST_AHEAD);
  if (warp && warp->instruction != GC_NO_INSTRUCTION) {
    gc_prefetch(&sm->residents[warp->resident].block.instructions[warp->instruction]);
    gc_prefetch(&warp->requests[warp->request]);
  }
  warp = gc_warp_queue_peek(queue, GC_LOOK_UP_AHEAD);
  instruction = next_access(sm, warp);
  if (instruction)
    hint_look_up(sm, instruction->step, &warp->requests[warp->request]);
  warp = gc_warp_queue_peek(queue, GC_MISS_AHEAD);
  if (next_access(sm, warp))
    gc_sm_hint_miss(sm, &warp->requests[warp->request]);
}

void gc_sm_hint_requests(const struct gc_sm *sm, const struct gc_instruction *instruction,
                         const struct gc_request *requests, uint32_t request, bool first)
{
  const uint32_t left = instruction->requests - request - 1;
  const uint32_t entries = sm->entries - sm->outstanding - 1;
  uint32_t ahead = left < REQUESTS_AHEAD ? left : REQUESTS_AHEAD;

  if (instruction->step == GC_STEP_LOAD && ahead > entries) {
    ahead = entries;
    hint_l1(sm, &requests[request + ahead + 1]);
  }
  for (uint32_t i = first ? 1 : REQUESTS_AHEAD; i <= ahead; i++)
    hint_look_up(sm, instruction->step, &requests[request + i]);
}

static void hint_arrival(const struct gc_sm *sm, const struct gc_event *event)
{
  const struct gc_flight *flight = (const struct gc_flight *)event;

  if (flight->owner)
    gc_prefetch(flight->owner);
  gc_lines_prefetch(&sm->l1, flight->set, flight->mix);
  gc_flight_prefetch(&sm->in_flight, (uint32_t)flight->mix);
}

void gc_sm_hint_arrivals(struct gc_sm *sm)
{
  uint64_t from = sm->looked_ahead > sm->now ? sm->looked_ahead : sm->now;

  for (; from <= sm->now + ARRIVALS_AHEAD; from++) {
    const struct gc_event *event = gc_wheel_peek(&sm->wheel, from + EVENTS_AHEAD - ARRIVALS_AHEAD);

    if (event)
      gc_prefetch(event);
    event = gc_wheel_peek(&sm->wheel, from);
    if (event) {
      if (event->kind == GC_EVENT_LINE)
        hint_arrival(sm, event);
      if (event->next)
        gc_prefetch(event->next);
    }
    event = gc_wheel_peek(&sm->wheel, from - ARRIVALS_AHEAD / 2);
    if (event && event->next && event->next->kind == GC_EVENT_LINE)
      hint_arrival(sm, event->next);
  }
  sm->looked_ahead = from;
}
