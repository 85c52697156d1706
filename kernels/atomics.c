/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Atomic operations that return the old value: latency and rate. If nothing used the value, the
 * compiler would turn them into reductions, for which nobody waits. tests/kernels proves that it
 * did not.
 * The method: doc/methods.md, "Atomic operations".
 */
#include "chain.h"

GPU_KERNEL(lines_atomic, gpu_lines_args)
{
  const uint64_t first = gpu_keep(a.first), stride = gpu_keep(a.stride), texture = 0;
  const uint32_t lines = gpu_keep(a.lines), n = gpu_keep(a.n);
  const uint64_t results =
      gpu_keep(a.results) + (uint64_t)gpu_block() * lines * sizeof(struct gpu_latency_result);
  uint32_t line = gpu_block() % lines;

  gpu_store32(a.sms + 4ull * gpu_block(), gpu_sm());
  GPU_NO_UNROLL
  for (uint32_t i = 0; i < lines; i++) {
    uint64_t at = gpu_vary(first + line * stride), clock = 0;

    gpu_store64(at, at);
    FOLLOW(atomic, at, n, GPU_LINES_UNROLL, clock, texture)
    TIME_CHAINS(atomic, at, n, GPU_LINES_UNROLL, results + line * sizeof(struct gpu_latency_result),
                texture)
    line = line + 1 < lines ? line + 1 : 0;
    (void)clock;
  }
}

#define ROWS GPU_BANDWIDTH_ROWS

/* As in the read kernels, an old value is used only one iteration later, so that all lanes have
 * ROWS operations under way. What they add is in a register and the address may differ between
 * lanes as far as the compiler knows; otherwise it would combine the operations of a warp. */
#define ATOMICS(path)                                                                              \
  GPU_KERNEL(atomics_##path, gpu_bandwidth_args)                                                   \
  {                                                                                                \
    const uint64_t at = gpu_vary(GPU_BASE_##path + a.base + a.first % a.bytes);                    \
    const uint32_t count = gpu_keep(a.count);                                                      \
    uint32_t old[ROWS] = {0}, sum = 0;                                                             \
                                                                                                   \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t r = 0; r < a.repeats; r++) {                                                     \
      const uint64_t index = (uint64_t)r * gpu_blocks() + gpu_block();                             \
      const uint64_t result = a.results + index * sizeof(struct gpu_bandwidth_result);             \
      uint64_t start, end, start_ns, end_ns;                                                       \
                                                                                                   \
      gpu_barrier();                                                                               \
      start_ns = gpu_nanoseconds();                                                                \
      end = start = gpu_clock64();                                                                 \
      GPU_NO_UNROLL                                                                                \
      for (uint32_t k = 0; k < count; k++) {                                                       \
        GPU_UNROLL                                                                                 \
        for (uint32_t u = 0; u < ROWS; u++) {                                                      \
          sum ^= old[u];                                                                           \
          old[u] = gpu_add_##path(at, k);                                                          \
        }                                                                                          \
        GPU_CLOCK_ADVANCE(end);                                                                    \
      }                                                                                            \
      GPU_UNROLL                                                                                   \
      for (uint32_t u = 0; u < ROWS; u++)                                                          \
        sum ^= old[u];                                                                             \
      gpu_await(sum & 0x7fffffff);                                                                 \
      gpu_barrier();                                                                               \
      end = gpu_clock64_from(end);                                                                 \
      end_ns = gpu_nanoseconds();                                                                  \
      if (gpu_thread() == 0) {                                                                     \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start), start);                 \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end), end);                     \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, start_ns), start_ns);           \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, end_ns), end_ns);               \
        gpu_store64(result + offsetof(struct gpu_bandwidth_result, bytes),                         \
                    (uint64_t)count * ROWS * gpu_warps() * gpu_lanes());                           \
        gpu_store32(result + offsetof(struct gpu_bandwidth_result, sm), gpu_sm());                 \
      }                                                                                            \
    }                                                                                              \
  }

ATOMICS(cg)
ATOMICS(shared)
#undef ROWS
