/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More constants than one module can have: several copies of the kernels, each with a constant bank
 * of its own, run at the same time, and their blocks on one SM work one after another. Code may go
 * through the same caches as constants. So the kernels are short, and all of their code runs once
 * before the ticket comes. The simulator needs no such rehearsal, because its code goes through no
 * cache. doc/methods.md, "Constant L1.5 over several modules".
 */
#include "ticket.h"

GPU_KERNEL(banks_constant, gpu_banks_args)
{
  const struct gpu_ticket ticket = keep_ticket(&a.ticket);
  const uint32_t sm = gpu_sm(), threshold = gpu_keep(a.threshold);
  const uint32_t polls_max = GPU_CONCURRENT ? ticket.polls_max : 1;
  const uint64_t jobs = gpu_keep(a.jobs), results = gpu_keep(a.results);
  const uint64_t next = ticket.next + 4ull * sm;
  uint32_t turns = gpu_keep(a.turns), rehearses = GPU_CONCURRENT;

  if (sm >= ticket.sms)
    return;
  GPU_NO_UNROLL
  while (turns != GPU_BANKS_NO_TURN) {
    const uint32_t turn = turns & 15u, at_job = turn * ticket.sms + sm;
    const uint64_t job = jobs + at_job * sizeof(struct gpu_banks_job);
    const uint64_t result = results + at_job * sizeof(struct gpu_banks_result);
    const uint64_t start = gpu_get64(job), end = gpu_get64(job + 8);
    const uint32_t loads = gpu_get32(job + 16), n = rehearses ? 1 : loads;
    uint64_t at = start, cycles = 0, slow_cycles = 0;
    uint32_t slow = 0;

    if (turn < GPU_TICKETS_DONE(next)) {
      turns = GPU_BANKS_OTHER_TURNS(turns);
      continue;
    }
    if (!wait_until(next, rehearses ? 0 : turn, polls_max)) {
      GPU_RESUME_LATER();
      return;
    }
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
      gpu_store64(result + offsetof(struct gpu_banks_result, cycles), cycles - slow_cycles);
      gpu_store64(result + offsetof(struct gpu_banks_result, cycles) + 8, slow_cycles);
      gpu_store32(result + offsetof(struct gpu_banks_result, slow), slow);
      gpu_store32(result + offsetof(struct gpu_banks_result, loads),
                  rehearses ? GPU_BANKS_REHEARSED : loads);
    }
    if (!rehearses) {
      if (gpu_thread() == 0)
        gpu_store32(next, turn + 1);
      turns = GPU_BANKS_OTHER_TURNS(turns);
    } else if (!all_arrived(&ticket)) {
      return;
    }
    rehearses = 0;
  }
}

#if !defined(__NVPTX__)
#include "bulk.c"
#include "cluster.c"
#include "filler.c"
#include "jumps.c"
#endif
