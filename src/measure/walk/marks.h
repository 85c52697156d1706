/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks that show which loads miss and store nothing meanwhile (kernels/marks.c).
 */
#ifndef GC_MEASURE_WALK_MARKS_H
#define GC_MEASURE_WALK_MARKS_H

#include "measure/core/bench.h"
#include "measure/walk/path.h"

/* n blocks, each on an SM of its own (n <= SMs), follow a chain from starts[i]: warm untimed loads,
 * then `loads` timed ones, at most GPU_MARKS. Where the chain reaches ends[i] it continues at
 * starts[i]. */
struct gc_marked {
  const uint64_t *starts, *ends; /* [n]; ends NULL: nowhere */
  size_t n;
  uint32_t warm, loads;
  uint32_t threshold, late; /* raw cycles from which a load is slow, and late */
};

/* seen[n]. Returns as the functions in chase.h. */
int gc_marks_walk(struct gc_bench *bench, const struct gc_path *path,
                  const struct gc_marked *marked, struct gpu_marks_result *seen);

static inline bool gc_mark(const uint32_t *marks, uint32_t load)
{
  return marks[load / 32] >> load % 32 & 1;
}

#endif
