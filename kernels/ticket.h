/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks in a fixed order: they wait for tickets, which are words in global memory. All SMs see the
 * same words, because the kernels read them through L2 only. Every wait ends after polls_max polls.
 */
#ifndef GPU_TICKET_H
#define GPU_TICKET_H

#include "gpu.h"

/* Polls a word until it holds `value`, at most polls_max times. Returns whether it does. */
static inline uint32_t wait_for(uint64_t word, uint32_t value, uint32_t polls_max)
{
  GPU_NO_UNROLL
  for (uint32_t poll = 0; poll < polls_max; poll++)
    if (gpu_get32(word) == value)
      return 1;
  return 0;
}

/* The same until it holds `value` or more. */
static inline uint32_t wait_until(uint64_t word, uint32_t value, uint32_t polls_max)
{
  GPU_NO_UNROLL
  for (uint32_t poll = 0; poll < polls_max; poll++)
    if (gpu_get32(word) >= value)
      return 1;
  return 0;
}

/* A copy in registers: arguments are constants, and loads of them would take part in what is
 * measured. */
static inline struct gpu_ticket keep_ticket(const struct gpu_ticket *ticket)
{
  return (struct gpu_ticket){.arrived = gpu_keep(ticket->arrived),
                             .next = gpu_keep(ticket->next),
                             .blocks = gpu_keep(ticket->blocks),
                             .launch = gpu_keep(ticket->launch),
                             .sms = gpu_keep(ticket->sms),
                             .polls_max = gpu_keep(ticket->polls_max)};
}

/* Arrives, and waits until the blocks of all launches have arrived. */
static inline uint32_t all_arrived(const struct gpu_ticket *ticket)
{
  if (gpu_thread() == 0)
    gpu_add32(ticket->arrived, 1);
  return !GPU_CONCURRENT || wait_for(ticket->arrived, ticket->blocks, ticket->polls_max);
}

/* Waits for this launch's ticket on this SM. Returns whether it came; then no other launch works on
 * this SM until ticket_passes. */
static inline uint32_t ticket_comes(const struct gpu_ticket *ticket, uint32_t sm)
{
  return all_arrived(ticket) &&
         wait_for(ticket->next + 4ull * sm, ticket->launch, GPU_CONCURRENT ? ticket->polls_max : 1);
}

static inline void ticket_passes(const struct gpu_ticket *ticket, uint32_t sm)
{
  if (gpu_thread() == 0)
    gpu_store32(ticket->next + 4ull * sm, ticket->launch + 1);
}

#endif
