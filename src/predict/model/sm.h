/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One SM: its blocks and warps, its L1, the lines under way. Assumptions:
 *
 * - Warps wait in a FIFO. The first one executes one instruction; or, if the trace shows that it
 *   needs no data yet, several in a row. They put it to sleep until the slowest sector is there;
 *   then it goes to the back of the FIFO. Until then it goes first.
 * - L1 looks up GC_LINES_PER_CYCLE lines per cycle. (doc/results/predict.md: on an H200, kernels
 *   that mostly hit and load 32 lines with each instruction take 1.1 to 1.4 cycles for each line.)
 * - Other instructions take an issue slot each. There are GC_SCHEDULERS schedulers, each with every
 *   fourth warp and one slot per cycle.
 * - Hits take effect at once: the line is then the newest. A missing sector gets into L1 when it
 *   arrives. Loads of it meanwhile wait for it (hit on miss). Its line evicts another one when it
 *   is requested or when it arrives (gc_cache_geometry.early).
 * - A line under way takes an entry (MSHR) of the SM and of the warp that requested it. If none is
 *   free, the warp keeps its remaining requests and waits for one; such warps get free entries in
 *   turn. If only the entries of the warp itself are in use, it waits for one of its own lines.
 * - Stores go to L2 without waiting. Atomics wait for L2.
 */
#ifndef GC_PREDICT_MODEL_SM_H
#define GC_PREDICT_MODEL_SM_H

#include "predict/model/sm_state.h"

/* The memory that the pointers mean must outlive *sm. 0 or -ENOMEM. */
int gc_sm_init(struct gc_sm *sm, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options);
void gc_sm_fini(struct gc_sm *sm);

/* Before a kernel, with sm->number: L1 is empty, the time is 0, its random numbers begin again. 0
 * or -ENOMEM. */
int gc_sm_begin(struct gc_sm *sm, unsigned residents);

/* Starts the block that has been read into residents[i]. A block without instructions ends at once:
 * its room is free then. 0 or -ENOMEM. */
int gc_sm_start(struct gc_sm *sm, unsigned i, uint64_t now);

/* Executes what begins before this cycle. 0 or -ENOMEM. */
int gc_sm_advance(struct gc_sm *sm, uint64_t until);

/* The cycle in which it next has something to do, or GC_NEVER. */
uint64_t gc_sm_next(const struct gc_sm *sm);

#endif
