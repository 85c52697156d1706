/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Untimed loads that the lanes of the first warp of a block share.
 */
#ifndef GPU_SIDE_BY_SIDE_H
#define GPU_SIDE_BY_SIDE_H

#include "gpu.h"

#define IN_FLIGHT 4 /* untimed loads of a lane in flight */

/* The threads of the block that work: the first warp. */
static inline uint32_t working_threads(void)
{
  const uint32_t threads = gpu_threads();

  return threads < gpu_lanes() ? threads : gpu_lanes();
}

/* The next address of a lane if the lanes of a block share the loads from start to end, in repeated
 * rounds. */
struct side_by_side {
  uint64_t at, end, round, hop;
};

static inline struct side_by_side begin_lanes(uint64_t start, uint64_t end, uint64_t step)
{
  const uint32_t slots = (uint32_t)((end - start) / step);

  return (struct side_by_side){.at = start + (uint64_t)(gpu_thread() % slots) * step,
                               .end = end,
                               .round = end - start,
                               .hop = (uint64_t)(working_threads() % slots) * step};
}

static inline uint64_t next_of_lane(struct side_by_side *lanes)
{
  const uint64_t at = lanes->at;

  lanes->at += lanes->hop;
  lanes->at -= lanes->at >= lanes->end ? lanes->round : 0;
  return at;
}

/* Makes `loads` loads of one path from start to end and again from start, `step` apart. */
#define LOAD_SIDE_BY_SIDE(path, start, end, step, loads, texture)                                  \
  {                                                                                                \
    struct side_by_side lanes = begin_lanes(start, end, step);                                     \
    const uint32_t slots = GPU_LOADS_SLOTS ? (uint32_t)((end - start) / (step)) : 0;               \
                                                                                                   \
    GPU_LOAD_PASSES(path, start, step, slots, loads, texture);                                     \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t k = GPU_LOADS_SLOTS ? (loads) : 0; k < (loads);                                  \
         k += IN_FLIGHT * working_threads()) {                                                     \
      uint64_t sum = 0; /* of aligned values: never all ones, as gpu_await requires */             \
                                                                                                   \
      GPU_UNROLL                                                                                   \
      for (uint32_t i = 0; i < IN_FLIGHT; i++)                                                     \
        if (k + i * working_threads() + gpu_thread() < (loads))                                    \
          sum += gpu_load_##path(next_of_lane(&lanes), texture);                                   \
      gpu_await(sum);                                                                              \
    }                                                                                              \
  }

#endif
