/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that goes on and on: what does it push out of a cache that it shares with constants?
 */
#include "turn.h"

GPU_KERNEL(stretch, gpu_stretch_args)
{
  const uint32_t sm = gpu_sm();
  uint32_t x;

  if (sm >= a.turn.sms || !turn_begins(&a.turn, sm))
    return;
  x = gpu_run_code(gpu_clock());
  if (x == 0)
    gpu_store32(a.sink, x);
  gpu_await(x | 1);
  turn_ends(&a.turn, sm);
}
