/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A census of a cache: far more is read than it can hold, then a few slots are looked up, then all
 * is read again, and so on. A cache that is full holds as many lines as it has, whichever these are:
 * so the share of slots that are found, times all that was read, is its capacity, whatever the
 * replacement policy and whatever its sets (methods.md of the project; the host's side is
 * src/measure/census.c). Each block is one warp, so that all of it goes through one and the same
 * cache also where an SM has several.
 */
#include "gpu.h"

/* Loads of a lane that are under way at the same time. */
#define FLIGHT 8

struct region {
  uint64_t first, step, texture;
  uint32_t slots, path;
  uint32_t threads;
};

/* Lanes read neighbours; where a load is one for the whole warp, all lanes read the same. */
#define READ(name, lane, lanes)                                                                    \
  case GPU_PATH_##name:                                                                            \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = (lane); i < r->slots; i += FLIGHT * (lanes)) {                               \
      uint64_t values[FLIGHT];                                                                     \
                                                                                                   \
      GPU_UNROLL                                                                                   \
      for (uint32_t k = 0; k < FLIGHT; k++) {                                                      \
        const uint32_t slot = i + k * (lanes) < r->slots ? i + k * (lanes) : r->slots - 1;         \
                                                                                                   \
        values[k] = gpu_load_##name(r->first + slot * r->step, r->texture);                        \
      }                                                                                            \
      GPU_UNROLL                                                                                   \
      for (uint32_t k = 0; k < FLIGHT; k++)                                                        \
        all |= values[k];                                                                          \
    }                                                                                              \
    break;

/* Once through the region, until all of it has arrived. */
static inline void read_all(const struct region *r)
{
  uint64_t all = 0;

  switch (r->path) {
    READ(ca, gpu_thread(), r->threads)
#if GPU_NVIDIA_PATHS
    READ(nc, gpu_thread(), r->threads)
    READ(texture, gpu_thread(), r->threads)
    READ(constant, 0, 1)
#endif
#if GPU_AMD_PATHS
    READ(scalar, 0, 1)
#endif
  }
  /* what slots hold are multiples of 8 in every form, so this is never all ones */
  gpu_await(all);
}

#define LOOK(name)                                                                                 \
  case GPU_PATH_##name:                                                                            \
    gpu_timed_load_##name(at, r->texture, &t);                                                     \
    break;

/* Is this slot there? */
static inline uint32_t look_up(const struct region *r, uint32_t slot)
{
  const uint64_t at = gpu_vary(r->first + slot * r->step);
  uint32_t t = 0;

  switch (r->path) {
    LOOK(ca)
#if GPU_NVIDIA_PATHS
    LOOK(nc)
    LOOK(texture)
    LOOK(constant)
#endif
#if GPU_AMD_PATHS
    LOOK(scalar)
#endif
  }
  return t;
}

GPU_KERNEL(census, gpu_census_args)
{
  const struct region region = {.first = gpu_keep(a.first),
                                .step = gpu_keep(a.step),
                                .texture = gpu_keep(a.texture),
                                .slots = gpu_keep(a.slots),
                                .path = gpu_keep(a.path),
                                .threads = gpu_vary(gpu_threads())};
  /* each slot twice: the second time it is there for sure, which tells what a hit takes. Varied, as
   * the threads above: or ptxas reads them again in each round, through the constant cache. */
  const uint32_t passes = gpu_keep(a.passes), each = gpu_vary(2 * gpu_keep(a.each));
  const uint32_t looks = gpu_keep(a.rounds) * each;
  const uint64_t chosen = gpu_keep(a.chosen) + 2ull * looks * gpu_block();
  struct gpu_trace trace;
  uint32_t index = 0;

  gpu_trace_clear(&trace, gpu_keep(a.cycles) + 4ull * looks * gpu_block());
  GPU_NO_UNROLL
  while (index < looks) {
    const uint32_t next = index + each;

    GPU_NO_UNROLL
    for (uint32_t pass = index ? 1 : passes; pass; pass--)
      read_all(&region);
    GPU_NO_UNROLL
    for (; index < next; index++)
      gpu_trace_add(&trace, index, look_up(&region, gpu_get32(chosen + 4ull * (index / 2))));
  }
  gpu_trace_end(&trace, looks);
}
