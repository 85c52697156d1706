/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels on grids: stencils and a convolution. Threads at the edge use the nearest point inside.
 */
#ifndef GC_PREDICT_GPU_GRID_CUH
#define GC_PREDICT_GPU_GRID_CUH

#include "access.cuh"

__device__ inline uint32_t before(uint32_t i)
{
  return i ? i - 1 : 0;
}

__device__ inline uint32_t after(uint32_t i, uint32_t n)
{
  return i + 1 < n ? i + 1 : i;
}

/* 5 points, n x n. */
template <class A> __global__ void stencil_2d(A access, const float *in, float *out, uint32_t n)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum;

  access.begin();
  sum = access.load(1, in + y * n + x);
  sum += access.load(2, in + y * n + before(x));
  sum += access.load(3, in + y * n + after(x, n));
  sum += access.load(4, in + before(y) * n + x);
  sum += access.load(5, in + after(y, n) * n + x);
  access.store(6, out + y * n + x, sum);
}

/* 7 points, n x n x n. */
template <class A> __global__ void stencil_3d(A access, const float *in, float *out, uint32_t n)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  const uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
  float sum;

  access.begin();
  sum = access.load(1, in + (z * n + y) * n + x);
  sum += access.load(2, in + (z * n + y) * n + before(x));
  sum += access.load(3, in + (z * n + y) * n + after(x, n));
  sum += access.load(4, in + (z * n + before(y)) * n + x);
  sum += access.load(5, in + (z * n + after(y, n)) * n + x);
  sum += access.load(6, in + (before(z) * n + y) * n + x);
  sum += access.load(7, in + (after(z, n) * n + y) * n + x);
  access.store(8, out + (z * n + y) * n + x, sum);
}

/* A filter of 5 x 5 that is in global memory. in has a border of 4 on the right and below. */
template <class A>
__global__ void convolution(A access, const float *in, const float *filter, float *out, uint32_t n)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;

  access.begin();
  for (uint32_t j = 0; j < 5; j++)
    for (uint32_t i = 0; i < 5; i++)
      sum += access.load(1, in + (y + j) * (n + 4) + x + i) * access.load(2, filter + 5 * j + i);
  access.store(3, out + y * n + x, sum);
}

#endif
