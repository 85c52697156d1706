/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of dependent accesses that are timed together: the clock is read only before and after
 * them.
 */
#ifndef GPU_CHAIN_H
#define GPU_CHAIN_H

#include "gpu.h"

/* Does `step` n times, `unroll` of them without a jump in between. */
#define FOLLOW(step, n, unroll, clock)                                                             \
  GPU_NO_UNROLL                                                                                    \
  for (uint32_t k = 0; k < (n); k += (unroll)) {                                                   \
    GPU_UNROLL                                                                                     \
    for (uint32_t u = 0; u < (unroll); u++) {                                                      \
      step;                                                                                        \
    }                                                                                              \
    GPU_CLOCK_ADVANCE(clock);                                                                      \
  }

/* Times n steps and then 2n steps, and stores both times in a struct gpu_latency_result. Each step
 * must depend on `at`, and set it. */
#define TIME_CHAINS(step, at, n, unroll, result)                                                   \
  {                                                                                                \
    uint64_t now, t0, t1, t2;                                                                      \
                                                                                                   \
    gpu_await(result);                                                                             \
    gpu_await(at);                                                                                 \
    now = t0 = gpu_clock64();                                                                      \
    FOLLOW(step, n, unroll, now)                                                                   \
    gpu_await(at);                                                                                 \
    now = t1 = gpu_clock64_from(now);                                                              \
    FOLLOW(step, 2 * n, unroll, now)                                                               \
    gpu_await(at);                                                                                 \
    t2 = gpu_clock64_from(now);                                                                    \
    gpu_store32(result, gpu_cycles(t0, t1));                                                       \
    gpu_store32((result) + 4, gpu_cycles(t1, t2));                                                 \
  }

#endif
