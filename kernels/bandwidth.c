/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth: all warps of a block move rows of 16 bytes per lane. Many rows are independent of each
 * other, so that nothing waits for a single one. The kernels read the clocks only before and after
 * each repetition. They fold what they read into a sum and store it if it has a value that it never
 * has, so that the compiler keeps all loads. Each iteration of the loop reads other addresses, so
 * that the compiler hoists no load.
 * The method: doc/methods.md, "Bandwidth".
 */
#include "gpu.h"

#define ROWS GPU_BANDWIDTH_ROWS

/* row: bytes that one load or store of a warp moves. what: READ, WRITE or PULL, below. The loop
 * keeps its arguments in registers: they lie in constant memory, and loads of them would disturb
 * the measured loads. */
#define BANDWIDTH(name, path, row, what)                                                           \
  GPU_KERNEL(name, gpu_bandwidth_args)                                                             \
  {                                                                                                \
    const uint64_t lane =                                                                          \
        GPU_BASE_##path + (row > 16 ? gpu_lane() * ((row) / gpu_lanes()) : 0);                     \
    const uint64_t base = a.base + lane, bytes = gpu_keep(a.bytes), step = gpu_keep(a.step);       \
    const uint64_t texture = gpu_keep(a.texture), stop = base + bytes;                             \
    const uint64_t first = a.first + gpu_block() * a.block_first + gpu_warp() * a.warp_first;      \
    const uint32_t count = gpu_keep(a.count);                                                      \
    uint32_t sum[2] = {0, 0};                                                                      \
                                                                                                   \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t r = 0; r < a.repeats; r++) {                                                     \
      const uint64_t index = (uint64_t)r * gpu_blocks() + gpu_block();                             \
      const uint64_t result = a.results + index * sizeof(struct gpu_bandwidth_result);             \
      uint64_t at = base + first % bytes, start, end, start_ns, end_ns;                            \
      struct gpu_words words[ROWS] = {0};                                                          \
                                                                                                   \
      gpu_barrier();                                                                               \
      start_ns = gpu_nanoseconds();                                                                \
      end = start = gpu_clock64();                                                                 \
      GPU_NO_UNROLL                                                                                \
      for (uint32_t k = 0; k < count; k++) {                                                       \
        GPU_UNROLL                                                                                 \
        for (uint32_t u = 0; u < ROWS; u++) {                                                      \
          what##_ROW(path, at + u * (row), words[u], sum)                                          \
        }                                                                                          \
        at += step;                                                                                \
        at = at >= stop ? at - bytes : at;                                                         \
        GPU_CLOCK_ADVANCE(end);                                                                    \
      }                                                                                            \
      what##_END(words, sum)                                                                       \
      if (sum[0] == 0x9e3779b9 && sum[1] == 0x7f4a7c15)                                            \
        gpu_store64(a.sink, texture);                                                              \
      gpu_barrier();                                                                               \
      end = gpu_clock64_from(end);                                                                 \
      end_ns = gpu_nanoseconds();                                                                  \
      if (gpu_thread() == 0) {                                                                     \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start), start);                 \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end), end);                     \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start_ns), start_ns);           \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end_ns), end_ns);               \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, bytes),                         \
                    (uint64_t)count * ROWS * gpu_warps() * (row));                                 \
        gpu_store32(result + offsetof(struct gpu_bandwidth_result, sm), gpu_sm());                 \
      }                                                                                            \
    }                                                                                              \
  }

/* A row is folded into the sum only when its registers are needed again, one iteration later. So
 * all ROWS rows of a warp are in flight at any time. */
#define FOLD(words, sum)                                                                           \
  sum[0] ^= words.word[0] ^ words.word[1];                                                         \
  sum[1] ^= words.word[2] ^ words.word[3];

#define READ_ROW(path, at, words, sum)                                                             \
  FOLD(words, sum)                                                                                 \
  gpu_read_row_##path(&words, at, texture);

#define READ_END(words, sum)                                                                       \
  GPU_UNROLL                                                                                       \
  for (uint32_t u = 0; u < ROWS; u++) {                                                            \
    FOLD(words[u], sum)                                                                            \
  }

#define WRITE_ROW(path, at, words, sum)                                                            \
  words.word[0] = sum[0] + k;                                                                      \
  gpu_write_row_##path(&words, at);

#define WRITE_END(words, sum) gpu_written();

/* All rows of an iteration at once, without folding: for paths whose loads the compiler keeps
 * anyway. */
#define PULL_ROW(path, at, words, sum)                                                             \
  if (u == 0)                                                                                      \
    gpu_read_rows_##path(at);

#define PULL_END(words, sum) (void)words;

#define WIDE (gpu_lanes() * 16)

BANDWIDTH(read_ca, ca, WIDE, READ)
BANDWIDTH(read_words, ca4, gpu_lanes() * 4, READ)
BANDWIDTH(read_pairs, ca8, gpu_lanes() * 8, READ)
BANDWIDTH(read_cg, cg, WIDE, READ)
BANDWIDTH(read_shared, shared, WIDE, READ)
BANDWIDTH(write_cg, cg, WIDE, WRITE)
BANDWIDTH(write_shared, shared, WIDE, WRITE)
#if GPU_NVIDIA_PATHS
BANDWIDTH(read_nc, nc, WIDE, READ)
BANDWIDTH(read_texture, texture, WIDE, READ)
BANDWIDTH(read_constant, constant, 16, READ)
#endif
#if GPU_AMD_PATHS
BANDWIDTH(read_scalar, scalar, 16, PULL)
#endif
