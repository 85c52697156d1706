/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which lines are in the same slice of L2: some SMs keep one line busy with atomic operations, and
 * others time single ones on many lines. Those in the slice of the busy line wait for it. All of
 * them are done where the line is at home, so copies of lines do not matter.
 * And the rate at which SMs read lines of one slice. doc/methods.md, "L2 slices and sides".
 */
#include "chain.h"

#define AT_ONCE 8 /* operations of a thread between two looks whether the probers are done */

/* Every lane has its own word of the line, so that each warp makes full use of it. */
static inline void keep_busy(uint64_t line, uint64_t done, uint32_t until)
{
  const uint64_t at = gpu_vary(line + 4ull * gpu_lane());
  uint32_t sum = 0;

  GPU_NO_UNROLL
  for (uint32_t i = 0; i < GPU_SLICES_ROUNDS && gpu_get32(done) != until; i++) {
    GPU_UNROLL
    for (uint32_t k = 0; k < AT_ONCE; k++)
      sum |= gpu_add_cg(at, 0);
  }
  gpu_await(sum & 0x7fffffff);
}

GPU_KERNEL(slices, gpu_slices_args)
{
  const uint32_t sm = gpu_sm(), of_first = sm < a.sms ? gpu_get32(a.job[0].roles + 4ull * sm) : 0;
  const int second = !of_first && sm < a.sms && a.job[1].roles;
  const uint32_t role = second ? gpu_get32(a.job[1].roles + 4ull * sm) : of_first;
  const uint64_t busy = second ? a.job[1].busy : a.job[0].busy;
  const uint32_t first = gpu_keep(second ? a.job[1].first : a.job[0].first);
  const uint32_t count = gpu_keep(second ? a.job[1].count : a.job[0].count);
  const uint32_t probers = gpu_keep(second ? a.job[1].probers : a.job[0].probers);
  const uint64_t lines = gpu_keep(a.lines) + 8ull * first;
  const uint64_t results = gpu_keep(a.results) + 4ull * first;
  const uint32_t repeats = gpu_keep(a.repeats), tag = gpu_keep(a.tag);

  if (role == GPU_SLICES_BUSY && busy && GPU_OCCUPIES)
    keep_busy(busy, a.done, a.until);
  if (!role || role == GPU_SLICES_BUSY || gpu_thread())
    return;
  if (busy) {
    const uint64_t start = gpu_clock64();

    gpu_occupied(busy, second ? a.job[1].operations : a.job[0].operations);
    GPU_NO_UNROLL
    while (GPU_OCCUPIES && gpu_cycles(start, gpu_clock64_from(start)) < a.head)
      ;
  }
  GPU_NO_UNROLL
  for (uint32_t i = role - 1; i < count; i += probers) {
    const uint64_t at = gpu_get64(lines + 8ull * i);
    uint32_t fastest = 0xffff;

    GPU_NO_UNROLL
    for (uint32_t k = 0; k < repeats; k++) {
      uint64_t before, after, old;
      uint32_t t;

      gpu_await(at);
      before = gpu_clock64();
      old = gpu_load_atomic(at, 0);
      gpu_await(old & 0x7fffffff);
      after = gpu_clock64_from(before);
      t = gpu_cycles(before, after);
      fastest = t < fastest ? t : fastest;
    }
    gpu_store32(results + 4ull * i, tag << 16 | fastest);
  }
  gpu_add32(a.done, 1);
}

GPU_KERNEL(read_lines, gpu_read_lines_args)
{
  const uint32_t sm = gpu_sm(), role = sm < a.sms ? gpu_get32(a.roles + 4ull * sm) : 0;
  const uint64_t result = gpu_keep(a.results) + gpu_block() * sizeof(struct gpu_read_lines_result);
  const uint64_t sink = gpu_keep(a.sink);
  const uint32_t rounds = gpu_keep(a.rounds), nothing = gpu_keep(0u);
  uint64_t at[GPU_READ_LINES], start_ns = 0, end_ns = 0;
  uint32_t word[GPU_READ_LINES] = {0}, sum = 0;

  if (role) {
    const uint64_t lines = gpu_keep(a.lines) + 8ull * GPU_READ_LINES * (role - 1);

    GPU_UNROLL
    for (uint32_t i = 0; i < GPU_READ_LINES; i++)
      at[i] = gpu_get64(lines + 8ull * i);
    GPU_UNROLL
    for (uint32_t i = 0; i < GPU_READ_LINES; i++)
      gpu_await(at[i]);
    start_ns = gpu_nanoseconds();
    GPU_NO_UNROLL
    for (uint32_t r = 0; r < rounds; r++) {
      /* A line is read again only when it has arrived. ptxas takes loads of the same addresses out
       * of a loop, so the addresses depend on what was read before. */
      GPU_UNROLL
      for (uint32_t i = 0; i < GPU_READ_LINES; i++) {
        sum ^= word[i];
        at[i] += word[i] & nothing;
      }
      GPU_UNROLL
      for (uint32_t i = 0; i < GPU_READ_LINES; i++)
        word[i] = gpu_read_line(at[i]);
    }
    GPU_UNROLL
    for (uint32_t i = 0; i < GPU_READ_LINES; i++)
      sum ^= word[i];
    gpu_await(sum & 0x7fffffff);
    end_ns = gpu_nanoseconds();
  }
  if (gpu_thread() == 0) {
    gpu_store64(result + offsetof(struct gpu_read_lines_result, start_ns), start_ns);
    gpu_store64(result + offsetof(struct gpu_read_lines_result, end_ns), end_ns);
    gpu_store32(result + offsetof(struct gpu_read_lines_result, role), role);
    gpu_store32(result + offsetof(struct gpu_read_lines_result, sm), sm);
    if (sum == 0x9e3779b9)
      gpu_store64(sink, sum);
  }
}
