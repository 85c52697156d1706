/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of the shared memory of other blocks of a cluster: doc/methods.md, "Remote shared
 * memory".
 */
#include "gpu.h"

#define AT(member) offsetof(struct gpu_remote_result, member)

static inline uint32_t follow(uint32_t at, uint32_t loads)
{
  GPU_NO_UNROLL
  for (uint32_t k = 0; k < loads; k += GPU_REMOTE_UNROLL) {
    GPU_UNROLL
    for (uint32_t u = 0; u < GPU_REMOTE_UNROLL; u++)
      at = gpu_load_remote(at);
  }
  return at;
}

GPU_KERNEL(remote_shared, gpu_remote_args)
{
  const uint32_t rank = gpu_cluster_rank(), size = gpu_keep(a.size), n = gpu_keep(a.n);
  const uint64_t results =
      gpu_keep(a.results) + (uint64_t)gpu_block() * size * sizeof(struct gpu_remote_result);

  for (uint32_t i = gpu_thread(); i < GPU_REMOTE_SLOTS; i += gpu_threads())
    gpu_shared_store32(4 * i, gpu_remote_address(4 * ((i + 1) % GPU_REMOTE_SLOTS), rank));
  gpu_cluster_barrier();
  GPU_NO_UNROLL
  for (uint32_t step = 0; step < size; step++) {
    const uint32_t other = (rank + step) % size, start = gpu_remote_address(0, other);
    const uint64_t result = results + other * sizeof(struct gpu_remote_result);
    uint32_t at = follow(start, GPU_REMOTE_SLOTS);

    GPU_NO_UNROLL
    for (uint32_t twice = 0; twice < 2; twice++) {
      uint64_t t0, t1;

      gpu_await(at);
      t0 = gpu_clock64();
      at = follow(at, n << twice);
      gpu_await(at);
      t1 = gpu_clock64();
      if (gpu_thread() == 0)
        gpu_store32(result + (twice ? AT(cycles_2n) : AT(cycles_n)), gpu_cycles(t0, t1));
    }
    if (gpu_thread() == 0) {
      gpu_store32(result + AT(sm), gpu_sm());
      gpu_store32(result + AT(ended), at == start);
    }
    gpu_cluster_barrier();
  }
}

#undef AT
