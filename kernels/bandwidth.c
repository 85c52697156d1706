/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth: all warps of a block move rows of 16 bytes a lane, many of them independent of each other,
 * so that nothing waits for a single one; the clocks are read only before and after all of it. What is
 * read is folded into a sum that is stored if it has a value it never has, so that no load can be left
 * out; each turn of the loop is somewhere else, so that none can be taken out of it.
 */
#include "gpu.h"

/* row: bytes that one load or store of a warp moves. */
#define BANDWIDTH(name, path, row, rows)                                                           \
  GPU_KERNEL(name, gpu_bandwidth_args)                                                             \
  {                                                                                                \
    const uint64_t lane = GPU_BASE_##path + (row > 16 ? gpu_lane() * 16 : 0);                      \
    const uint64_t end = a.base + lane + a.bytes;                                                  \
    uint64_t first = a.first + gpu_block() * a.block_first + gpu_warp() * a.warp_first;            \
    struct gpu_words sum = {{0, 0, 0, 0}};                                                         \
                                                                                                   \
    first = a.base + lane + first % a.bytes;                                                       \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t r = 0; r < a.repeats; r++) {                                                     \
      const uint64_t result =                                                                      \
        a.results + ((uint64_t)r * gpu_blocks() + gpu_block()) * sizeof(struct gpu_bandwidth_result); \
      uint64_t at = first, start, stop, start_ns, stop_ns;                                         \
                                                                                                   \
      gpu_barrier();                                                                               \
      start_ns = gpu_nanoseconds();                                                                \
      start = gpu_clock64();                                                                       \
      GPU_NO_UNROLL                                                                                \
      for (uint32_t k = 0; k < a.count; k++) {                                                     \
        rows(path, row)                                                                            \
        at += a.step;                                                                              \
        at = at >= end ? at - a.bytes : at;                                                        \
      }                                                                                            \
      if (sum.word[0] == 0x9e3779b9 && sum.word[1] == 0x7f4a7c15)                                  \
        gpu_store64(a.sink, sum.word[0]);                                                          \
      gpu_barrier();                                                                               \
      stop = gpu_clock64();                                                                        \
      stop_ns = gpu_nanoseconds();                                                                 \
      if (gpu_thread() == 0) {                                                                     \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start), start);                 \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end), stop);                    \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start_ns), start_ns);           \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end_ns), stop_ns);              \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, bytes),                         \
                    (uint64_t)a.count * GPU_BANDWIDTH_ROWS * gpu_warps() * (row));                 \
        gpu_store32(result + offsetof(struct gpu_bandwidth_result, sm), gpu_sm());                 \
      }                                                                                            \
    }                                                                                              \
  }

#define READ(path, row)                                                                            \
  const uint64_t texture = gpu_keep(a.texture);                                                    \
  struct gpu_words words[GPU_BANDWIDTH_ROWS];                                                      \
                                                                                                   \
  GPU_UNROLL                                                                                       \
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++)                                                \
    gpu_read_row_##path(&words[u], at + u * (row), texture);                                           \
  GPU_UNROLL                                                                                       \
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++) {                                              \
    sum.word[0] ^= words[u].word[0] ^ words[u].word[1];                                            \
    sum.word[1] ^= words[u].word[2] ^ words[u].word[3];                                            \
  }

#define WRITE(path, row)                                                                           \
  sum.word[2] = k;                                                                                 \
  GPU_UNROLL                                                                                       \
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++)                                                \
    gpu_write_row_##path(&sum, at + u * (row));                                                        \
  if (k + 1 == a.count)                                                                            \
    gpu_written();

#define WIDE (gpu_lanes() * 16)

BANDWIDTH(read_ca, ca, WIDE, READ)
BANDWIDTH(read_cg, cg, WIDE, READ)
BANDWIDTH(read_nc, nc, WIDE, READ)
BANDWIDTH(read_texture, texture, WIDE, READ)
BANDWIDTH(read_constant, constant, 16, READ)
BANDWIDTH(read_shared, shared, WIDE, READ)
BANDWIDTH(write_cg, cg, WIDE, WRITE)
BANDWIDTH(write_shared, shared, WIDE, WRITE)
