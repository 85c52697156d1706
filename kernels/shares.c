/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks that reside on one SM repeat loads that hit in L1, all at the same time. How often does
 * each block get its data? doc/methods.md, "Order of warps".
 */
#include "gpu.h"

#define WORD 4 /* bytes between the loads of a warp: all in the same sectors */

/* Where the loads of this lane are, and the clock that all blocks of the SM count from. */
struct loading {
  uint64_t at, origin;
  uint32_t lane_stride, loads, warps, never;
};

/* From this time on, and counted from this time until that one. */
struct span {
  uint32_t begin, from, until;
};

/* Repeats the loads. Returns how often they arrived while it was counted. */
static inline uint32_t repeat(const struct loading *l, const struct span *s)
{
  uint32_t count = 0, now;

  GPU_NO_UNROLL
  do
    now = gpu_cycles(l->origin, gpu_clock64_from(l->origin));
  while (now < s->begin);
  GPU_NO_UNROLL
  do {
    gpu_load_by_lane(l->at, WORD, l->lane_stride, l->loads * l->warps, l->warps, l->never);
    now = gpu_cycles(l->origin, gpu_clock64_from(l->origin));
    count += now >= s->from && now < s->until;
  } while (now < s->until);
  return count;
}

/* Returns the number of blocks of the SM that were there before this one. The last one that has
 * written its index states the clock that all count from. */
static inline uint32_t arrive(uint64_t result)
{
  const uint64_t base = GPU_SHARED_BASE;

  if (gpu_thread() == 0) {
    const uint32_t before = gpu_add_cg(result + offsetof(struct gpu_shares_result, arrived), 1);

    gpu_shared_store32(0, before);
    if (before < GPU_SHARES_BLOCKS) {
      gpu_store32(result + offsetof(struct gpu_shares_result, block) + 4ull * before, gpu_block());
      gpu_written();
      if (gpu_add_cg(result + offsetof(struct gpu_shares_result, written), 1) ==
          GPU_SHARES_BLOCKS - 1)
        gpu_store64(result + offsetof(struct gpu_shares_result, origin), gpu_clock64());
    }
  }
  gpu_barrier();
  return (uint32_t)gpu_load_shared(base, 0);
}

/* How many blocks of the SM are older than this one: blocks are launched in the order of their
 * indices. */
static inline uint32_t find_age(uint64_t result)
{
  uint32_t older = 0;

  GPU_NO_UNROLL
  for (uint32_t i = 0; i < GPU_SHARES_BLOCKS; i++)
    older += gpu_get32(result + offsetof(struct gpu_shares_result, block) + 4ull * i) < gpu_block();
  return older;
}

GPU_KERNEL(shares, gpu_shares_args)
{
  const uint64_t started = gpu_clock64();
  const uint32_t sm = gpu_sm(), role = sm < a.sms ? gpu_get32(a.roles + 4ull * sm) : 0;
  const uint64_t result = gpu_keep(a.results) + (role - 1) * sizeof(struct gpu_shares_result);
  const uint64_t origin_word = result + offsetof(struct gpu_shares_result, origin);
  struct loading l = {.at = gpu_keep(a.base) + (uint64_t)gpu_lane() * a.lane_stride,
                      .lane_stride = a.lane_stride,
                      .loads = a.loads,
                      .warps = gpu_keep(gpu_warps()),
                      .never = gpu_keep(a.never)};
  uint64_t count = result + offsetof(struct gpu_shares_result, alone);
  struct span span = {a.alone_begin, a.alone_from, a.alone_until};
  uint32_t before, age;

  /* the block stays, so that no other one takes a place that an SM under test needs */
  GPU_NO_UNROLL
  while (GPU_CONCURRENT && !role && gpu_cycles(started, gpu_clock64_from(started)) < a.until)
    ;
  if (!role)
    return;
  before = arrive(result);
  if (before >= GPU_SHARES_BLOCKS)
    return;
  if (!GPU_CONCURRENT) {
    if (before == GPU_SHARES_BLOCKS - 1)
      gpu_share(&a, result);
    return;
  }
  GPU_NO_UNROLL
  while (!gpu_poll32(origin_word))
    if (gpu_cycles(started, gpu_clock64_from(started)) > a.until)
      return;
  l.origin = gpu_get64(origin_word);
  age = find_age(result);
  /* one loop, so that the loads are in the code once; only the oldest block also works alone */
  GPU_NO_UNROLL
  for (uint32_t together = age > 0; together < 2; together++) {
    uint32_t seen;

    if (together) {
      count = result + offsetof(struct gpu_shares_result, together) + 4ull * before;
      span.begin = a.begin + a.apart * GPU_SHARES_TURN(a.turns, age);
      span.from = a.from;
      span.until = a.until;
    }
    seen = repeat(&l, &span);
    if (gpu_lane() == 0)
      gpu_add32(count, seen);
  }
}

#undef WORD
