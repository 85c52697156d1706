/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a constant cache behind the constant L1: doc/methods.md, "Groups of SMs".
 */
#include "ticket.h"

#define AT(member) offsetof(struct gpu_constant_groups_result, member)

GPU_KERNEL(constant_groups, gpu_constant_groups_args)
{
  const uint32_t mine = (a.first + gpu_block() * a.step) % gpu_blocks();
  const uint64_t result =
      gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_constant_groups_result);
  const uint64_t base = gpu_keep(a.base), word = gpu_keep(a.ticket);
  const uint32_t stride = gpu_keep(a.stride), threshold = gpu_keep(a.threshold);
  const uint32_t in_order = wait_for(word, mine, GPU_CONCURRENT ? a.polls_max : 1);
  uint32_t previous = UINT32_MAX, checks = 0, missed = 0, t;

  if (!GPU_CONCURRENT && !in_order) {
    if (gpu_get32(word) < mine)
      GPU_RESUME_LATER();
    return;
  }
  GPU_NO_UNROLL
  for (uint32_t k = mine; k > 0 && checks < GPU_CONSTANT_CHECKS; k--) {
    gpu_await(gpu_timed_load_constant(gpu_vary(base + (uint64_t)(k - 1) * stride), 0, &t));
    if (previous != UINT32_MAX) {
      checks++;
      missed += t >= threshold;
    } else if (t < threshold) {
      previous = k - 1;
    }
  }
  gpu_await(gpu_timed_load_constant(gpu_vary(base + (uint64_t)mine * stride), 0, &t));
  if (gpu_thread() == 0) {
    gpu_store32(result + AT(sm), gpu_sm());
    gpu_store32(result + AT(in_order), in_order);
    gpu_store32(result + AT(ticket), mine);
    gpu_store32(result + AT(previous), previous);
    gpu_store32(result + AT(checks), checks);
    gpu_store32(result + AT(missed), missed);
    gpu_store32(word, mine + 1);
  }
}

#undef AT
