/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sm.h"

#include "predict/model/sm_access.h"
#include "predict/model/sm_hints.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int gc_sm_init(struct gc_sm *sm, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options)
{
  memset(sm, 0, sizeof *sm);
  sm->gpu = gpu;
  sm->options = options;
  sm->l1_cycles = options->no_latency ? 0 : (uint64_t)(gpu->l1_cycles + 0.5);
  sm->entries = sm->entries_of_warp = UINT_MAX;
  if (gpu->outstanding_per_sm && !options->no_outstanding_limit)
    sm->entries = gpu->outstanding_per_sm;
  if (gpu->outstanding_per_warp && !options->no_outstanding_limit)
    sm->entries_of_warp = gpu->outstanding_per_warp;
  sm->limited = sm->entries != UINT_MAX || sm->entries_of_warp != UINT_MAX;
  if (gc_lines_init(&sm->l1, &gpu->l1, options->fully_associative, 0))
    return -ENOMEM;
  sm->knows_places = gpu->l1.early && sm->l1.heads;
  return 0;
}

void gc_sm_fini(struct gc_sm *sm)
{
  for (unsigned i = 0; i < sm->resident_room; i++) {
    gc_block_fini(&sm->residents[i].block);
    free(sm->residents[i].warps);
  }
  free(sm->residents);
  free(sm->starving.ring);
  free(sm->ready.ring);
  gc_sector_set_fini(&sm->seen);
  gc_in_flight_fini(&sm->in_flight);
  gc_wheel_fini(&sm->wheel);
  gc_lines_fini(&sm->l1);
  memset(sm, 0, sizeof *sm);
}

int gc_sm_begin(struct gc_sm *sm, unsigned residents)
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
  memset(sm->issue, 0, sizeof sm->issue);
  sm->next_scheduler = 0;
  sm->ready.count = sm->starving.count = 0;
  sm->outstanding = sm->promised = 0;
  sm->ended = false;
  gc_lines_clear(&sm->l1);
  sm->l1.random = gc_draw_state(sm->options->seed, GC_RANDOM_L1 + sm->number);
  gc_in_flight_clear(&sm->in_flight);
  gc_wheel_clear(&sm->wheel);
  gc_sector_set_clear(&sm->seen);
  return 0;
}

/* Room for the warps of a block in residents[i], and for all warps in the queues. 0 or -ENOMEM. */
static int reserve_warps(struct gc_sm *sm, unsigned i, uint32_t count)
{
  struct gc_resident *resident = &sm->residents[i];
  uint64_t all = 0;

  if (count > resident->warp_room) {
    free(resident->warps);
    resident->warp_room = 0;
    resident->warps = gc_host_table(count * sizeof *resident->warps);
    if (!resident->warps)
      return -ENOMEM;
    resident->warp_room = count;
  }
  for (unsigned k = 0; k < sm->resident_room; k++)
    all += sm->residents[k].warp_room;
  return gc_warp_queue_reserve(&sm->ready, all) || gc_warp_queue_reserve(&sm->starving, all)
             ? -ENOMEM
             : 0;
}

/* The next instruction of a warp. */
static void go_to(const struct gc_sm *sm, struct gc_warp *warp, uint32_t instruction)
{
  const struct gc_block *block = &sm->residents[warp->resident].block;

  warp->instruction = instruction;
  warp->request = 0;
  if (instruction != GC_NO_INSTRUCTION) {
    const struct gc_instruction *next = &block->instructions[instruction];

    /* without requests, `first` is no position */
    warp->requests = block->requests + (next->requests ? next->first : 0);
  }
}

int gc_sm_start(struct gc_sm *sm, unsigned i, uint64_t now)
{
  struct gc_resident *resident = &sm->residents[i];
  const struct gc_block *block = &resident->block;

  if (reserve_warps(sm, i, block->warp_count))
    return -ENOMEM;
  if (sm->now < now)
    sm->now = now;
  resident->live = resident->waiting = 0;
  for (uint32_t k = 0; k < block->warp_count; k++) {
    struct gc_warp *warp = &resident->warps[k];

    *warp = (struct gc_warp){.resident = (uint16_t)i,
                             .number = (uint16_t)k,
                             .scheduler = (uint8_t)(sm->next_scheduler++ % GC_SCHEDULERS)};
    go_to(sm, warp, block->warps[k].first);
    if (warp->instruction == GC_NO_INSTRUCTION)
      continue;
    resident->live++;
    gc_warp_queue_push(&sm->ready, warp);
  }
  return 0;
}

/* The warp can execute its next instruction. */
static void get_ready(struct gc_sm *sm, struct gc_warp *warp)
{
  if (warp->ahead)
    gc_warp_queue_push_front(&sm->ready, warp);
  else
    gc_warp_queue_push(&sm->ready, warp);
  warp->ahead = false;
}

static int sleep_until(struct gc_sm *sm, struct gc_warp *warp, uint64_t time)
{
  struct gc_event *event;

  if (time <= sm->now) {
    get_ready(sm, warp);
    return 0;
  }
  event = gc_wheel_add(&sm->wheel, time);
  if (!event)
    return -ENOMEM;
  event->warp = gc_number_of_warp(warp);
  event->sectors = 0;
  return 0;
}

/* All live warps are at the barrier: they continue, in the order of their numbers. */
static void release(struct gc_sm *sm, struct gc_resident *resident)
{
  for (uint32_t i = 0; i < resident->block.warp_count; i++) {
    if (resident->warps[i].at_barrier) {
      resident->warps[i].at_barrier = false;
      gc_warp_queue_push(&sm->ready, &resident->warps[i]);
    }
  }
  resident->waiting = 0;
}

static void finish(struct gc_sm *sm, struct gc_warp *warp)
{
  struct gc_resident *resident = &sm->residents[warp->resident];

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
  struct gc_resident *resident = &sm->residents[warp->resident];

  warp->at_barrier = true;
  if (++resident->waiting == resident->live)
    release(sm, resident);
}

static void issue(struct gc_sm *sm, struct gc_warp *warp, uint64_t slots)
{
  uint64_t *free_slot = &sm->issue[warp->scheduler];

  *free_slot = (*free_slot > sm->now ? *free_slot : sm->now) + slots;
}

/* Goes to the next instruction, which can be issued from this cycle on, but not before the data are
 * there if it needs them. After the last one, the warp ends when they are. */
static int complete(struct gc_sm *sm, struct gc_warp *warp,
                    const struct gc_instruction *instruction, uint64_t issue)
{
  const uint64_t ready = warp->ready;

  warp->ahead = instruction->ahead;
  go_to(sm, warp, instruction->next);
  if (warp->ahead)
    return sleep_until(sm, warp, issue);
  warp->ready = 0;
  return sleep_until(sm, warp, ready > issue ? ready : issue);
}

/* A warp cannot continue now: it waits where a free entry will find it. */
static void wait_for_entry(struct gc_sm *sm, struct gc_warp *warp, enum gc_access_status status)
{
  if (status == GC_ACCESS_WARP_FULL)
    warp->waits_for_own = true;
  else
    gc_warp_queue_push(&sm->starving, warp);
}

static int access_memory(struct gc_sm *sm, struct gc_warp *warp,
                         const struct gc_instruction *instruction)
{
  const uint32_t first = warp->request;
  enum gc_access_status status;

  if (first == 0) {
    issue(sm, warp, 1);
    if (instruction->step == GC_STEP_LOAD)
      sm->loads->loads[instruction->load].instructions++;
  }
  status = gc_sm_access(sm, warp, instruction);
  if (status == GC_ACCESS_NO_MEMORY)
    return -ENOMEM;
  sm->now += (warp->request - first + GC_LINES_PER_CYCLE - 1) / GC_LINES_PER_CYCLE;
  if (status == GC_ACCESS_DONE)
    return complete(sm, warp, instruction, sm->now);
  wait_for_entry(sm, warp, status);
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
  instruction = &sm->residents[warp->resident].block.instructions[warp->instruction];
  switch (instruction->step) {
  case GC_STEP_BARRIER:
    if (!instruction->ahead && warp->ready > sm->now) { /* what follows needs the data */
      const uint64_t ready = warp->ready;

      warp->ready = 0;
      return sleep_until(sm, warp, ready);
    }
    issue(sm, warp, 1);
    go_to(sm, warp, instruction->next);
    wait_at_barrier(sm, warp);
    return 0;
  case GC_STEP_OTHER:
    issue(sm, warp, instruction->first);
    return complete(sm, warp, instruction, sm->issue[warp->scheduler]);
  default:
    return access_memory(sm, warp, instruction);
  }
}

/* Wakes the warps and lets in the lines whose time has come. */
static int let_time_pass(struct gc_sm *sm)
{
  const struct gc_event *event;

  while ((event = gc_wheel_take(&sm->wheel, sm->now)))
    if (!event->sectors)
      get_ready(sm, gc_warp_of(sm, event));
    else if (gc_sm_arrive(sm, event))
      return -ENOMEM;
  return 0;
}

/* Gives free entries to warps that starve. */
static void feed(struct gc_sm *sm)
{
  while (sm->starving.count && sm->outstanding + sm->promised < sm->entries) {
    struct gc_warp *warp = gc_warp_queue_pop(&sm->starving);

    warp->retries = true;
    sm->promised++;
    gc_warp_queue_push(&sm->ready, warp);
    gc_sm_hint_queue(sm, &sm->starving);
  }
}

int gc_sm_advance(struct gc_sm *sm, uint64_t until)
{
  while (sm->now < until) {
    struct gc_warp *warp;

    gc_sm_hint_arrivals(sm);
    if (let_time_pass(sm))
      return -ENOMEM;
    feed(sm);
    warp = gc_warp_queue_pop(&sm->ready);
    if (!warp) {
      uint64_t next = gc_wheel_next(&sm->wheel);

      if (next >= until)
        return 0;
      sm->now = next;
    } else {
      gc_sm_hint_queue(sm, &sm->ready);
      if (execute(sm, warp))
        return -ENOMEM;
    }
  }
  return 0;
}

uint64_t gc_sm_next(const struct gc_sm *sm)
{
  uint64_t next;

  if (sm->ready.count)
    return sm->now;
  next = gc_wheel_next(&sm->wheel);
  return next == GC_NEVER || next > sm->now ? next : sm->now;
}
