/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The histogram, the trace and the marks of a chase, spread over the lanes of its warp or wave, so
 * that they stay in registers. nvptx.h and amdgcn.h define GPU_LANES, the number of lanes, and the
 * operations used here.
 */
#ifndef GPU_LANES_H
#define GPU_LANES_H

/* Lane l counts the bins l, l + GPU_LANES and so on. All lanes see the same times, because they
 * load the same addresses together. */
struct gpu_histogram {
  uint32_t count[GPU_HISTOGRAM_BINS / GPU_LANES];
};

GPU_INLINE void gpu_histogram_clear(struct gpu_histogram *h)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_HISTOGRAM_BINS / GPU_LANES; i++)
    h->count[i] = 0;
}

GPU_INLINE void gpu_histogram_add(struct gpu_histogram *h, uint32_t bin)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_HISTOGRAM_BINS / GPU_LANES; i++)
    /* depends on the bin, so it cannot move between the clock reads */
    h->count[i] += bin - GPU_LANES * i == gpu_lane();
}

GPU_INLINE void gpu_histogram_store(const struct gpu_histogram *h, uint64_t address)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_HISTOGRAM_BINS / GPU_LANES; i++)
    gpu_store32(address + 4 * (gpu_lane() + GPU_LANES * i), h->count[i]);
}

GPU_INLINE void gpu_histogram_join(const struct gpu_histogram *h, uint64_t address)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_HISTOGRAM_BINS / GPU_LANES; i++)
    if (h->count[i])
      gpu_add32(address + 4 * (gpu_lane() + GPU_LANES * i), h->count[i]);
}

/* Each lane keeps one of GPU_LANES successive values; then the lanes write them together. */
struct gpu_trace {
  uint64_t address;
  uint32_t value;
};

GPU_INLINE void gpu_trace_clear(struct gpu_trace *trace, uint64_t address)
{
  trace->address = address;
  trace->value = 0;
}

GPU_INLINE void gpu_trace_add(struct gpu_trace *trace, uint32_t index, uint32_t t)
{
  if (index % GPU_LANES == gpu_lane())
    trace->value = t;
  if (trace->address && index % GPU_LANES == GPU_LANES - 1)
    gpu_store32(trace->address + 4ull * (index - (GPU_LANES - 1) + gpu_lane()), trace->value);
}

GPU_INLINE void gpu_trace_end(struct gpu_trace *trace, uint32_t n)
{
  if (trace->address && gpu_lane() < n % GPU_LANES)
    gpu_store32(trace->address + 4ull * (n - n % GPU_LANES + gpu_lane()), trace->value);
}

/* Bit k is bit k % 32 of a word; lane l keeps the words l, l + GPU_LANES and so on. */
struct gpu_marks {
  uint32_t word[GPU_MARKS / 32 / GPU_LANES];
};

GPU_INLINE void gpu_marks_clear(struct gpu_marks *marks)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_MARKS / 32 / GPU_LANES; i++)
    marks->word[i] = 0;
}

GPU_INLINE void gpu_marks_add(struct gpu_marks *marks, uint32_t index, uint32_t bit)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_MARKS / 32 / GPU_LANES; i++)
    marks->word[i] |= (index / 32 - GPU_LANES * i == gpu_lane() ? bit : 0) << index % 32;
}

GPU_INLINE void gpu_marks_store(const struct gpu_marks *marks, uint64_t address)
{
  GPU_UNROLL
  for (uint32_t i = 0; i < GPU_MARKS / 32 / GPU_LANES; i++)
    gpu_store32(address + 4 * (gpu_lane() + GPU_LANES * i), marks->word[i]);
}

/* A part of a sweep. A row is folded into the sum when its registers are needed again, so that all
 * rows of a warp are in flight at any time. `stop` is behind whole parts. */
GPU_INLINE void gpu_sweep_read(uint64_t at, uint64_t stop, struct gpu_words *words, uint32_t *sum)
{
  (void)stop;
  GPU_UNROLL
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++) {
    sum[0] ^= words[u].word[0] ^ words[u].word[1];
    sum[1] ^= words[u].word[2] ^ words[u].word[3];
    gpu_read_row_cg(&words[u], at + 16 * (u * GPU_LANES + gpu_lane()), 0);
  }
}

/* Every word has another value, so that memory cannot be compressed. */
GPU_INLINE void gpu_sweep_write(uint64_t at, uint64_t stop, uint32_t value)
{
  const uint32_t mixed = (uint32_t)(at >> 12) * 0x9e3779b9 ^ gpu_lane() * 0x85ebca6b ^ value;
  const struct gpu_words words = {{mixed, ~mixed, mixed * 0xc2b2ae35, mixed ^ 0x27d4eb2f}};

  (void)stop;
  GPU_UNROLL
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++)
    gpu_write_row_cg(&words, at + 16 * (u * GPU_LANES + gpu_lane()));
}

#endif
