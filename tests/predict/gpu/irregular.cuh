/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose addresses depend on data, and a reduction.
 */
#ifndef GC_PREDICT_GPU_IRREGULAR_CUH
#define GC_PREDICT_GPU_IRREGULAR_CUH

#include "access.cuh"

/* A random number for each x (lowbias32 of C. Wellons, public domain). */
__host__ __device__ inline uint32_t random_of(uint32_t x)
{
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/* y = matrix x, the matrix in CSR, a thread for each row. */
template <class A>
__global__ void spmv(A access, const uint32_t *starts, const uint32_t *columns, const float *values,
                     const float *x, float *y)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t i, end;
  float sum = 0;

  access.begin();
  i = access.load(1, starts + row);
  end = access.load(2, starts + row + 1);
  for (; __any_sync(0xffffffff, i < end); i++) { /* so that the warp stays together */
    if (i < end) {
      const uint32_t column = access.load(3, columns + i);

      sum += access.load(4, values + i) * access.load(5, x + column);
    }
  }
  access.store(6, y + row, sum);
}

/* 256 bins; each thread counts n bytes that lie side by side. */
template <class A>
__global__ void histogram(A access, const uint8_t *in, uint32_t *bins, uint32_t n)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

  access.begin();
  for (uint32_t k = 0; k < n; k++)
    access.add(2, bins + access.load(1, in + i * n + k));
}

/* Each thread loads random elements of the table, times times. */
template <class A>
__global__ void gather(A access, const float *table, uint32_t elements, uint32_t times, float *out)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < times; k++)
    sum += access.load(1, table + random_of(i * times + k) % elements);
  access.store(2, out + i, sum);
}

/* Each warp loads random lines of the table. */
template <class A>
__global__ void gather_lines(A access, const float *table, uint32_t lines, uint32_t times,
                             float *out)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < times; k++)
    sum += access.load(1, table + random_of(i / 32 * times + k) % lines * 32 + i % 32);
  access.store(2, out + i, sum);
}

/* Sums n elements; the grid may be smaller. */
template <class A> __global__ void reduction(A access, const float *in, float *out, uint32_t n)
{
  __shared__ float sums[256];
  float sum = 0;

  access.begin();
  for (uint32_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    sum += access.load(1, in + i);
  sums[threadIdx.x] = sum;
  for (uint32_t half = 128; half; half /= 2) {
    access.barrier(2);
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    access.store(3, out + blockIdx.x, sums[0]);
}

#endif
