/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which caches are one and the same? Either a walk evicts what another walk loaded (pair), or a
 * walk hits what another walk loaded (first_touch). Sources: Größler 2022, sections 4.5 and 4.6;
 * Vanecek et al. (MT4G) 2025, IV-F and IV-G. Each test is one launch, because caches inside the SM
 * are empty at the start of a launch.
 * The method: doc/methods.md, "Sharing" and "First-touch test".
 */
#include "ticket.h"

#define TIMED_WALK(path)                                                                           \
  case GPU_PATH_##path:                                                                            \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t k = 0; k < w->loads; k++) {                                                      \
      uint32_t t;                                                                                  \
                                                                                                   \
      at = gpu_timed_load_##path(at, texture, &t);                                                 \
      at = at == w->end ? w->start : at;                                                           \
      cycles += t;                                                                                 \
      fastest = t < fastest ? t : fastest;                                                         \
      slow += t >= threshold;                                                                      \
      gpu_trace_add(trace, k, t);                                                                  \
    }                                                                                              \
    break;

struct walked {
  uint64_t cycles;        /* raw, of all loads */
  uint32_t fastest, slow; /* slow: loads of `threshold` or more */
};

static inline struct walked timed_walk(const struct gpu_walk *w, uint64_t texture,
                                       uint32_t threshold, struct gpu_trace *trace)
{
  uint64_t cycles = 0, at = gpu_vary(w->start);
  uint32_t fastest = UINT32_MAX, slow = 0;

  switch (w->path) {
    TIMED_WALK(ca)
#if GPU_NVIDIA_PATHS
    TIMED_WALK(nc)
    TIMED_WALK(texture)
    TIMED_WALK(constant)
#endif
#if GPU_AMD_PATHS
    TIMED_WALK(scalar)
#endif
  }
  gpu_trace_end(trace, w->loads);
  return (struct walked){cycles, fastest, slow};
}

static inline struct gpu_walk get_walk(uint64_t address)
{
  const struct gpu_walk walk = {.start = gpu_get64(address),
                                .end = gpu_get64(address + 8),
                                .path = gpu_get32(address + 16),
                                .warp = gpu_get32(address + 20),
                                .loads = gpu_get32(address + 24)};

  return walk;
}

/* Above the hits by half of them, or halfway to the cold loads where these are near. Misses that
 * end in the next level can be much faster than cold loads, which come from further away. */
static inline uint32_t threshold_between(uint32_t hot, uint32_t cold)
{
  const uint32_t half = hot / 2, middle = cold > hot ? (cold - hot) / 2 : 0;

  return hot + (half < middle ? half : middle);
}

GPU_KERNEL(pair, gpu_pair_args)
{
  const uint64_t job = gpu_keep(a.jobs) + gpu_block() * sizeof(struct gpu_pair_job);
  const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_pair_result);
  const uint64_t texture = gpu_keep(a.texture);
  uint32_t threshold = UINT32_MAX, cold = 0;

  GPU_NO_UNROLL
  for (uint32_t phase = 0; phase < GPU_PAIR_PHASES; phase++) {
    const struct gpu_walk w =
        get_walk(job + (phase == GPU_PAIR_OTHER ? offsetof(struct gpu_pair_job, b) : 0));
    struct gpu_trace trace;
    struct walked seen;

    gpu_trace_clear(&trace, 0);
    gpu_barrier();
    if (!gpu_select_warp(w.warp))
      continue;
    seen = timed_walk(&w, texture, threshold, &trace);
    if (phase == GPU_PAIR_COLD)
      cold = w.loads ? (uint32_t)seen.cycles / w.loads : 0;
    if (phase == GPU_PAIR_HOT)
      threshold = threshold_between(seen.fastest, cold);
    if (gpu_lane() == 0) {
      gpu_store64(result + offsetof(struct gpu_pair_result, cycles) + 8 * phase, seen.cycles);
      gpu_store32(result + offsetof(struct gpu_pair_result, slow) + 4 * phase, seen.slow);
      if (phase == GPU_PAIR_HOT) {
        gpu_store32(result + offsetof(struct gpu_pair_result, hot), seen.fastest);
        gpu_store32(result + offsetof(struct gpu_pair_result, threshold), threshold);
      }
    }
  }
  if (gpu_thread() == 0)
    gpu_store32(result + offsetof(struct gpu_pair_result, sm), gpu_sm());
}

enum { FIRST, EVICT, AGAIN, ROUNDS };

GPU_KERNEL(first_touch, gpu_first_touch_args)
{
  const uint64_t result = a.results + gpu_block() * sizeof(struct gpu_first_touch_result);
  const uint64_t traces = gpu_keep(a.traces) + 8ull * a.walk.loads * a.warps * gpu_block();
  const uint64_t texture = gpu_keep(a.texture);
  const uint32_t warps = gpu_keep(a.warps);

  if (gpu_thread() == 0) {
    gpu_store32(result + offsetof(struct gpu_first_touch_result, in_order),
                wait_for(a.ticket, gpu_block(), a.polls_max));
    gpu_store32(result + offsetof(struct gpu_first_touch_result, sm), gpu_sm());
  }
  GPU_NO_UNROLL
  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct gpu_walk w;

    w.start = gpu_keep(round == EVICT ? a.evict.start : a.walk.start);
    w.end = gpu_keep(round == EVICT ? a.evict.end : a.walk.end);
    w.loads = gpu_keep(round == EVICT ? a.evict.loads : a.walk.loads);
    w.path = gpu_keep(a.walk.path);
    GPU_NO_UNROLL
    for (uint32_t warp = 0; warp < warps; warp++) {
      const uint64_t mine = traces + 4ull * w.loads * (2 * warp + (round == AGAIN));
      struct gpu_trace trace;

      gpu_barrier();
      if (!gpu_select_warp(warp))
        continue;
      gpu_trace_clear(&trace, round == EVICT ? 0 : mine);
      timed_walk(&w, texture, UINT32_MAX, &trace);
    }
    gpu_barrier();
    if (round == FIRST && gpu_thread() == 0)
      gpu_store32(a.ticket, gpu_block() + 1);
  }
}
