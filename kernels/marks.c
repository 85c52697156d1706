/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A p-chase that notes of each load only whether it was slow, and keeps these bits in registers
 * until the end. So it shows which lines miss, and no store evicts a line meanwhile: the L1 of an
 * H200 allocates lines for stores. The method: doc/methods.md, "Sets and replacement".
 */
#include "gpu.h"

#define MARKS(path)                                                                                \
  GPU_KERNEL(marks_##path, gpu_marks_args)                                                         \
  {                                                                                                \
    const uint64_t job = a.jobs + gpu_block() * sizeof(struct gpu_chase_job);                      \
    const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_marks_result);   \
    const uint32_t threshold = gpu_keep(a.threshold), late = gpu_keep(a.late);                     \
    const uint64_t texture = gpu_keep(a.texture);                                                  \
    uint64_t start, end, at;                                                                       \
    uint32_t warm, loads;                                                                          \
    struct gpu_marks slow, later;                                                                  \
                                                                                                   \
    start = at = gpu_get64(job) + GPU_BASE_##path;                                                 \
    end = gpu_get64(job + 8) + GPU_BASE_##path;                                                    \
    warm = gpu_get32(job + 16);                                                                    \
    loads = gpu_get32(job + 20);                                                                   \
    gpu_marks_clear(&slow);                                                                        \
    gpu_marks_clear(&later);                                                                       \
    GPU_FOLLOW(path, at, start, end, warm, texture)                                                \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t k = 0; k < loads; k++) {                                                         \
      uint32_t t;                                                                                  \
                                                                                                   \
      at = gpu_timed_load_##path(at, texture, &t);                                                 \
      at = at == end ? start : at;                                                                 \
      gpu_marks_add(&slow, k, t >= threshold);                                                     \
      gpu_marks_add(&later, k, t >= late);                                                         \
    }                                                                                              \
    gpu_marks_store(&slow, result + offsetof(struct gpu_marks_result, slow));                      \
    gpu_marks_store(&later, result + offsetof(struct gpu_marks_result, late));                     \
    if (gpu_thread() == 0) {                                                                       \
      gpu_store64(result + offsetof(struct gpu_marks_result, last), at - GPU_BASE_##path);         \
      gpu_store32(result + offsetof(struct gpu_marks_result, loads), loads);                       \
      gpu_store32(result + offsetof(struct gpu_marks_result, sm), gpu_sm());                       \
    }                                                                                              \
  }

MARKS(ca)
#if GPU_NVIDIA_PATHS
MARKS(nc)
MARKS(texture)
MARKS(constant)
#endif
#if GPU_AMD_PATHS
MARKS(scalar)
#endif
