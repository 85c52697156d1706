/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sm.h"

#include "predict/model/sm_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How far hints for the caches of the host run ahead. */
#define GC_WARPS_AHEAD 3
#define GC_CYCLES_AHEAD 8

int gc_sm_init(struct gc_sm *sm, unsigned number, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options)
{
  memset(sm, 0, sizeof *sm);
  sm->number = number;
  sm->gpu = gpu;
  sm->options = options;
  return gc_lines_init(&sm->l1, &gpu->l1, options->fully_associative,
                       gc_draw_state(options->seed, 1000 + number));
}

void gc_sm_fini(struct gc_sm *sm)
{
  for (unsigned i = 0; i < sm->resident_room; i++) {
    gc_block_fini(&sm->residents[i].block);
    free(sm->residents[i].warps);
  }
  free(sm->residents);
  gc_sector_set_fini(&sm->seen);
  gc_in_flight_fini(&sm->in_flight);
  gc_lines_fini(&sm->l1);
  memset(sm, 0, sizeof *sm);
}

int gc_sm_begin(struct gc_sm *sm, unsigned residents, unsigned loads_at_once)
{
  if (residents > sm->resident_room) {
    struct gc_resident *more = realloc(sm->residents, residents * sizeof *more);

    if (!more)
      return -ENOMEM;
    memset(more + sm->resident_room, 0, (residents - sm->resident_room) * sizeof *more);
    sm->residents = more;
    sm->resident_room = residents;
  }
  for (unsigned i = 0; i < sm->resident_room; i++)
    sm->residents[i].live = 0;
  sm->resident_count = residents;
  sm->now = sm->looked_ahead = 0;
  sm->loads_at_once = sm->options->each_load_waits ? 1 : loads_at_once;
  memset(sm->issue, 0, sizeof sm->issue);
  sm->next_scheduler = 0;
  sm->ready = sm->starving = (struct gc_queue){NULL, NULL};
  sm->outstanding = sm->promised = 0;
  sm->ended = false;
  gc_lines_clear(&sm->l1);
  gc_in_flight_clear(&sm->in_flight);
  gc_wheel_clear(&sm->wheel);
  gc_sector_set_clear(&sm->seen);
  return 0;
}

static void push(struct gc_queue *queue, struct gc_event *event)
{
  event->next = NULL;
  if (queue->last)
    queue->last->next = event;
  else
    queue->first = event;
  queue->last = event;
}

static void push_front(struct gc_queue *queue, struct gc_event *event)
{
  event->next = queue->first;
  queue->first = event;
  if (!queue->last)
    queue->last = event;
}

static struct gc_warp *pop(struct gc_queue *queue)
{
  struct gc_event *event = queue->first;

  if (!event)
    return NULL;
  queue->first = event->next;
  if (!queue->first)
    queue->last = NULL;
  return (struct gc_warp *)event;
}

int gc_sm_start(struct gc_sm *sm, unsigned i, uint64_t now)
{
  struct gc_resident *resident = &sm->residents[i];
  const struct gc_block *block = &resident->block;

  if (block->warp_count > resident->warp_room) {
    struct gc_warp *warps = realloc(resident->warps, block->warp_count * sizeof *warps);

    if (!warps)
      return -ENOMEM;
    resident->warps = warps;
    resident->warp_room = block->warp_count;
  }
  if (sm->now < now)
    sm->now = now;
  resident->live = resident->waiting = 0;
  for (uint32_t k = 0; k < block->warp_count; k++) {
    struct gc_warp *warp = &resident->warps[k];

    *warp = (struct gc_warp){.event.kind = GC_EVENT_WARP,
                             .resident = resident,
                             .instruction = block->warps[k].first,
                             .scheduler = (uint8_t)(sm->next_scheduler++ % GC_SCHEDULERS)};
    if (warp->instruction == GC_NO_INSTRUCTION)
      continue;
    resident->live++;
    push(&sm->ready, &warp->event);
  }
  return 0;
}

static void sleep_until(struct gc_sm *sm, struct gc_warp *warp, uint64_t time)
{
  if (time <= sm->now)
    push(&sm->ready, &warp->event);
  else
    gc_wheel_add(&sm->wheel, &warp->event, time);
}

/* All live warps are at the barrier: they continue, in the order of their numbers. */
static void release(struct gc_sm *sm, struct gc_resident *resident)
{
  for (uint32_t i = 0; i < resident->block.warp_count; i++) {
    if (resident->warps[i].at_barrier) {
      resident->warps[i].at_barrier = false;
      push(&sm->ready, &resident->warps[i].event);
    }
  }
  resident->waiting = 0;
}

static void finish(struct gc_sm *sm, struct gc_warp *warp)
{
  struct gc_resident *resident = warp->resident;

  resident->live--;
  if (resident->live == 0) {
    resident->ended = sm->now;
    sm->ended = true;
  } else if (resident->live == resident->waiting) {
    release(sm, resident);
  }
}

static void wait_at_barrier(struct gc_sm *sm, struct gc_warp *warp)
{
  warp->at_barrier = true;
  if (++warp->resident->waiting == warp->resident->live)
    release(sm, warp->resident);
}

static void issue(struct gc_sm *sm, struct gc_warp *warp, uint64_t slots)
{
  uint64_t *free_slot = &sm->issue[warp->scheduler];

  *free_slot = (*free_slot > sm->now ? *free_slot : sm->now) + slots;
}

/* Goes to the next instruction. After the last one, the warp ends when that is done. */
static void complete(struct gc_sm *sm, struct gc_warp *warp, uint32_t next, uint64_t ready)
{
  warp->instruction = next;
  warp->request = 0;
  warp->ready = 0;
  sleep_until(sm, warp, ready);
}

/* A warp cannot continue now: it waits where a free entry will find it. */
static void wait_for_entry(struct gc_sm *sm, struct gc_warp *warp, enum gc_access_status status)
{
  if (status == GC_ACCESS_WARP_FULL)
    warp->waits_for_own = true;
  else
    push(&sm->starving, &warp->event);
}

/* Does the warp issue its next load before it uses the data of this one? */
static bool runs_ahead(const struct gc_sm *sm, struct gc_warp *warp,
                       const struct gc_instruction *instruction)
{
  const struct gc_instruction *all = warp->resident->block.instructions;

  if (instruction->next != GC_NO_INSTRUCTION && instruction->step == GC_STEP_LOAD &&
      all[instruction->next].step == GC_STEP_LOAD && ++warp->loads < sm->loads_at_once)
    return true;
  warp->loads = 0;
  return false;
}

static int access_memory(struct gc_sm *sm, struct gc_warp *warp,
                         const struct gc_instruction *instruction)
{
  const struct gc_request *requests = &warp->resident->block.requests[instruction->first];
  uint32_t first = warp->request, next = instruction->next;
  enum gc_access_status status = GC_ACCESS_DONE;

  if (first == 0) {
    issue(sm, warp, 1);
    for (uint32_t i = 0; i < instruction->requests; i++)
      gc_sm_prefetch(sm, instruction->step, &requests[i]);
  }
  while (warp->request < instruction->requests) {
    if (warp->request + 2 < instruction->requests)
      gc_sm_prefetch_more(sm, instruction->step, &requests[warp->request + 2]);
    status = gc_sm_access(sm, warp, instruction, &requests[warp->request]);
    if (status != GC_ACCESS_DONE)
      break;
    warp->request++;
  }
  if (status == GC_ACCESS_NO_MEMORY)
    return -ENOMEM;
  sm->now += (warp->request - first + GC_LINES_PER_CYCLE - 1) / GC_LINES_PER_CYCLE;
  if (status != GC_ACCESS_DONE) {
    wait_for_entry(sm, warp, status);
  } else if (sm->loads_at_once > 1 && runs_ahead(sm, warp, instruction)) {
    warp->instruction = next;
    warp->request = 0;
    push_front(&sm->ready, &warp->event);
  } else {
    complete(sm, warp, next, warp->ready);
  }
  return 0;
}

static int execute(struct gc_sm *sm, struct gc_warp *warp)
{
  const struct gc_instruction *instruction;

  if (warp->retries) {
    warp->retries = false;
    sm->promised--;
  }
  if (warp->instruction == GC_NO_INSTRUCTION) {
    finish(sm, warp);
    return 0;
  }
  instruction = &warp->resident->block.instructions[warp->instruction];
  switch (instruction->step) {
  case GC_STEP_BARRIER:
    issue(sm, warp, 1);
    warp->instruction = instruction->next;
    wait_at_barrier(sm, warp);
    return 0;
  case GC_STEP_OTHER:
    issue(sm, warp, instruction->first);
    complete(sm, warp, instruction->next, sm->issue[warp->scheduler]);
    return 0;
  default:
    return access_memory(sm, warp, instruction);
  }
}

/* Wakes the warps and lets in the lines whose time has come. */
static int let_time_pass(struct gc_sm *sm)
{
  struct gc_event *event;

  while ((event = gc_wheel_take(&sm->wheel, sm->now))) {
    struct gc_flight *flight = (struct gc_flight *)event;
    struct gc_warp *owner;

    if (event->kind == GC_EVENT_WARP) {
      push(&sm->ready, event);
      continue;
    }
    owner = flight->owner;
    if (gc_sm_arrive(sm, flight))
      return -ENOMEM;
    if (owner && owner->waits_for_own) {
      owner->waits_for_own = false;
      push(&sm->ready, &owner->event);
    }
  }
  return 0;
}

/* The next request of a waiting warp, or NULL. */
static const struct gc_request *next_request(const struct gc_warp *warp, unsigned *step)
{
  const struct gc_block *block = &warp->resident->block;
  const struct gc_instruction *instruction;

  if (warp->instruction == GC_NO_INSTRUCTION)
    return NULL;
  instruction = &block->instructions[warp->instruction];
  *step = instruction->step;
  return warp->request < instruction->requests
             ? &block->requests[instruction->first + warp->request]
             : NULL;
}

/* Loads what the next requests of waiting warps will read into the caches of the host. */
static void prefetch_for(const struct gc_sm *sm, const struct gc_queue *queue)
{
  const struct gc_event *event = queue->first;

  for (unsigned i = 0; event && i <= GC_WARPS_AHEAD; i++, event = event->next) {
    const struct gc_request *request;
    unsigned step = 0;

    if (i > 0 && i < GC_WARPS_AHEAD)
      continue;
    request = next_request((const struct gc_warp *)event, &step);
    if (!request)
      continue;
    if (i == 0)
      gc_sm_prefetch_more(sm, step, request);
    else
      gc_sm_prefetch(sm, step, request);
  }
}

/* The same for lines that will arrive. */
static void prefetch_arrivals(struct gc_sm *sm)
{
  uint64_t from = sm->looked_ahead > sm->now ? sm->looked_ahead : sm->now;

  for (; from <= sm->now + GC_CYCLES_AHEAD; from++) {
    const struct gc_event *event = gc_wheel_peek(&sm->wheel, from + GC_CYCLES_AHEAD);

    if (event)
      __builtin_prefetch(event);
    event = gc_wheel_peek(&sm->wheel, from);
    if (event && event->kind == GC_EVENT_LINE)
      gc_sm_prefetch_arrival(sm, (const struct gc_flight *)event);
  }
  sm->looked_ahead = from;
}

/* Gives free entries to warps that starve. */
static void feed(struct gc_sm *sm)
{
  while (sm->starving.first && sm->outstanding + sm->promised < sm->gpu->outstanding_per_sm) {
    struct gc_warp *warp = pop(&sm->starving);

    warp->retries = true;
    sm->promised++;
    push(&sm->ready, &warp->event);
    prefetch_for(sm, &sm->starving);
  }
}

int gc_sm_advance(struct gc_sm *sm, uint64_t until)
{
  while (sm->now < until) {
    struct gc_warp *warp;

    prefetch_arrivals(sm);
    if (let_time_pass(sm))
      return -ENOMEM;
    feed(sm);
    warp = pop(&sm->ready);
    if (!warp) {
      uint64_t next = gc_wheel_next(&sm->wheel);

      if (next >= until)
        return 0;
      sm->now = next;
    } else {
      prefetch_for(sm, &sm->ready);
      if (execute(sm, warp))
        return -ENOMEM;
    }
  }
  return 0;
}

uint64_t gc_sm_next(const struct gc_sm *sm)
{
  uint64_t next;

  if (sm->ready.first)
    return sm->now;
  next = gc_wheel_next(&sm->wheel);
  return next == GC_NEVER || next > sm->now ? next : sm->now;
}
