/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a cache does with stores. A warp stores to places, and then times one load at each of them.
 * Stores of one SM, while others poll the words through L2. doc/methods.md, "Write policy".
 */
#include "gpu.h"

/* Fences would empty L1 on some GPUs, so the kernel waits for its stores by the clock. */
static inline void pass_cycles(uint32_t cycles)
{
  const uint64_t start = gpu_clock64();
  uint64_t now = start;

  /* a reading takes a cycle at least */
  GPU_NO_UNROLL
  for (uint32_t i = 0; i < cycles && gpu_cycles(start, now) < cycles; i++)
    now = gpu_clock64_from(now);
}

#define STORES(path)                                                                               \
  GPU_KERNEL(stores_##path, gpu_stores_args)                                                       \
  {                                                                                                \
    const uint64_t first = gpu_keep(a.first) + gpu_block() * gpu_keep(a.block_step);               \
    const uint64_t place_step = gpu_keep(a.place_step), offset = gpu_keep(a.offset);               \
    const uint32_t places = gpu_keep(a.places), bytes = gpu_keep(a.bytes);                         \
    const uint32_t before = gpu_keep(a.before), wait = gpu_keep(a.wait);                           \
    const uint64_t sms = gpu_keep(a.sms);                                                          \
    struct gpu_trace trace;                                                                        \
                                                                                                   \
    gpu_trace_clear(&trace, gpu_keep(a.trace) + 4ull * places * gpu_block());                      \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = 0; i < before; i++)                                                          \
      gpu_await(gpu_load_##path(first + i * place_step, 0));                                       \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = 0; bytes && i < places; i++)                                                 \
      gpu_store_lanes(first + i * place_step, bytes);                                              \
    pass_cycles(wait);                                                                             \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = 0; i < places; i++) {                                                        \
      uint32_t t;                                                                                  \
                                                                                                   \
      gpu_await(gpu_timed_load_##path(gpu_vary(first + i * place_step + offset), 0, &t));          \
      gpu_trace_add(&trace, i, t);                                                                 \
    }                                                                                              \
    gpu_trace_end(&trace, places);                                                                 \
    if (gpu_thread() == 0)                                                                         \
      gpu_store32(sms + 4ull * gpu_block(), gpu_sm());                                             \
  }

STORES(ca)
STORES(cg)

/* The writer does not end before all others have stopped polling, because the end of a kernel
 * writes back what a cache holds. */
GPU_KERNEL(visible, gpu_visible_args)
{
  const uint64_t word = gpu_keep(a.words) + (uint64_t)(gpu_block() % a.count) * a.step;
  const uint64_t result = gpu_keep(a.results) + 8ull * gpu_block();
  const uint32_t cycles = gpu_keep(a.cycles);
  uint32_t seen = 0;

  if (gpu_block() == a.writer) {
    GPU_NO_UNROLL
    for (uint32_t i = 0; i < a.count; i++)
      gpu_store_lanes(a.words + (uint64_t)i * a.step, 8);
    pass_cycles(4 * cycles);
  } else {
    const uint64_t start = gpu_clock64();
    uint64_t now = start;

    GPU_NO_UNROLL
    for (uint32_t i = 0; i < cycles && !seen && gpu_cycles(start, now) < cycles; i++) {
      seen = gpu_get32(word) != 0;
      now = gpu_clock64_from(now);
    }
  }
  if (gpu_thread() == 0) {
    gpu_store32(result, gpu_sm());
    gpu_store32(result + 4, seen);
  }
}
