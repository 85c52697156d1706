/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency under load: a few blocks follow chains of loads, while others read as much as they can.
 * doc/methods.md, "Latency under load".
 */
#include "gpu.h"

#define POLL_EVERY 8   /* rounds: a thousand warps that poll one word all the time keep L2 busy */
#define ROUNDS_ALONE 4 /* of a reader, if the blocks of a launch run one after another */

static inline void follow_chain(const struct gpu_under_load_args *a, uint32_t chain)
{
  const uint32_t warm = gpu_keep(a->warm), loads = gpu_keep(a->loads);
  const uint64_t done = gpu_keep(a->done);
  uint64_t at = gpu_get64(a->starts + 8ull * chain);
  struct gpu_trace trace;

  gpu_trace_clear(&trace, gpu_keep(a->trace) + 4ull * loads * chain);
  GPU_NO_UNROLL
  for (uint32_t k = 0; k < warm; k++)
    at = gpu_load_cg(at, 0);
  GPU_NO_UNROLL
  for (uint32_t k = 0; k < loads; k++) {
    uint32_t t;

    at = gpu_timed_load_cg(at, 0, &t);
    gpu_trace_add(&trace, k, t);
  }
  gpu_trace_end(&trace, loads);
  gpu_await(at);
  if (gpu_thread() == 0)
    gpu_add32(done, 1);
}

/* Returns how many times a warp of the block has read GPU_BANDWIDTH_ROWS rows. */
static inline uint32_t read_on(const struct gpu_under_load_args *a)
{
  const uint64_t row = (uint64_t)gpu_lanes() * 16, bytes = gpu_keep(a->bytes);
  const uint64_t base = a->base + gpu_block() * a->block_first + gpu_warp() * a->warp_first +
                        (row > 16 ? gpu_lane() * 16 : 0);
  const uint64_t done = gpu_keep(a->done);
  const uint32_t count = gpu_keep(a->count), chains = gpu_keep(a->chains);
  uint64_t offset = a->first; /* the same in all lanes: registers of lanes are short */
  struct gpu_words words[GPU_BANDWIDTH_ROWS] = {0};
  uint32_t sum[2] = {0, 0}, k = 0, ended = 0;

  GPU_NO_UNROLL
  do {
    if (k % POLL_EVERY == 0)
      ended = gpu_poll32(done); /* it arrives while the rows are under way */
    GPU_UNROLL
    for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++) {
      sum[0] ^= words[u].word[0] ^ words[u].word[1];
      sum[1] ^= words[u].word[2] ^ words[u].word[3];
      gpu_read_row_cg(&words[u], base + offset + u * row, 0);
    }
    offset += GPU_BANDWIDTH_ROWS * row;
    offset = offset >= bytes ? offset - bytes : offset;
    k++;
  } while (ended != chains && k < (GPU_CONCURRENT ? count : ROUNDS_ALONE));
  GPU_UNROLL
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++) {
    sum[0] ^= words[u].word[0] ^ words[u].word[1];
    sum[1] ^= words[u].word[2] ^ words[u].word[3];
  }
  if (sum[0] == 0x9e3779b9 && sum[1] == 0x7f4a7c15)
    gpu_store64(a->sink, sum[0]);
  return k;
}

GPU_KERNEL(under_load, gpu_under_load_args)
{
  const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_bandwidth_result);
  const uint32_t readers = gpu_blocks() - a.chains;
  const int first = gpu_first_warp();
  uint64_t start = 0, end = 0, rounds = 0;

  if (gpu_block() < readers) {
    gpu_barrier();
    start = gpu_clock64();
    rounds = read_on(&a);
    end = gpu_clock64_from(start);
  } else if (first) {
    follow_chain(&a, gpu_block() - readers);
  }
  if (first) { /* all lanes store the same: the number of a lane would occupy one register more */
    gpu_store64(result + offsetof(struct gpu_bandwidth_result, start), start);
    gpu_store64(result + offsetof(struct gpu_bandwidth_result, end), end);
    gpu_store64(result + offsetof(struct gpu_bandwidth_result, bytes),
                rounds * GPU_BANDWIDTH_ROWS * gpu_warps() * gpu_lanes() * 16);
    gpu_store32(result + offsetof(struct gpu_bandwidth_result, sm), gpu_sm());
  }
}
