/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels in which several warps use more lines than L1 has, so that hits depend on which warp goes
 * next. They judge the order of warps in the model (doc/results/predict.md); they were written
 * before the first prediction.
 */
#ifndef GC_PREDICT_GPU_ORDER_CUH
#define GC_PREDICT_GPU_ORDER_CUH

#include "access.cuh"

/* Each thread finds the largest element of its row, and then sums what is left of the others. */
template <class A> __global__ void softmax_rows(A access, const float *in, float *out, uint32_t n)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0, sum = 0;

  access.begin();
  for (uint32_t k = 0; k < n; k++)
    most = fmaxf(most, access.load(1, in + row * n + k));
  for (uint32_t k = 0; k < n; k++)
    sum += exp2f(access.load(2, in + row * n + k) - most);
  access.store(3, out + row, sum);
}

/* Each thread finds the nearest of some centers to its point of n dimensions. */
template <class A>
__global__ void kmeans(A access, const float *points, const float *centers, float *out, uint32_t n,
                       uint32_t count)
{
  const uint32_t point = blockIdx.x * blockDim.x + threadIdx.x;
  float least = 1e30f;

  access.begin();
  for (uint32_t c = 0; c < count; c++) {
    float distance = 0;

    for (uint32_t k = 0; k < n; k++) {
      const float d =
          access.load(1, points + point * n + k) - access.load(2, centers + c * n + k);

      distance += d * d;
    }
    least = fminf(least, distance);
  }
  access.store(3, out + point, least);
}

/* Each thread multiplies its own matrix of n x n by its own vector. */
template <class A>
__global__ void batched_matvec(A access, const float *a, const float *x, float *y, uint32_t n)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float total = 0;

  access.begin();
  for (uint32_t row = 0; row < n; row++) {
    float sum = 0;

    for (uint32_t k = 0; k < n; k++)
      sum += access.load(1, a + (i * n + row) * n + k) * access.load(2, x + i * n + k);
    total = fmaxf(total, sum);
  }
  access.store(3, y + i, total);
}

#endif
