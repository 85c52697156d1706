/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sm_access.h"

#include "predict/model/sm_hints.h"
#include "util/bits.h"

#include <errno.h>

static void wait_until(struct gc_warp *warp, uint64_t time)
{
  if (time > warp->ready)
    warp->ready = time;
}

GC_ALWAYS_INLINE int bring_in(struct gc_sm *sm, uint32_t set, uint64_t number, uint64_t mix,
                              uint32_t sectors)
{
  struct gc_line *line = gc_lines_find_mixed(&sm->l1, set, number, mix);

  if (line)
    line = gc_lines_use(&sm->l1, set, line);
  else
    line = gc_lines_add_mixed(&sm->l1, set, number, mix);
  if (!line)
    return -ENOMEM;
  line->sectors |= sectors;
  return 0;
}

/* Frees the entry of a line, for which its warp may wait. */
static void free_entry(struct gc_sm *sm, struct gc_warp *warp)
{
  sm->outstanding--;
  warp->outstanding--;
  if (warp->waits_for_own) {
    warp->waits_for_own = false;
    gc_warp_queue_push(&sm->ready, warp);
  }
}

int gc_sm_arrive(struct gc_sm *sm, const struct gc_event *event)
{
  const uint64_t mix = gc_mix(event->line);
  struct gc_line *line;

  if (event->warp != GC_NO_WARP)
    free_entry(sm, gc_warp_of(sm, event));
  gc_flight_remove(&sm->in_flight, (uint32_t)(event - sm->wheel.events), mix);
  if (!sm->gpu->l1.early)
    return bring_in(sm, event->set, event->line, mix, event->sectors);
  line = event->place == GC_NO_LINE ? NULL : &sm->l1.lines[event->place];
  /* A line that was evicted may still have its tag there. That does no harm: if the line came
   * again, gc_few_ways_find has cleared the tag. */
  if (!line || line->tag != event->line + 1)
    line = gc_lines_find_mixed(&sm->l1, event->set, event->line, mix);
  if (line)
    line->sectors |= event->sectors;
  return 0;
}

/* Sectors that L1 does not have, but that are under way. *ready is when the last of them arrives;
 * *has_entry tells whether any part of the line is under way. */
GC_ALWAYS_INLINE uint32_t under_way(const struct gc_sm *sm, uint64_t line, uint32_t hash,
                                    uint32_t sectors, uint64_t *ready, bool *has_entry)
{
  uint32_t entry = 0, found = 0;
  const struct gc_event *event;

  while ((event = gc_flight_next(&sm->in_flight, &sm->wheel, line, hash, &entry))) {
    *has_entry = true;
    if (event->sectors & sectors && event->time > *ready)
      *ready = event->time;
    found |= event->sectors & sectors;
  }
  return found;
}

static enum gc_access_status look_for_entry(const struct gc_sm *sm, const struct gc_warp *warp)
{
  if (warp->outstanding >= sm->entries_of_warp)
    return GC_ACCESS_WARP_FULL;
  return sm->outstanding >= sm->entries ? GC_ACCESS_SM_FULL : GC_ACCESS_DONE;
}

/* Requests missing sectors. line: NULL if L1 does not have it. takes_entry: nothing of it is under
 * way yet. */
GC_ALWAYS_INLINE enum gc_access_status fetch(struct gc_sm *sm, struct gc_warp *warp,
                                             const struct gc_request *request, struct gc_line *line,
                                             uint32_t missing, bool takes_entry)
{
  struct gc_event *event;
  uint64_t cycles;

  if (gc_l2_request(sm->l2, GC_L2_LOAD, sm->number, request, missing, sm->now, &cycles))
    return GC_ACCESS_NO_MEMORY;
  if (sm->options->no_latency)
    return bring_in(sm, request->set, request->line, request->mix, missing) ? GC_ACCESS_NO_MEMORY
                                                                            : GC_ACCESS_DONE;
  if (sm->gpu->l1.early && !line) {
    line = gc_lines_add_mixed(&sm->l1, request->set, request->line, request->mix);
    if (!line)
      return GC_ACCESS_NO_MEMORY;
  }
  event = gc_wheel_add(&sm->wheel, sm->now + cycles);
  if (!event || !gc_flight_add(&sm->in_flight, (uint32_t)(event - sm->wheel.events), request->mix))
    return GC_ACCESS_NO_MEMORY;
  event->line = request->line;
  event->set = request->set;
  event->place = sm->knows_places ? (uint32_t)(line - sm->l1.lines) : GC_NO_LINE;
  event->sectors = missing;
  event->warp = takes_entry ? gc_number_of_warp(warp) : GC_NO_WARP;
  warp->outstanding += takes_entry;
  sm->outstanding += takes_entry;
  wait_until(warp, event->time);
  return GC_ACCESS_DONE;
}

/* The counts of all loads together are summed at the end of the kernel. */
GC_ALWAYS_INLINE int count_load(struct gc_sm *sm, uint32_t load, const struct gc_request *request,
                                uint32_t waiting, uint32_t missing)
{
  const unsigned all = gc_ones_of_few(request->sectors);
  const unsigned waits = waiting ? gc_ones_of_few(waiting) : 0;
  const unsigned misses = missing ? gc_ones_of_few(missing) : 0;
  struct gc_cache_counts *counts = &sm->loads->loads[load].l1;
  uint64_t new = 0;

  if (sm->options->observe &&
      sm->options->observe(sm->options->observe_data, sm->number, request->line))
    return -ENOMEM;
  if (missing && sm->options->compulsory) {
    if (gc_sector_set_add(&sm->seen, request->line, missing, &new))
      return -ENOMEM;
    counts->compulsory += new;
  }
  counts->accesses += all;
  counts->hits += all - waits - misses;
  counts->hits_on_miss += waits;
  counts->misses += misses;
  return 0;
}

/* The sectors of the request that can be loaded: they are valid, or stores have written all that
 * the request needs. */
static uint32_t valid_sectors(const struct gc_sm *sm, const struct gc_line *line,
                              const struct gc_request *request)
{
  const uint32_t valid = request->sectors & line->sectors;

  return valid |
         gc_sectors_stored(&sm->gpu->l1, request->sectors & ~valid, request->parts, line->stored);
}

GC_ALWAYS_INLINE enum gc_access_status load(struct gc_sm *sm, struct gc_warp *warp, uint32_t number,
                                            const struct gc_request *request)
{
  struct gc_line *line = gc_lines_find_mixed(&sm->l1, request->set, request->line, request->mix);
  uint32_t missing = request->sectors, waiting = 0;
  bool has_entry = false;
  uint64_t arrival = 0;

  if (line)
    missing &= ~valid_sectors(sm, line, request);
  if (missing) {
    waiting = under_way(sm, request->line, (uint32_t)request->mix, missing, &arrival, &has_entry);
    missing &= ~waiting;
    if (missing && !has_entry) {
      enum gc_access_status status = look_for_entry(sm, warp);

      if (status != GC_ACCESS_DONE)
        return status;
    }
  }
  if (line)
    line = gc_lines_use(&sm->l1, request->set, line);
  if (count_load(sm, number, request, waiting, missing))
    return GC_ACCESS_NO_MEMORY;
  wait_until(warp, sm->now + sm->l1_cycles);
  wait_until(warp, arrival);
  return missing ? fetch(sm, warp, request, line, missing, sm->limited && !has_entry)
                 : GC_ACCESS_DONE;
}

/* A store of absent sectors: the line comes in, and what was stored is valid. */
static int keep_stored(struct gc_sm *sm, struct gc_line *line, const struct gc_request *request)
{
  if (!line)
    line = gc_lines_add_mixed(&sm->l1, request->set, request->line, request->mix);
  if (!line)
    return -ENOMEM;
  line->stored |= request->parts;
  line->sectors |= gc_sectors_stored(&sm->gpu->l1, request->sectors, UINT32_MAX, line->stored);
  return 0;
}

/* Writes through L1: what is there is updated, what is not may be brought in. */
static int write_l1(struct gc_sm *sm, const struct gc_request *request, bool allocates)
{
  const struct gc_cache_geometry *l1 = &sm->gpu->l1;
  struct gc_line *line = gc_lines_find_mixed(&sm->l1, request->set, request->line, request->mix);

  if (line)
    line = gc_lines_use(&sm->l1, request->set, line);
  if (!allocates || l1->store_miss == GC_ALLOCATE_NONE)
    return 0;
  return l1->store_miss == GC_ALLOCATE_SECTOR
             ? keep_stored(sm, line, request)
             : bring_in(sm, request->set, request->line, request->mix,
                        UINT32_MAX >> (32 - l1->line_bytes / l1->sector_bytes));
}

/* Everything but loads through L1: it needs no entry. */
static enum gc_access_status access_l2(struct gc_sm *sm, struct gc_warp *warp, enum gc_step step,
                                       const struct gc_request *request)
{
  const unsigned sectors = gc_ones_of_few(request->sectors);
  enum gc_l2_access access = GC_L2_LOAD;
  uint64_t cycles;
  int status = 0;

  if (step == GC_STEP_BYPASS) {
    sm->counts->l1_bypassing += sectors;
  } else if (step == GC_STEP_STORE) {
    sm->counts->l1_stores += sectors;
    access = GC_L2_STORE;
    status = write_l1(sm, request, true);
  } else {
    access = GC_L2_ATOMIC;
    status = write_l1(sm, request, false);
  }
  if (!status)
    status = gc_l2_request(sm->l2, access, sm->number, request, request->sectors, sm->now, &cycles);
  if (status)
    return GC_ACCESS_NO_MEMORY;
  if (access != GC_L2_STORE)
    wait_until(warp, sm->now + cycles);
  return GC_ACCESS_DONE;
}

enum gc_access_status gc_sm_access(struct gc_sm *sm, struct gc_warp *warp,
                                   const struct gc_instruction *instruction)
{
  const struct gc_request *requests = warp->requests;
  const uint32_t first = warp->request, count = instruction->requests;
  const enum gc_step step = (enum gc_step)instruction->step;
  uint32_t i = first;
  enum gc_access_status status = GC_ACCESS_DONE;

  for (; i < count; i++) {
    const bool full = sm->outstanding >= sm->entries;

    if (!full)
      gc_sm_hint_requests(sm, instruction, requests, i, i == first && !warp->hinted);
    status = step == GC_STEP_LOAD ? load(sm, warp, instruction->load, &requests[i])
                                  : access_l2(sm, warp, step, &requests[i]);
    if (status != GC_ACCESS_DONE)
      break;
  }
  warp->request = i;
  warp->hinted = false;
  return status;
}
