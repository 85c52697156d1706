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
  const uint64_t result = gpu_keep(a.results) + sm * sizeof(struct gpu_banks_result);
  const uint64_t job = a.jobs + sm * sizeof(struct gpu_banks_job);
  const uint32_t rounds = gpu_keep(2u);
  uint64_t start, end;
  uint32_t loads;

  if (sm >= ticket.sms)
    return;
  start = gpu_get64(job);
  end = gpu_get64(job + 8);
  loads = gpu_get32(job + 16);
  GPU_NO_UNROLL
  for (uint32_t round = GPU_CONCURRENT ? 0 : 1; round < rounds; round++) {
    const uint32_t n = round ? loads : 1;
    uint64_t at = start, cycles = 0, slow_cycles = 0;
    uint32_t slow = 0;

    if (round && !ticket_comes(&ticket, sm))
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
      gpu_store64(result + offsetof(struct gpu_banks_result, cycles), cycles - slow_cycles);
      gpu_store64(result + offsetof(struct gpu_banks_result, cycles) + 8, slow_cycles);
      gpu_store32(result + offsetof(struct gpu_banks_result, slow), slow);
      gpu_store32(result + offsetof(struct gpu_banks_result, loads),
                  round ? loads : GPU_BANKS_REHEARSED);
    }
  }
  ticket_passes(&ticket, sm);
}

#if !defined(__NVPTX__)
#include "bulk.c"
#include "cluster.c"
#include "filler.c"
#include "jumps.c"
#endif
