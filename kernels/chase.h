/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fine-grained p-chase: every load waits for the one before it and is timed alone (Mei et al. 2014,
 * section 3.2; Größler 2022, section 3.1). The results stay in registers until the end: a histogram
 * spread over the lanes of the warp, and the first slow load. So nothing but the chain itself goes
 * through the cache under test.
 * The method: doc/methods.md, "Timed load".
 */
#ifndef GPU_CHASE_H
#define GPU_CHASE_H

#include "chain.h"
#include "side_by_side.h"

static inline void fill_shared(uint32_t count, uint32_t stride)
{
  const uint32_t threads = gpu_threads(); /* once: on AMD GPUs it is read from memory */

  for (uint32_t i = gpu_thread(); i < count; i += threads)
    gpu_shared_store32(i * stride, GPU_SHARED_BASE + (i + 1 < count ? (i + 1) * stride : 0));
  if (count)
    gpu_barrier();
}

#define CHASE(path)                                                                                \
  GPU_KERNEL(chase_##path, gpu_chase_args)                                                         \
  {                                                                                                \
    const uint32_t number = gpu_block();                                                           \
    const uint64_t job = gpu_keep(a.jobs) + number * sizeof(struct gpu_chase_job);                 \
    const uint64_t result = gpu_keep(a.results) + number * sizeof(struct gpu_chase_result);        \
    const uint32_t low = gpu_keep(a.low), shift = gpu_keep(a.shift);                               \
    const uint32_t threshold = gpu_keep(a.threshold);                                              \
    const uint64_t texture = gpu_keep(a.texture);                                                  \
    uint32_t min = UINT32_MAX, max = 0, slow = 0, first_slow = UINT32_MAX, warm, loads;            \
    uint64_t cycles = 0, start, end, at;                                                           \
    struct gpu_histogram histogram;                                                                \
    struct gpu_trace trace;                                                                        \
                                                                                                   \
    if (!gpu_first_warp())                                                                         \
      return;                                                                                      \
    start = at = gpu_get64(job) + GPU_BASE_##path;                                                 \
    end = gpu_get64(job + 8) + GPU_BASE_##path;                                                    \
    warm = gpu_get32(job + 16);                                                                    \
    loads = gpu_get32(job + 20);                                                                   \
    fill_shared(a.shared_count, a.shared_stride);                                                  \
    gpu_histogram_clear(&histogram);                                                               \
    gpu_trace_clear(&trace, a.trace ? gpu_keep(a.trace) + 4ull * a.trace_stride *number : 0);      \
    if (GPU_LANES_##path && a.warm_step && warm) {                                                 \
      LOAD_SIDE_BY_SIDE(path, start, end, a.warm_step, warm, texture)                              \
    } else {                                                                                       \
      GPU_FOLLOW(path, at, start, end, warm, texture)                                              \
    }                                                                                              \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t k = 0; k < loads; k++) {                                                         \
      uint32_t t, bin;                                                                             \
                                                                                                   \
      at = gpu_timed_load_##path(at, texture, &t);                                                 \
      at = at == end ? start : at;                                                                 \
      cycles += t;                                                                                 \
      min = t < min ? t : min;                                                                     \
      max = t > max ? t : max;                                                                     \
      if (t >= threshold) {                                                                        \
        first_slow = slow ? first_slow : k;                                                        \
        slow++;                                                                                    \
      }                                                                                            \
      bin = (t > low ? t - low : 0) >> shift;                                                      \
      gpu_histogram_add(&histogram, bin < GPU_HISTOGRAM_BINS ? bin : GPU_HISTOGRAM_BINS - 1);      \
      gpu_trace_add(&trace, k, t);                                                                 \
    }                                                                                              \
    gpu_trace_end(&trace, loads);                                                                  \
    gpu_histogram_store(&histogram, result + offsetof(struct gpu_chase_result, histogram));        \
    if (gpu_thread() == 0) {                                                                       \
      gpu_store64(result + offsetof(struct gpu_chase_result, cycles), cycles);                     \
      gpu_store64(result + offsetof(struct gpu_chase_result, last), at - GPU_BASE_##path);         \
      gpu_store32(result + offsetof(struct gpu_chase_result, min), min);                           \
      gpu_store32(result + offsetof(struct gpu_chase_result, max), max);                           \
      gpu_store32(result + offsetof(struct gpu_chase_result, slow), slow);                         \
      gpu_store32(result + offsetof(struct gpu_chase_result, first_slow), first_slow);             \
      gpu_store32(result + offsetof(struct gpu_chase_result, loads), loads);                       \
      gpu_store32(result + offsetof(struct gpu_chase_result, sm), gpu_sm());                       \
    }                                                                                              \
  }

#endif
