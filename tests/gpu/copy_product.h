/* SPDX-License-Identifier: BSD-3-Clause */
/* Two kernels whose time with and without recording is measured. */

// 16 bytes for each thread
__global__ void copy(const float4 *a, float4 *b)
{
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

  b[i] = a[i];
}

// b = a * a
__global__ void product(const float *a, float *b, int n)
{
  __shared__ float s[16][16], t[16][16];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float v = 0;

  for (int k = 0; k < n; k += 16) {
    s[y][x] = a[i * n + k + x];
    t[y][x] = a[(k + y) * n + j];
    __syncthreads();
    for (int m = 0; m < 16; m++)
      v += s[y][m] * t[m][x];
    __syncthreads();
  }
  b[i * n + j] = v;
}
