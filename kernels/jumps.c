/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Timed passes through code that jumps: how long does a jump take if the code has this size? On
 * NVIDIA GPUs ptxas compiles this file without optimizations, because it must keep the layout of
 * the blocks. doc/methods.md, "Instruction cache".
 */
#include "gpu.h"

#define JUMPS(order)                                                                               \
  GPU_KERNEL(jumps_##order, gpu_jumps_args)                                                        \
  {                                                                                                \
    const uint32_t sm = gpu_sm();                                                                  \
    const uint64_t cycles = a.cycles + 4ull * (sm / a.every) * a.count;                            \
                                                                                                   \
    if (sm % a.every != a.from)                                                                    \
      return;                                                                                      \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = 0; i < a.count; i++) {                                                       \
      const uint32_t took = gpu_run_jumps_##order(gpu_get32(a.sizes + 4ull * i), a.passes);        \
                                                                                                   \
      if (gpu_thread() == 0)                                                                       \
        gpu_store32(cycles + 4ull * i, took);                                                      \
    }                                                                                              \
  }

JUMPS(near)
JUMPS(far)
