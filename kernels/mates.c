/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs share a scalar cache? Block after block, each on a CU of its own, looks for marks: the first at
 * a cache finds none and leaves its number there, written in lines that are loaded or not; those who
 * come later read it. Each of them has lines of its own to look at, for looking brings lines in.
 */
#include "turn.h"

/* Loads of one mark, each of a line of its own. Returns whether most of them were there already: then
 * others at this cache loaded them before. Afterwards they are. */
static inline uint32_t find_mark(uint64_t lines, uint32_t stride, uint32_t mark, uint32_t threshold,
                                 uint32_t *doubts)
{
  uint32_t slow = 0;

  GPU_NO_UNROLL
  for (uint32_t k = 0; k < GPU_MATES_COPIES; k++) {
    uint32_t t;

    (void)gpu_timed_load_scalar(lines + (uint64_t)(mark * GPU_MATES_COPIES + k) * stride, 0, &t);
    slow += t >= threshold;
  }
  *doubts += slow && slow < GPU_MATES_COPIES;
  return 2 * slow < GPU_MATES_COPIES;
}

GPU_KERNEL(mates, gpu_mates_args)
{
  const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_mates_result);
  const uint64_t lines = gpu_keep(a.lines), turn = gpu_keep(a.turn);
  const uint32_t stride = gpu_keep(a.stride), threshold = gpu_keep(a.threshold);
  const uint32_t bits = gpu_keep(a.bits), block = gpu_keep(gpu_block());
  const uint32_t in_turn = wait_for(turn, block, gpu_keep(a.patience));
  uint32_t rank = 0, leader = 0, doubts = 0;

  GPU_NO_UNROLL
  while (rank < GPU_MATES_MAX && find_mark(lines, stride, rank, threshold, &doubts))
    rank++;
  GPU_NO_UNROLL
  for (uint32_t i = 0; i < (GPU_MATES_MAX - 1) * bits; i++) {
    const uint32_t reader = 1 + i / bits, bit = i % bits, mark = GPU_MATES_MAX + i;

    if (rank == 0 && (block >> bit & 1)) {
      uint32_t ignored = 0;

      (void)find_mark(lines, stride, mark, threshold, &ignored);
    }
    if (rank == reader)
      leader |= find_mark(lines, stride, mark, threshold, &doubts) << bit;
  }
  if (gpu_thread() == 0) {
    gpu_store32(result + offsetof(struct gpu_mates_result, sm), gpu_sm());
    gpu_store32(result + offsetof(struct gpu_mates_result, in_turn), in_turn);
    gpu_store32(result + offsetof(struct gpu_mates_result, rank), rank);
    gpu_store32(result + offsetof(struct gpu_mates_result, leader), rank ? leader : block);
    gpu_store32(result + offsetof(struct gpu_mates_result, doubts), doubts);
    gpu_store32(turn, block + 1);
  }
}
