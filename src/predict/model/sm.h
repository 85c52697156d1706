/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One SM: its blocks and warps, its L1, the lines under way. What it assumes:
 *
 * - Warps wait in a FIFO. The first one executes one instruction. A load puts it to sleep until the
 *   slowest sector is there; then it goes to the back of the FIFO.
 * - L1 looks up GC_LINES_PER_CYCLE lines per cycle. (l1tex__t_output_wavefronts of an H200: 32 lines
 *   take 8 cycles, 8 lines take 2.)
 * - Other instructions take an issue slot each. There are GC_SCHEDULERS schedulers, each with every
 *   fourth warp and one slot per cycle.
 * - Hits take effect at once: the line is then the newest. A missing sector gets into L1 when it
 *   arrives, and only then evicts another line. Loads of it meanwhile wait for it (hit on miss).
 * - A line under way takes an entry (MSHR) of the SM and of the warp that requested it. If none is
 *   free, the warp keeps its remaining requests and waits for one; such warps get free entries in
 *   turn. If only the entries of the warp itself are in use, it waits for one of its own lines.
 * - Stores go to L2 without waiting. Atomics wait for L2.
 */
#ifndef GC_PREDICT_MODEL_SM_H
#define GC_PREDICT_MODEL_SM_H

#include "predict/model/block.h"
#include "predict/model/in_flight.h"
#include "predict/model/l2.h"
#include "predict/model/lines.h"
#include "predict/model/wheel.h"

#define GC_SCHEDULERS 4
#define GC_LINES_PER_CYCLE 4

struct gc_resident;

struct gc_warp {
  struct gc_event event; /* its wake-up, or its place in a queue; must be first */
  struct gc_resident *resident;
  uint32_t instruction; /* the next one, or GC_NO_INSTRUCTION */
  uint32_t request;     /* of this instruction: those before it are done */
  uint64_t ready;       /* when the slowest of those done is there */
  uint32_t outstanding; /* lines that it requested */
  uint8_t scheduler;
  bool waits_for_own; /* line, because outstanding is at its limit */
  bool retries;       /* has been promised a free entry */
  bool at_barrier;
};

struct gc_resident { /* a block, or room for one */
  struct gc_block block;
  struct gc_warp *warps;
  uint32_t warp_room;
  uint32_t live;    /* warps that have not finished; 0: the room is free */
  uint32_t waiting; /* at the barrier */
  uint64_t ended;   /* cycle */
};

struct gc_queue {
  struct gc_event *first, *last;
};

struct gc_sm {
  unsigned number;
  const struct gc_gpu_model *gpu;
  const struct gc_model_options *options;
  struct gc_l2 *l2;
  struct gc_counts *counts;
  struct gc_loads *loads;
  uint64_t now;
  uint64_t issue[GC_SCHEDULERS]; /* the next free slot */
  unsigned next_scheduler;
  struct gc_queue ready, starving; /* starving: all entries of the SM are in use */
  unsigned outstanding, promised;  /* entries in use; promised to warps that have not retried yet */
  struct gc_lines l1;
  struct gc_in_flight in_flight;
  struct gc_wheel wheel;
  struct gc_sector_set seen;
  struct gc_resident *residents;
  unsigned resident_count, resident_room;
  bool ended; /* a block has ended since the caller cleared this */
};

/* The memory that the pointers mean must outlive *sm. 0 or -ENOMEM. */
int gc_sm_init(struct gc_sm *sm, unsigned number, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options);
void gc_sm_fini(struct gc_sm *sm);

/* Before a kernel: L1 is empty, the time is 0. 0 or -ENOMEM. */
int gc_sm_begin(struct gc_sm *sm, unsigned residents);

/* Starts the block that has been read into residents[i]. A block without instructions ends at once:
 * its room is free then. 0 or -ENOMEM. */
int gc_sm_start(struct gc_sm *sm, unsigned i, uint64_t now);

/* Executes what begins before this cycle. 0 or -ENOMEM. */
int gc_sm_advance(struct gc_sm *sm, uint64_t until);

/* The cycle in which it next has something to do, or GC_NEVER. */
uint64_t gc_sm_next(const struct gc_sm *sm);

#endif
