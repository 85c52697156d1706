/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of an SM.
 */
#ifndef GC_PREDICT_MODEL_SM_STATE_H
#define GC_PREDICT_MODEL_SM_STATE_H

#include "predict/model/block.h"
#include "predict/model/in_flight.h"
#include "predict/model/l2.h"
#include "predict/model/lines.h"
#include "predict/model/sector_set.h"
#include "predict/model/warp_queue.h"
#include "predict/model/wheel.h"

#define GC_SCHEDULERS 4
#define GC_LINES_PER_CYCLE 1 /* L1 looks up; sm.h says what shows it */

struct gc_resident;

/* gc_event.warp if the event holds no entry: another part of the line does, or there is no limit.
 */
#define GC_NO_WARP UINT32_MAX

struct gc_warp {
  const struct gc_request *requests; /* of this instruction */
  uint64_t ready;                    /* when the slowest of the requests that are done is there */
  uint32_t instruction;              /* the next one, or GC_NO_INSTRUCTION */
  uint32_t request;                  /* of this instruction: those before it are done */
  uint32_t outstanding;              /* lines that it requested */
  uint16_t resident, number;         /* in it */
  uint8_t scheduler;
  bool waits_for_own : 1; /* line, because outstanding is at its limit */
  bool retries : 1;       /* has been promised a free entry */
  bool at_barrier : 1;
  bool ahead : 1;  /* goes first when its next instruction can be issued */
  bool hinted : 1; /* its next requests have hints (sm_hints.h) */
} __attribute__((aligned(GC_HOST_LINE)));

struct gc_resident { /* a block, or room for one */
  struct gc_block block;
  struct gc_warp *warps;
  uint32_t warp_room;
  uint32_t live;    /* warps that have not finished; 0: the room is free */
  uint32_t waiting; /* at the barrier */
  uint64_t ended;   /* cycle */
};

struct gc_sm {
  unsigned number;
  const struct gc_gpu_model *gpu;
  const struct gc_model_options *options;
  struct gc_l2 *l2;
  struct gc_counts *counts;
  struct gc_loads *loads;
  uint64_t l1_cycles;                /* that a hit takes */
  unsigned entries, entries_of_warp; /* for lines that are outstanding */
  bool limited; /* entries or entries_of_warp has a limit; else nothing outstanding is counted */
  bool knows_places; /* of lines under way, because they have one when they are requested, and keep
                        it */
  uint64_t now;
  uint64_t looked_ahead;         /* hints were given for arrivals before this cycle */
  uint64_t issue[GC_SCHEDULERS]; /* the next free slot */
  unsigned next_scheduler;
  struct gc_warp_queue ready, starving; /* starving: all entries of the SM are in use */
  unsigned outstanding, promised; /* entries in use; promised to warps that have not retried yet */
  struct gc_lines l1;
  struct gc_in_flight in_flight;
  struct gc_wheel wheel;
  struct gc_sector_set seen;
  struct gc_resident *residents;
  unsigned resident_count, resident_room;
  bool ended; /* a block has ended since the caller cleared this */
};

/* The number of a warp in an event. */
static inline uint32_t gc_number_of_warp(const struct gc_warp *warp)
{
  return (uint32_t)warp->resident * GC_WARPS_MAX + warp->number;
}

static inline struct gc_warp *gc_warp_of(const struct gc_sm *sm, const struct gc_event *event)
{
  return &sm->residents[event->warp / GC_WARPS_MAX].warps[event->warp % GC_WARPS_MAX];
}

#endif
