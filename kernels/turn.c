/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More constants than one module can have: several copies of the kernels, each with a bank of its
 * own, share the GPU, and their blocks on one SM take turns.
 */
#include "turn.h"

GPU_KERNEL(turn_constant, gpu_turn_args)
{
  const uint32_t sm = gpu_sm();
  const uint64_t job =
      sm < a.turn.sms ? a.chase.jobs + sm * sizeof(struct gpu_chase_job) : a.rehearsal;
  const uint64_t result = a.chase.results + sm % a.turn.sms * sizeof(struct gpu_chase_result);

  GPU_NO_UNROLL
  for (uint32_t round = 0; round < gpu_keep(2u); round++) {
    if (round && !turn_begins(&a.turn, sm)) {
      gpu_store32(result + offsetof(struct gpu_chase_result, loads), 0);
      return;
    }
    CHASE_JOB(constant, a.chase, round ? job : a.rehearsal, result)
  }
  turn_ends(&a.turn, sm);
}

#if !defined(__NVPTX__)
#include "stretch.c"
#endif
