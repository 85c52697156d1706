/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking turns: words in global memory that all SMs see, because they are read through L2 only.
 * Nobody waits for ever.
 */
#ifndef GPU_TURN_H
#define GPU_TURN_H

#include "gpu.h"

/* Looks at a word until it holds `value`, or often enough. */
static inline uint32_t wait_for(uint64_t word, uint32_t value, uint32_t patience)
{
  GPU_NO_UNROLL
  for (uint32_t look = 0; look < patience; look++)
    if (gpu_get32(word) == value)
      return 1;
  return 0;
}

/* In registers: arguments are constants, and those take part in what is measured. */
static inline struct gpu_turn keep_turn(const struct gpu_turn *turn)
{
  return (struct gpu_turn){.come = gpu_keep(turn->come),
                           .next = gpu_keep(turn->next),
                           .blocks = gpu_keep(turn->blocks),
                           .launch = gpu_keep(turn->launch),
                           .sms = gpu_keep(turn->sms),
                           .patience = gpu_keep(turn->patience)};
}

/* Comes, and waits for all others to come. */
static inline uint32_t all_have_come(const struct gpu_turn *turn)
{
  if (gpu_thread() == 0)
    gpu_add32(turn->come, 1);
  return !GPU_TOGETHER || wait_for(turn->come, turn->blocks, turn->patience);
}

/* Whether it is this block's turn now; then it has the SM for itself until turn_ends. */
static inline uint32_t turn_begins(const struct gpu_turn *turn, uint32_t sm)
{
  return all_have_come(turn) && wait_for(turn->next + 4ull * sm, turn->launch, turn->patience);
}

static inline void turn_ends(const struct gpu_turn *turn, uint32_t sm)
{
  if (gpu_thread() == 0)
    gpu_store32(turn->next + 4ull * sm, turn->launch + 1);
}

#endif
