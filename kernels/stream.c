/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of all SMs: write rings, bring memory into L2, keep the GPU busy during clock reads.
 */
#include "gpu.h"

GPU_KERNEL(fill, gpu_fill_args)
{
  const uint64_t threads = (uint64_t)gpu_blocks() * gpu_threads();
  const uint64_t first = (uint64_t)gpu_block() * gpu_threads() + gpu_thread();
  const uint64_t count = a.count ? a.count : 1;
  const uint64_t one = a.multiplier % count, all = threads % count * one % count;
  uint64_t at = first % count * one % count; /* first * multiplier modulo count */

  if (gpu_fill(&a))
    return;
  for (uint64_t i = first; i < a.count; i += threads) {
    const uint64_t slot = a.base + at * a.stride;
    const uint64_t next = a.first + (at + one < a.count ? at + one : at + one - a.count) * a.step;

    if (a.slot_bytes == 8)
      gpu_store64(slot, next);
    else
      gpu_store32(slot, (uint32_t)next);
    at = at + all < a.count ? at + all : at + all - a.count;
  }
}

GPU_KERNEL(touch, gpu_touch_args)
{
  const int alone = a.only_sm != GPU_ANY_SM;
  const uint64_t threads = alone ? gpu_threads() : (uint64_t)gpu_blocks() * gpu_threads();
  const uint64_t first =
      alone ? gpu_thread() : (uint64_t)gpu_block() * gpu_threads() + gpu_thread();
  uint64_t sum = 0;

  if (alone && a.only_sm != GPU_EACH_SM && gpu_sm() != a.only_sm)
    return;
  for (uint32_t pass = 0; pass < a.passes; pass++)
    for (uint64_t at = first * GPU_RUN * a.stride; at < a.bytes; at += threads * GPU_RUN * a.stride)
      sum += gpu_load_run(a.base, at, a.bytes, a.stride);
  if (sum == GPU_NEVER)
    gpu_store64(a.sink, sum);
}

GPU_KERNEL(clock, gpu_clock_args)
{
  const uint64_t ns0 = gpu_nanoseconds(), cycles0 = gpu_clock64();
  uint64_t ns1 = ns0, cycles1 = cycles0, longest = 0;

  do {
    const uint64_t before = ns1;

    ns1 = gpu_nanoseconds();
    cycles1 = gpu_clock64_from(cycles1);
    longest = ns1 - before > longest ? ns1 - before : longest;
  } while (ns1 - ns0 < a.nanoseconds);
  if (gpu_block() == 0 && gpu_thread() == 0) {
    gpu_store64(a.result + offsetof(struct gpu_clock_result, cycles), cycles1 - cycles0);
    gpu_store64(a.result + offsetof(struct gpu_clock_result, nanoseconds), ns1 - ns0);
    gpu_store64(a.result + offsetof(struct gpu_clock_result, longest_ns), longest);
  }
}

#if GPU_NVIDIA_PATHS
GPU_KERNEL(constant_base, gpu_constant_base_args)
{
  if (gpu_block() == 0 && gpu_thread() == 0)
    gpu_store64(a.result, gpu_constant_base());
}
#endif
