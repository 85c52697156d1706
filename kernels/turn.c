/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More constants than one module can have: several copies of the kernels, each with a bank of its
 * own, share the GPU, and their blocks on one SM take turns. Code may go through the same caches:
 * there is as little of it as possible, and all has been executed once before the turn begins (but
 * on the simulator, whose code goes nowhere).
 */
#include "turn.h"

GPU_KERNEL(turn_constant, gpu_turn_args)
{
  const struct gpu_turn turn = keep_turn(&a.turn);
  const uint32_t sm = gpu_sm(), threshold = gpu_keep(a.threshold);
  const uint64_t result = gpu_keep(a.results) + sm * sizeof(struct gpu_turn_result);
  const uint64_t job = a.jobs + sm * sizeof(struct gpu_turn_job);
  const uint32_t rounds = gpu_keep(2u);
  uint64_t start, end;
  uint32_t loads;

  if (sm >= turn.sms)
    return;
  start = gpu_get64(job);
  end = gpu_get64(job + 8);
  loads = gpu_get32(job + 16);
  GPU_NO_UNROLL
  for (uint32_t round = GPU_TOGETHER ? 0 : 1; round < rounds; round++) {
    const uint32_t n = round ? loads : 1;
    uint64_t at = start, cycles = 0, slow_cycles = 0;
    uint32_t slow = 0;

    if (round && !turn_begins(&turn, sm))
      return;
    GPU_NO_UNROLL
    for (uint32_t k = 0; k < n; k++) {
      uint32_t t;

      at = gpu_timed_load_constant(at, 0, &t);
      at = at == end ? start : at;
      cycles += t;
      slow_cycles += t >= threshold ? t : 0;
      slow += t >= threshold;
    }
    if (gpu_thread() == 0) {
      gpu_store64(result + offsetof(struct gpu_turn_result, cycles), cycles - slow_cycles);
      gpu_store64(result + offsetof(struct gpu_turn_result, cycles) + 8, slow_cycles);
      gpu_store32(result + offsetof(struct gpu_turn_result, slow), slow);
      gpu_store32(result + offsetof(struct gpu_turn_result, loads),
                  round ? loads : GPU_TURN_REHEARSED);
    }
  }
  turn_ends(&turn, sm);
}

#if !defined(__NVPTX__)
#include "stretch.c"
#endif
