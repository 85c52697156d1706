/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything behind L1: the TLBs, and L2 with its partitions. Requests come nearly in the order of
 * time. A sector is allocated when it is requested, and pending until it arrives from memory.
 *
 * Without copies, each line has one partition, by a hash of its number. With copies, that is its
 * home; the near partition of the SM is searched first, and keeps what comes from the home, and
 * what the SM stores. An access hits if the near partition or the home has the sector. A store goes
 * to the home; copies of its sectors in other partitions than the near one become invalid.
 */
#ifndef GC_PREDICT_MODEL_L2_H
#define GC_PREDICT_MODEL_L2_H

#include "predict/model/coalesce.h"
#include "predict/model/latency.h"
#include "predict/model/lines.h"
#include "predict/model/run.h"
#include "predict/model/partial.h"
#include "predict/model/set_index.h"
#include "predict/model/tlb.h"

enum gc_l2_access { GC_L2_LOAD, GC_L2_STORE, GC_L2_ATOMIC };

struct gc_l2 {
  const struct gc_gpu_model *gpu;
  const struct gc_half_normal *half_normal;
  bool no_latency;
  uint32_t home_mask; /* home is mix >> 32 & home_mask; UINT32_MAX: it is not that simple */
  bool same_lines;    /* as large as those of L1 */
  bool like_l1;       /* same_lines, and sectors as large as those of L1 */
  unsigned wider, finer; /* logarithm of how much larger or smaller its sectors are than L1's */
  struct gc_coalescer of_l1, of_l2;
  struct gc_set_index index;
  struct gc_lines *partitions;
  struct gc_partial partial;
  struct gc_tlbs tlbs; /* none if loads take no time */
  uint8_t *near;       /* partition of each SM */
  uint64_t *added;     /* lines that the present kernel has added to each partition */
  uint64_t passed;     /* lines in place of those of blocks that a trace leaves out */
  uint64_t random;
  struct gc_counts *counts;
  uint64_t start,
      last; /* cycles before this kernel; the last arrival: time goes on between kernels */
};

/* The GPU and the table must outlive *l2. 0 or -ENOMEM. */
int gc_l2_init(struct gc_l2 *l2, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options, const struct gc_half_normal *half_normal);
void gc_l2_fini(struct gc_l2 *l2);

/* Before a kernel, whose time begins at 0: everything has arrived. */
void gc_l2_begin(struct gc_l2 *l2);

/* Accesses sectors of the line of a request, and stores the cycles after which the last one is
 * there. 0 or -ENOMEM. */
int gc_l2_request(struct gc_l2 *l2, enum gc_l2_access access, unsigned sm,
                  const struct gc_request *request, uint32_t sectors, uint64_t now,
                  uint64_t *cycles);

/* Before a kernel begins: the driver has loaded or stored these bytes, with all SMs; all has arrived.
 * Counts nothing. 0 or -ENOMEM. */
int gc_l2_touch(struct gc_l2 *l2, enum gc_l2_access access, uint64_t address, uint64_t bytes);

/* Whether the present kernel has added lines. */
bool gc_l2_has_added(const struct gc_l2 *l2);

/* Adds lines in place of the blocks that a trace leaves out: to each partition, `times` those that
 * the kernel has added so far. They evict older lines. 0 or -ENOMEM. */
int gc_l2_pass_over(struct gc_l2 *l2, double times);

/* The partition of a line; mix is gc_mix(line). */
GC_ALWAYS_INLINE unsigned gc_l2_home(const struct gc_l2 *l2, unsigned near, uint64_t mix)
{
  if (l2->home_mask != UINT32_MAX)
    return (uint32_t)(mix >> 32) & l2->home_mask;
  return l2->gpu->private_l2 ? near : (uint32_t)(mix >> 32) % l2->gpu->partitions;
}

/* A hint that such a request will come. Both partitions, even if they are the same: the CPU cannot
 * predict that. */
GC_ALWAYS_INLINE void gc_l2_prefetch(const struct gc_l2 *l2, unsigned sm,
                                     const struct gc_request *request)
{
  const unsigned near = l2->near[sm];

  gc_lines_prefetch(&l2->partitions[gc_l2_home(l2, near, request->mix)], request->l2_set,
                    request->mix);
  if (l2->gpu->copies)
    gc_lines_prefetch(&l2->partitions[near], request->l2_set, request->mix);
}

/* After gc_l2_prefetch has had time to load the sets: the lines of the request. */
GC_ALWAYS_INLINE void gc_l2_prefetch_miss(const struct gc_l2 *l2, unsigned sm,
                                          const struct gc_request *request)
{
  const unsigned near = l2->near[sm];

  gc_lines_prefetch_line(&l2->partitions[gc_l2_home(l2, near, request->mix)], request->l2_set,
                         request->mix);
  if (l2->gpu->copies)
    gc_lines_prefetch_line(&l2->partitions[near], request->l2_set, request->mix);
}

#endif
