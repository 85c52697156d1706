/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches of independent loads, each batch timed as a whole: how many misses can be under way at
 * the same time? Source: Nugteren et al. 2014, section 5.2. doc/methods.md, "Outstanding misses".
 */
#include "gpu.h"

GPU_KERNEL(outstanding, gpu_outstanding_args)
{
  const uint32_t rounds = gpu_keep(a.rounds), never = gpu_keep(a.never);
  const uint32_t warps = gpu_keep(gpu_warps());
  const uint64_t stride = gpu_keep(a.stride), counts = gpu_keep(a.counts);
  const uint32_t lane_stride = gpu_keep(a.lane_stride);
  uint64_t base = gpu_keep(a.base) + (uint64_t)gpu_lane() * lane_stride;
  uint64_t result = gpu_keep(a.results) + 4 * gpu_warp();

  if (gpu_sm() != a.only_sm)
    return;
  if (gpu_thread() == 0)
    gpu_add32(a.blocks, 1);
  GPU_NO_UNROLL
  for (uint32_t r = 0; r < rounds; r++) {
    const uint32_t lines = gpu_get32(counts + 4ull * r);
    uint64_t start, end;

    gpu_barrier();
    start = gpu_clock64();
    gpu_load_batch(base, stride, lane_stride, lines, warps, never);
    end = gpu_clock64_from(start);
    gpu_barrier();
    if (gpu_lane() == 0)
      gpu_store32(result, gpu_cycles(start, end));
    result += 4ull * warps;
    base += lines * stride;
  }
}
