/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chases through all paths of an SM, and chains without clock reads inside.
 * The methods: doc/methods.md, "Timed load" and "Latency".
 */
#include "chase.h"

CHASE(ca)
CHASE(cg)
CHASE(shared)
#if GPU_NVIDIA_PATHS
CHASE(nc)
CHASE(texture)
CHASE(constant)
#endif
#if GPU_AMD_PATHS
CHASE(scalar)
#endif

/* Latency without clock reads inside the chain: see struct gpu_latency_args. */
#define LATENCY(path)                                                                              \
  GPU_KERNEL(latency_##path, gpu_latency_args)                                                     \
  {                                                                                                \
    const uint64_t results = gpu_keep(a.results), texture = gpu_keep(a.texture);                   \
    const uint32_t n = gpu_keep(a.n);                                                              \
    uint64_t at = a.start + GPU_BASE_##path, clock = 0;                                            \
                                                                                                   \
    fill_shared(a.shared_count, a.shared_stride);                                                  \
    FOLLOW(path, at, a.warm, GPU_LATENCY_UNROLL, clock, texture)                                   \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t r = 0; r < a.repeats; r++)                                                       \
      TIME_CHAINS(path, at, n, GPU_LATENCY_UNROLL,                                                 \
                  results + r * sizeof(struct gpu_latency_result), texture)                        \
    gpu_store64(a.sink, at - GPU_BASE_##path);                                                     \
    (void)clock;                                                                                   \
  }

LATENCY(ca)
LATENCY(cg)
LATENCY(shared)
#if GPU_NVIDIA_PATHS
LATENCY(nc)
LATENCY(texture)
LATENCY(constant)
#endif
#if GPU_AMD_PATHS
LATENCY(scalar)
#endif
LATENCY(atomic_shared)
