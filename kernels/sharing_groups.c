/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs share a scalar cache? Block after block, each on a CU of its own, probes for marks. The
 * first block at a cache finds none and writes its number there, as lines that are in the cache or
 * not; later blocks read it. Each of them has lines of its own to probe, because a probe brings
 * lines in.
 * The method: doc/methods.md, "CUs that share a cache".
 */
#include "ticket.h"

/* Loads each line of a mark. Returns whether most of them were in the cache, that is, whether an
 * earlier block at this cache loaded them. Afterwards all of them are. */
static inline uint32_t find_mark(uint64_t lines, uint32_t stride, uint32_t mark, uint32_t threshold,
                                 uint32_t *doubts)
{
  uint32_t slow = 0;

  GPU_NO_UNROLL
  for (uint32_t k = 0; k < GPU_GROUPS_COPIES; k++) {
    uint32_t t;

    (void)gpu_timed_load_scalar(lines + (uint64_t)(mark * GPU_GROUPS_COPIES + k) * stride, 0, &t);
    slow += t >= threshold;
  }
  *doubts += slow && slow < GPU_GROUPS_COPIES;
  return 2 * slow < GPU_GROUPS_COPIES;
}

GPU_KERNEL(sharing_groups, gpu_sharing_groups_args)
{
  const uint64_t result =
      gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_sharing_groups_result);
  const uint64_t lines = gpu_keep(a.lines), ticket = gpu_keep(a.ticket);
  const uint32_t stride = gpu_keep(a.stride), threshold = gpu_keep(a.threshold);
  const uint32_t bits = gpu_keep(a.bits), block = gpu_keep(gpu_block());
  const uint32_t in_order = wait_for(ticket, block, gpu_keep(a.polls_max));
  uint32_t rank = 0, leader = 0, doubts = 0;

  GPU_NO_UNROLL
  while (rank < GPU_GROUPS_MAX && find_mark(lines, stride, rank, threshold, &doubts))
    rank++;
  GPU_NO_UNROLL
  for (uint32_t i = 0; i < (GPU_GROUPS_MAX - 1) * bits; i++) {
    const uint32_t reader = 1 + i / bits, bit = i % bits, mark = GPU_GROUPS_MAX + i;

    if (rank == 0 && (block >> bit & 1)) {
      uint32_t ignored = 0;

      (void)find_mark(lines, stride, mark, threshold, &ignored);
    }
    if (rank == reader)
      leader |= find_mark(lines, stride, mark, threshold, &doubts) << bit;
  }
  if (gpu_thread() == 0) {
    gpu_store32(result + offsetof(struct gpu_sharing_groups_result, sm), gpu_sm());
    gpu_store32(result + offsetof(struct gpu_sharing_groups_result, in_order), in_order);
    gpu_store32(result + offsetof(struct gpu_sharing_groups_result, rank), rank);
    gpu_store32(result + offsetof(struct gpu_sharing_groups_result, leader), rank ? leader : block);
    gpu_store32(result + offsetof(struct gpu_sharing_groups_result, doubts), doubts);
    gpu_store32(ticket, block + 1);
  }
}
