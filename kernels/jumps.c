/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Timed passes through code that jumps: how long does a jump take if the code has this size? And if
 * SMs take turns: has another SM already brought this code into the cache? On NVIDIA GPUs ptxas
 * compiles this file without optimizations, because it must keep the layout of the blocks.
 * doc/methods.md, "Instruction cache".
 */
#include "ticket.h"

/* Waits for this turn: the first one until all SMs are ready, the others until the SMs before have
 * ended. Returns whether it came. The simulator asks blocks again, also those whose turn has ended. */
static inline uint32_t turn_comes(const struct gpu_jumps_args *a, uint32_t turn, uint64_t cycles)
{
  const uint64_t word = turn == 1 ? a->words + 4 : a->words;
  const uint32_t enough = turn == 1 ? a->last : turn - 1;

  if (!GPU_CONCURRENT) {
    const uint32_t early = gpu_get32(a->words) + 1 < turn;

    if (early)
      GPU_RESUME_LATER();
    return !early && !gpu_get32(cycles + 4);
  }
  if (gpu_thread() == 0)
    gpu_add32(a->words + 4, 1);
  GPU_NO_UNROLL
  for (uint32_t poll = 0; poll < a->polls_max; poll++)
    if (gpu_get32(word) >= enough)
      return 1;
  return 0;
}

#define JUMPS(order)                                                                               \
  GPU_KERNEL(jumps_##order, gpu_jumps_args)                                                        \
  {                                                                                                \
    const uint32_t sm = gpu_sm();                                                                  \
    const uint64_t cycles = a.cycles + 4ull * (sm / a.every) * a.count;                            \
    const uint32_t turn = a.turns ? gpu_get32(a.turns + 4ull * sm) : 0;                            \
                                                                                                   \
    if (sm % a.every != a.from || (a.turns && !turn))                                              \
      return;                                                                                      \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = turn && !GPU_CONCURRENT; i < a.count; i++) {                                 \
      uint32_t took;                                                                               \
                                                                                                   \
      if (turn && i == 1 && !turn_comes(&a, turn, cycles))                                         \
        return;                                                                                    \
      took = gpu_run_jumps_##order(gpu_get32(a.sizes + 4ull * i), a.passes);                       \
      if (gpu_thread() == 0)                                                                       \
        gpu_store32(cycles + 4ull * i, took);                                                      \
    }                                                                                              \
    if (turn && gpu_thread() == 0)                                                                 \
      gpu_add32(a.words, 1);                                                                       \
  }

JUMPS(near)
JUMPS(far)
