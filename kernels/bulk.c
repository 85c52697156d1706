/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulk copies (cp.async.bulk, TMA) from global to shared memory: doc/methods.md, "Bulk copies".
 */
#include "gpu.h"

#define PLACES GPU_BULK_PLACES

GPU_KERNEL(bulk_latency, gpu_bulk_latency_args)
{
  const uint64_t base = gpu_keep(a.base), span = gpu_keep(a.span), step = gpu_keep(a.step);
  const uint32_t copies = gpu_keep(a.copies), parities = copies % 2;
  const uint64_t first = (uint64_t)gpu_block() * copies;
  struct gpu_trace trace;

  gpu_bulk_begin();
  GPU_NO_UNROLL
  for (uint32_t pass = 0; pass < 2; pass++) {
    gpu_trace_clear(&trace, pass ? a.results + 4 * first : 0);
    GPU_NO_UNROLL
    for (uint32_t i = 0; i < copies; i++) {
      const uint64_t from = base + (first + i) * step % span;
      uint32_t t;

      gpu_bulk_expect(0, GPU_BULK_LEAST);
      gpu_timed_bulk_copy(0, GPU_BULK_FIRST, from, GPU_BULK_LEAST, (i + pass * parities) % 2, &t);
      gpu_trace_add(&trace, i, t);
    }
  }
  gpu_trace_end(&trace, copies);
}

/* Where the next copy comes from, and the phases of the barriers, one bit for each. */
struct copying {
  uint64_t base, span, at;
  uint32_t bytes, parities;
};

static inline void copy(struct copying *c, uint32_t n)
{
  GPU_NO_UNROLL
  for (uint32_t i = 0; i < n + PLACES; i++) {
    const uint32_t place = i % PLACES;

    if (i >= PLACES) {
      gpu_bulk_wait(place, c->parities >> place & 1);
      c->parities ^= 1u << place;
    }
    if (i < n) {
      gpu_bulk_expect(place, c->bytes);
      gpu_bulk_copy(place, GPU_BULK_FIRST + place * c->bytes, c->base + c->at, c->bytes);
      c->at = c->at + c->bytes < c->span ? c->at + c->bytes : 0;
    }
  }
}

GPU_KERNEL(bulk_rate, gpu_bulk_rate_args)
{
  struct copying c = {.base = gpu_keep(a.base), .span = gpu_keep(a.span), .bytes = a.bytes};
  const uint32_t n = gpu_keep(a.n), runs = gpu_keep(a.sizes * a.repeats), repeats = a.repeats;
  uint64_t result = gpu_keep(a.results);

  if (gpu_sm() != a.only_sm)
    return;
  gpu_bulk_begin();
  GPU_NO_UNROLL
  for (uint32_t run = 1; run <= runs; run++) {
    GPU_NO_UNROLL
    for (uint32_t twice = 0; twice < 2; twice++) {
      uint64_t t0, t1;

      t0 = gpu_clock64();
      copy(&c, n << twice);
      t1 = gpu_clock64();
      if (gpu_lane() == 0)
        gpu_store32(result, gpu_cycles(t0, t1));
      result += 4;
    }
    if (run % repeats == 0) {
      c.bytes *= 2;
      c.at = 0;
    }
  }
}

#undef PLACES
