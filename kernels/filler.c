/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Straight-line code, longer than any instruction cache: what does it evict from a cache that holds
 * both code and constants?
 */
#include "ticket.h"

GPU_KERNEL(filler, gpu_filler_args)
{
  const uint32_t sm = gpu_sm();
  uint32_t x;

  if (sm >= a.ticket.sms || GPU_TICKETS_DONE(a.ticket.next + 4ull * sm) > a.ticket.launch)
    return;
  if (!ticket_comes(&a.ticket, sm)) {
    GPU_RESUME_LATER();
    return;
  }
  x = gpu_run_code(gpu_clock());
  if (x == 0)
    gpu_store32(a.sink, x);
  gpu_await(x | 1);
  ticket_passes(&a.ticket, sm);
}
