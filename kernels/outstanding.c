/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches of independent loads, each batch timed as a whole: how many misses can be under way at
 * the same time? Source: Nugteren et al. 2014, section 5.2. doc/methods.md, "Outstanding misses".
 * With other addresses in each lane: how often can an SM make a request? "Departure delay".
 */
#include "gpu.h"

/* BASE: what this lane adds to the addresses; LOAD: the loads of a round. */
#define GPU_BATCHES(NAME, BASE, LOAD)                                                              \
  GPU_KERNEL(NAME, gpu_outstanding_args)                                                           \
  {                                                                                                \
    const uint32_t rounds = gpu_keep(a.rounds), never = gpu_keep(a.never);                         \
    const uint32_t warps = gpu_keep(gpu_warps());                                                  \
    const uint64_t stride = gpu_keep(a.stride), counts = gpu_keep(a.counts);                       \
    uint64_t base = gpu_keep(a.base) + (BASE), result = gpu_keep(a.results) + 4 * gpu_warp();      \
                                                                                                   \
    if (gpu_sm() != a.only_sm)                                                                     \
      return;                                                                                      \
    if (gpu_thread() == 0)                                                                         \
      gpu_add32(a.blocks, 1);                                                                      \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t r = 0; r < rounds; r++) {                                                        \
      const uint32_t lines = gpu_get32(counts + 4ull * r);                                         \
      uint64_t start, end;                                                                         \
                                                                                                   \
      gpu_barrier();                                                                               \
      start = gpu_clock64();                                                                       \
      LOAD;                                                                                        \
      end = gpu_clock64_from(start);                                                               \
      gpu_barrier();                                                                               \
      if (gpu_lane() == 0)                                                                         \
        gpu_store32(result, gpu_cycles(start, end));                                               \
      result += 4ull * warps;                                                                      \
      base += lines * stride;                                                                      \
    }                                                                                              \
  }

GPU_BATCHES(outstanding, 0, gpu_load_batch(base, stride, lines, warps, never))
GPU_BATCHES(departure, (uint64_t)gpu_lane() * a.lane_stride,
            gpu_load_by_lane(base, stride, a.lane_stride, lines, warps, never))
