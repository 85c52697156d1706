/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bank conflicts: all lanes of a warp load from shared memory at once, at addresses that a job
 * chooses. Source: Mei et al. 2014, section 3.1.
 * The method: doc/methods.md, "Banks of shared memory".
 */
#include "chain.h"

GPU_KERNEL(conflicts, gpu_conflicts_args)
{
  const uint32_t count = gpu_keep(a.count), repeats = gpu_keep(a.repeats), n = gpu_keep(a.n);
  const uint64_t first = (uint64_t)gpu_block() * count;
  const uint64_t jobs = gpu_keep(a.jobs) + first * sizeof(struct gpu_conflicts_job);
  const uint64_t results =
      gpu_keep(a.results) + first * repeats * sizeof(struct gpu_latency_result);

  if (gpu_thread() == 0)
    gpu_store32(a.sms + 4ull * gpu_block(), gpu_sm());
  GPU_NO_UNROLL
  for (uint32_t j = 0; j < count; j++) {
    const uint32_t mask = gpu_get32(jobs + 8ull * j), stride = gpu_get32(jobs + 8ull * j + 4);
    const uint32_t offset = (gpu_lane() & mask) * stride;
    const uint64_t result = results + (uint64_t)j * repeats * sizeof(struct gpu_latency_result);
    uint64_t at = GPU_SHARED_BASE + offset, clock = 0;

    gpu_barrier();
    gpu_shared_store32(offset, (uint32_t)at);
    gpu_barrier();
    FOLLOW(lanes, at, n, GPU_LATENCY_UNROLL, clock, mask, stride)
    GPU_NO_UNROLL
    for (uint32_t r = 0; r < repeats; r++)
      TIME_CHAINS(lanes, at, n, GPU_LATENCY_UNROLL, result + r * sizeof(struct gpu_latency_result),
                  mask, stride)
    (void)clock;
  }
}
