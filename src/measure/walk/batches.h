/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches of independent loads on one SM, each batch timed as a whole (kernels/outstanding.c).
 */
#ifndef GC_MEASURE_WALK_BATCHES_H
#define GC_MEASURE_WALK_BATCHES_H

#include "measure/core/bench.h"
#include "measure/results/results.h"

struct gc_batches {
  struct gc_bench *bench;
  uint32_t sm;     /* its number */
  uint32_t warps;  /* that load; each makes at most GPU_BATCH_LOADS loads of a batch */
  uint32_t stride; /* bytes from line to line */
  uint64_t from;   /* bytes of the arena before the first line */
  uint32_t n;
  uint32_t lane_stride; /* bytes from lane to lane; 0: all lanes of a warp load the same word */
  bool once;            /* a second launch would find lines that the first one loaded */
};

/* Bytes from line to line: no cache on the way has a part of two of them in one line. */
uint32_t gc_batches_stride(const struct gc_results *results);

/* One launch: batch i loads counts[i] lines that follow those of batch i - 1. cycles[n]: the time
 * of each batch, raw cycles; all 0 if no block ran on the SM, or several did. 0 or a negative
 * errno. */
int gc_batches_time(const struct gc_batches *batches, const uint32_t *counts, uint32_t *cycles);

#endif
