/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of dependent accesses that are timed together: the clock is read only before and after
 * them.
 */
#ifndef GPU_CHAIN_H
#define GPU_CHAIN_H

#include "gpu.h"

/* at = gpu_load_PATH(at, ...), n times, `unroll` of them without a jump in between. */
#define FOLLOW(path, at, n, unroll, clock, ...)                                                    \
  GPU_NO_UNROLL                                                                                    \
  for (uint32_t k = 0; k < (n); k += (unroll)) {                                                   \
    GPU_CHAIN(path, at, unroll, __VA_ARGS__)                                                       \
    GPU_CLOCK_ADVANCE(clock);                                                                      \
  }

/* Times n such loads and then 2n, and stores both times in a struct gpu_latency_result. */
#define TIME_CHAINS(path, at, n, unroll, result, ...)                                              \
  {                                                                                                \
    uint64_t now, t0, t1, t2;                                                                      \
                                                                                                   \
    gpu_await(result);                                                                             \
    gpu_await(at);                                                                                 \
    now = t0 = gpu_clock64();                                                                      \
    FOLLOW(path, at, n, unroll, now, __VA_ARGS__)                                                  \
    gpu_await(at);                                                                                 \
    now = t1 = gpu_clock64_from(now);                                                              \
    FOLLOW(path, at, 2 * n, unroll, now, __VA_ARGS__)                                              \
    gpu_await(at);                                                                                 \
    t2 = gpu_clock64_from(now);                                                                    \
    gpu_store32(result, gpu_cycles(t0, t1));                                                       \
    gpu_store32((result) + 4, gpu_cycles(t1, t2));                                                 \
  }

#endif
