/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of linear algebra, with matrices in row-major order. n is the length of a row.
 */
#ifndef GC_PREDICT_GPU_DENSE_CUH
#define GC_PREDICT_GPU_DENSE_CUH

#include "access.cuh"

template <class A> __global__ void vector_add(A access, const float *a, const float *b, float *c)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

  access.begin();
  access.store(3, c + i, access.load(1, a + i) + access.load(2, b + i));
}

template <class A>
__global__ void vector_add_wide(A access, const float4 *a, const float4 *b, float4 *c)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x, y;

  access.begin();
  x = access.load(1, a + i);
  y = access.load(2, b + i);
  access.store(3, c + i, make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w));
}

/* Each thread copies fields of its own structure of n floats, one after the other. */
template <class A> __global__ void copy_fields(A access, const float *in, float *out, uint32_t n)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++)
    sum += access.load(1, in + i * n + k);
  access.store(2, out + i, sum);
}

/* Figure 3 of the paper: one block, each thread copies its row. */
template <class A> __global__ void copy_columns(A access, const float *in, float *out, uint32_t n)
{
  access.begin();
  for (uint32_t k = 0; k < n; k++)
    access.store(2, out + threadIdx.x * n + k, access.load(1, in + threadIdx.x * n + k));
}

/* Loads columns, stores rows. */
template <class A>
__global__ void transpose_naive(A access, const float *in, float *out, uint32_t n)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;

  access.begin();
  access.store(2, out + y * n + x, access.load(1, in + x * n + y));
}

template <class A>
__global__ void transpose_tiled(A access, const float *in, float *out, uint32_t n)
{
  __shared__ float tile[32][33];
  const uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  const uint32_t to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;

  access.begin();
  for (uint32_t k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = access.load(1, in + (y + k) * n + x);
  access.barrier(2);
  for (uint32_t k = 0; k < 32; k += 8)
    access.store(3, out + (to_y + k) * n + to_x, tile[threadIdx.x][threadIdx.y + k]);
}

/* c = a b; a has columns of depth elements. */
template <class A>
__global__ void gemm_naive(A access, const float *a, const float *b, float *c, uint32_t n,
                           uint32_t depth)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < depth; k++)
    sum += access.load(1, a + y * depth + k) * access.load(2, b + k * n + x);
  access.store(3, c + y * n + x, sum);
}

template <class A>
__global__ void gemm_tiled(A access, const float *a, const float *b, float *c, uint32_t n,
                           uint32_t depth)
{
  __shared__ float rows[32][32], columns[32][32];
  const uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;

  access.begin();
  for (uint32_t from = 0; from < depth; from += 32) {
    rows[threadIdx.y][threadIdx.x] = access.load(1, a + y * depth + from + threadIdx.x);
    columns[threadIdx.y][threadIdx.x] = access.load(2, b + (from + threadIdx.y) * n + x);
    access.barrier(3);
    for (uint32_t k = 0; k < 32; k++)
      sum += rows[threadIdx.y][k] * columns[k][threadIdx.x];
    access.barrier(4);
  }
  access.store(5, c + y * n + x, sum);
}

/* c = a a', so that the threads of a warp walk along rows. */
template <class A>
__global__ void syrk(A access, const float *a, float *c, uint32_t n, uint32_t depth)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < depth; k++)
    sum += access.load(1, a + y * depth + k) * access.load(2, a + x * depth + k);
  access.store(3, c + y * n + x, sum);
}

/* The two halves of ATAX and BiCG: a thread for each row, and for each column. */
template <class A>
__global__ void matrix_rows(A access, const float *a, const float *x, float *y, uint32_t n)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++)
    sum += access.load(1, a + row * n + k) * access.load(2, x + k);
  access.store(3, y + row, sum);
}

template <class A>
__global__ void matrix_columns(A access, const float *a, const float *x, float *y, uint32_t n,
                               uint32_t rows)
{
  const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  access.begin();
  for (uint32_t row = 0; row < rows; row++)
    sum += access.load(1, a + row * n + column) * access.load(2, x + row);
  access.store(3, y + column, sum);
}

/* y = a x + b x, as GESUMMV. */
template <class A>
__global__ void gesummv(A access, const float *a, const float *b, const float *x, float *y,
                        uint32_t n)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, sum_b = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++) {
    const float factor = access.load(1, x + k);

    sum += access.load(2, a + row * n + k) * factor;
    sum_b += access.load(3, b + row * n + k) * factor;
  }
  access.store(4, y + row, sum + sum_b);
}

#endif
