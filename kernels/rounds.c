/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks of several parts in one launch: blocks load, wait for one another if they shall, and time
 * single loads of what they or other blocks have loaded. Addresses are computed; everything else is
 * as in chase.c.
 */
#include "side_by_side.h"
#include "ticket.h"

struct round_result {
  uint32_t cycles, slow;
  struct gpu_histogram histogram;
};

static inline void add_result(uint64_t to, const struct round_result *result, uint32_t loads)
{
  gpu_histogram_join(&result->histogram, to + offsetof(struct gpu_chase_result, histogram));
  if (gpu_thread() == 0) {
    gpu_add32(to + offsetof(struct gpu_chase_result, cycles), result->cycles);
    gpu_add32(to + offsetof(struct gpu_chase_result, slow), result->slow);
    gpu_add32(to + offsetof(struct gpu_chase_result, loads), loads);
  }
}

GPU_KERNEL(rounds, gpu_rounds_args)
{
  const uint32_t sms = gpu_keep(a.sms), number = sms ? gpu_sm() : gpu_block();
  const uint32_t rounds = gpu_keep(a.rounds), polls_max = gpu_keep(a.polls_max);
  const uint32_t low = gpu_keep(a.low), shift = gpu_keep(a.shift);
  const uint32_t threshold = gpu_keep(a.threshold), trace_stride = gpu_keep(a.trace_stride);
  const uint64_t results = gpu_keep(a.results), traces = gpu_keep(a.trace);
  const uint64_t arrived = gpu_keep(a.arrived), done = gpu_keep(a.done) + 4ull * number;
  const uint64_t jobs = gpu_keep(a.jobs) + (uint64_t)number * rounds * sizeof(struct gpu_round);
  /* where blocks run one after another, each launch of a block is one round */
  const int resumes = !GPU_CONCURRENT && polls_max;

  if (!gpu_first_warp() || (sms && number >= sms))
    return;
  GPU_NO_UNROLL
  for (uint32_t round = resumes ? gpu_get32(done) : 0; round < rounds; round++) {
    const uint64_t job = jobs + round * sizeof(struct gpu_round);
    const uint64_t start = gpu_get64(job), end = gpu_get64(job + 8), step = gpu_get64(job + 16);
    const uint64_t back = gpu_get64(job + 24);
    const uint32_t loads = gpu_get32(job + 32), how = gpu_get32(job + 36);
    const uint32_t timed = gpu_get32(job + 40), which = gpu_get32(job + 44);
    uint64_t at = start;

    if (how == GPU_ROUND_TOGETHER && loads)
      LOAD_SIDE_BY_SIDE(cg, start, end, step, loads, 0)
    GPU_NO_UNROLL
    for (uint32_t k = 0; how == GPU_ROUND_CHAINED && k < loads;) {
      const uint32_t left = GPU_LOADS_SLOTS ? (uint32_t)((end - at + step - 1) / step) : 1;
      const uint32_t n = left < loads - k ? left : loads - k;

      if (GPU_LOADS_SLOTS)
        GPU_LOAD_SLOTS(cg, at, step, n, 0);
      else
        gpu_await(gpu_load_cg(at, 0));
      k += n;
      at += n * step;
      at -= at >= end ? back : 0;
    }
    if (timed) {
      struct round_result result = {0, 0, {{0}}};
      struct gpu_trace trace;

      gpu_histogram_clear(&result.histogram);
      gpu_trace_clear(&trace, traces ? traces + 4ull * trace_stride * which : 0);
      at = start;
      GPU_NO_UNROLL
      for (uint32_t k = 0; k < timed; k++) {
        uint32_t t, bin;

        gpu_timed_load_cg(at, 0, &t);
        at += step;
        at -= at >= end ? back : 0;
        result.cycles += t;
        result.slow += t >= threshold;
        bin = (t > low ? t - low : 0) >> shift;
        gpu_histogram_add(&result.histogram,
                          bin < GPU_HISTOGRAM_BINS ? bin : GPU_HISTOGRAM_BINS - 1);
        gpu_trace_add(&trace, k, t);
      }
      gpu_trace_end(&trace, timed);
      if (results)
        add_result(results + which * sizeof(struct gpu_chase_result), &result, timed);
    }
    if (sms && gpu_thread() == 0)
      gpu_add32(done, 1);
    if (resumes && round + 1 < rounds) {
      gpu_clock(); /* time passes even if this SM had no loads */
      GPU_RESUME_LATER();
      return;
    }
    if (polls_max && round + 1 < rounds) {
      if (gpu_thread() == 0)
        gpu_add32(arrived, 1);
      if (!wait_until(arrived, (round + 1) * gpu_blocks(), polls_max))
        return;
    }
  }
  if (!sms && gpu_thread() == 0)
    gpu_store32(done, gpu_sm());
}
