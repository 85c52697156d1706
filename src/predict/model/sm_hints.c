/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sm_hints.h"

/* Requests of an instruction ahead. */
#define LOOK_UPS_AHEAD 8
#define MISSES_AHEAD 4

/* Cycles ahead of an arrival, for each step; an instruction with 32 lines takes 32. */
#define EVENTS_AHEAD 84
#define SETS_AHEAD 60
#define LINES_AHEAD 36

#define MANY_ARRIVALS 256 /* with fewer lines under way, the last step costs more than it saves */

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
  if (sm->l2->same_lines)
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

/* For how many of its requests it gets hints in advance. Entries may limit it to one. */
static uint32_t requests_ahead(const struct gc_sm *sm, const struct gc_warp *warp,
                               const struct gc_instruction *instruction, uint32_t most)
{
  const uint32_t left = instruction ? instruction->requests - warp->request : 0;

  most = sm->limited ? 1 : most;
  return left < most ? left : most;
}

void gc_sm_hint_warps(const struct gc_sm *sm, const struct gc_warp_queue *queue)
{
  struct gc_warp *warp = gc_warp_queue_peek(queue, GC_WARP_AHEAD);
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
  for (uint32_t i = 0; i < requests_ahead(sm, warp, instruction, LOOK_UPS_AHEAD); i++)
    hint_look_up(sm, instruction->step, &warp->requests[warp->request + i]);
  warp = gc_warp_queue_peek(queue, GC_MISS_AHEAD);
  instruction = next_access(sm, warp);
  for (uint32_t i = 0; i < requests_ahead(sm, warp, instruction, MISSES_AHEAD); i++)
    gc_sm_hint_miss(sm, &warp->requests[warp->request + i]);
  if (instruction)
    warp->hinted = !sm->limited;
}

void gc_sm_hint_requests(const struct gc_sm *sm, const struct gc_instruction *instruction,
                         const struct gc_request *requests, uint32_t request, bool first)
{
  const uint32_t left = instruction->requests - request - 1;
  const uint32_t entries = sm->entries - sm->outstanding - 1;
  uint32_t ahead = left < LOOK_UPS_AHEAD ? left : LOOK_UPS_AHEAD;

  if (instruction->step == GC_STEP_LOAD && ahead > entries) {
    ahead = entries;
    hint_l1(sm, &requests[request + ahead + 1]);
  }
  for (uint32_t i = first ? 1 : LOOK_UPS_AHEAD; i <= ahead; i++)
    hint_look_up(sm, instruction->step, &requests[request + i]);
  for (uint32_t i = first ? 1 : MISSES_AHEAD; i <= MISSES_AHEAD && i <= ahead; i++)
    gc_sm_hint_miss(sm, &requests[request + i]);
}

static inline void hint_event(const struct gc_sm *sm, const struct gc_event *event)
{
  (void)sm;
  gc_prefetch(event);
}

static inline void hint_set(const struct gc_sm *sm, const struct gc_event *event)
{
  uint64_t mix;

  if (!event->sectors)
    return;
  mix = gc_mix(event->line);
  if (event->warp != GC_NO_WARP)
    gc_prefetch(gc_warp_of(sm, event));
  if (event->place != GC_NO_LINE)
    gc_prefetch(&sm->l1.lines[event->place]);
  else
    gc_lines_prefetch(&sm->l1, event->set, mix);
  gc_flight_prefetch(&sm->in_flight, (uint32_t)mix);
}

static inline void hint_line(const struct gc_sm *sm, const struct gc_event *event)
{
  if (event->sectors && event->place == GC_NO_LINE)
    gc_lines_prefetch_line(&sm->l1, event->set, gc_mix(event->line));
}

/* Gives a hint for each event from a time to another one, and perhaps for some of later ones. */
GC_ALWAYS_INLINE void hint_events(const struct gc_sm *sm, uint64_t from, uint64_t to,
                                  void (*hint)(const struct gc_sm *, const struct gc_event *))
{
  const struct gc_wheel *wheel = &sm->wheel;
  uint64_t time = from;

  while ((time = gc_wheel_next_full(wheel, time)) < to)
    for (uint32_t i = wheel->newest[time++ % GC_WHEEL_SLOTS]; i; i = wheel->next[i])
      hint(sm, &wheel->events[i]);
}

void gc_sm_hint_arrivals(struct gc_sm *sm)
{
  const uint64_t from = sm->looked_ahead > sm->now ? sm->looked_ahead : sm->now;
  const uint64_t to = sm->now + LINES_AHEAD;

  if (from >= to)
    return;
  hint_events(sm, from + EVENTS_AHEAD - LINES_AHEAD, to + EVENTS_AHEAD - LINES_AHEAD, hint_event);
  hint_events(sm, from + SETS_AHEAD - LINES_AHEAD, to + SETS_AHEAD - LINES_AHEAD, hint_set);
  if (!sm->knows_places && sm->in_flight.count >= MANY_ARRIVALS)
    hint_events(sm, from, to, hint_line);
  sm->looked_ahead = to;
}
