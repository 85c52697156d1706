/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All warps of all blocks together read or store a region once; one warp does each part. So caches
 * get each line once, and the time shows what moved between L2 and memory. doc/methods.md, "Write
 * policy".
 */
#include "gpu.h"

GPU_KERNEL(sweep, gpu_sweep_args)
{
  const uint64_t part = (uint64_t)GPU_BANDWIDTH_ROWS * gpu_lanes() * 16;
  const uint64_t base = gpu_keep(a.base), stop = base + gpu_keep(a.bytes);
  const uint64_t step = (uint64_t)gpu_blocks() * gpu_warps() * part;
  const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_sweep_result);
  const uint64_t sink = gpu_keep(a.sink);
  const uint32_t wait_ns = gpu_keep(a.wait_ns);
  struct gpu_words words[GPU_BANDWIDTH_ROWS] = {0};
  uint64_t at = base + ((uint64_t)gpu_block() * gpu_warps() + gpu_warp()) * part;
  uint32_t sum[2] = {0, 0};
  uint64_t start_ns, end_ns;

  gpu_barrier();
  start_ns = gpu_nanoseconds();
  if (wait_ns) {
    const uint64_t begin = start_ns;

    GPU_NO_UNROLL
    while (start_ns - begin < wait_ns)
      start_ns = gpu_nanoseconds();
  }
  if (a.value) {
    GPU_NO_UNROLL
    for (; at < stop; at += step)
      gpu_sweep_write(at, stop, a.value);
    gpu_written();
  } else {
    GPU_NO_UNROLL
    for (; at < stop; at += step)
      gpu_sweep_read(at, stop, words, sum);
    GPU_UNROLL
    for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++) {
      sum[0] ^= words[u].word[0] ^ words[u].word[1];
      sum[1] ^= words[u].word[2] ^ words[u].word[3];
    }
    if (sum[0] == 0x9e3779b9 && sum[1] == 0x7f4a7c15)
      gpu_store64(sink, sum[0]);
  }
  gpu_barrier();
  end_ns = gpu_nanoseconds();
  if (gpu_thread() == 0) {
    gpu_store64(result + offsetof(struct gpu_sweep_result, start_ns), start_ns);
    gpu_store64(result + offsetof(struct gpu_sweep_result, end_ns), end_ns);
  }
}
