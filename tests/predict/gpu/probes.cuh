/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that show what the hardware and its counters do. zero is 0, which the compiler does not
 * know: an address that depends on zero and a loaded value makes the warp wait for that load.
 */
#ifndef GC_PREDICT_GPU_PROBES_CUH
#define GC_PREDICT_GPU_PROBES_CUH

#include "access.cuh"

__device__ inline uint32_t after_load(float loaded, uint32_t zero)
{
  return __float_as_uint(loaded) & zero;
}

/* One warp loads lines of its own, each twice. near: the second load comes at once, when the line
 * is under way; otherwise when the first has arrived. */
template <class A>
__global__ void load_twice(A access, const float *in, float *out, uint32_t lines, bool near,
                           uint32_t zero)
{
  const float *of_block = in + blockIdx.x * lines * 32 + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < lines; k++) {
    const float first = access.load(1, of_block + k * 32);
    const uint32_t wait = near ? 0 : after_load(first, zero);

    sum += first + access.load(2, of_block + k * 32 + zero + wait);
  }
  access.store(3, out + blockIdx.x * 32 + threadIdx.x, sum);
}

/* One warp stores lines of its own, and then loads from each: from what it has stored, or (part)
 * from the sectors of which it has stored only the first 4 bytes. */
template <class A>
__global__ void load_stored(A access, float *lines, float *out, uint32_t count, bool part)
{
  float *of_block = lines + blockIdx.x * count * 32;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < count; k++)
    if (!part || threadIdx.x % 8 == 0)
      access.store(1, of_block + k * 32 + threadIdx.x, 1.0f);
  access.barrier(2);
  for (uint32_t k = 0; k < count; k++)
    if (!part || threadIdx.x % 8 == 1)
      sum += access.load(3, of_block + k * 32 + (threadIdx.x ^ 16));
  access.store(4, out + blockIdx.x * 32 + threadIdx.x, sum);
}

/* One warp stores the first 4 bytes of sectors, and loads 4 bytes of each: those (same) or others.
 * present: it has loaded the sectors before. again: it then loads other bytes once more. */
template <class A>
__global__ void load_part(A access, float *lines, float *out, uint32_t count, bool present,
                          bool same, bool again)
{
  float *of_block = lines + blockIdx.x * count * 32;
  const uint32_t loaded = same ? 0 : 1;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; present && k < count; k++)
    if (threadIdx.x % 8 == 1)
      sum += access.load(1, of_block + k * 32 + threadIdx.x);
  access.barrier(2);
  for (uint32_t k = 0; k < count; k++)
    if (threadIdx.x % 8 == 0)
      access.store(3, of_block + k * 32 + threadIdx.x, 1.0f);
  access.barrier(4);
  for (uint32_t k = 0; k < count; k++)
    if (threadIdx.x % 8 == loaded)
      sum += access.load(5, of_block + k * 32 + (threadIdx.x ^ 16));
  access.barrier(6);
  for (uint32_t k = 0; again && k < count; k++)
    if (threadIdx.x % 8 == 2)
      sum += access.load(7, of_block + k * 32 + (threadIdx.x ^ 8));
  access.store(8, out + blockIdx.x * 32 + threadIdx.x, sum);
}

/* copy_fields, matrix_rows and gesummv, but each load waits for the one before it. */
template <class A>
__global__ void copy_fields_waiting(A access, const float *in, float *out, uint32_t n,
                                    uint32_t zero)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  uint32_t wait = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++) {
    const float loaded = access.load(1, in + i * n + k + wait);

    wait = after_load(loaded, zero);
    sum += loaded;
  }
  access.store(2, out + i, sum);
}

template <class A>
__global__ void matrix_rows_waiting(A access, const float *a, const float *x, float *y, uint32_t n,
                                    uint32_t zero)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t wait = 0;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++) {
    const float element = access.load(1, a + row * n + k + wait);
    const float factor = access.load(2, x + k + after_load(element, zero));

    wait = after_load(factor, zero);
    sum += element * factor;
  }
  access.store(3, y + row, sum);
}

template <class A>
__global__ void gesummv_waiting(A access, const float *a, const float *b, const float *x, float *y,
                                uint32_t n, uint32_t zero)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, sum_b = 0;
  uint32_t wait = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++) {
    const float factor = access.load(1, x + k + wait);
    const float of_a = access.load(2, a + row * n + k + after_load(factor, zero));
    const float of_b = access.load(3, b + row * n + k + after_load(of_a, zero));

    wait = after_load(of_b, zero);
    sum += of_a * factor;
    sum_b += of_b * factor;
  }
  access.store(4, y + row, sum + sum_b);
}

#endif
