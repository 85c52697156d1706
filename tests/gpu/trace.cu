// SPDX-License-Identifier: BSD-3-Clause
// Kernels of twelve kinds, as users write them or take them from NVIDIA's libraries, for
// tests/gpu/trace.sh. They were chosen before the first prediction and know nothing of the tracer.
#include "check.h"
#include "copy_product.h"

#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

__global__ void fill(float *a, size_t n)
{
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

  if (i < n)
    a[i] = (i * 2654435761u >> 8 & 0xffff) / 65536.f;
}

__global__ void reduce(const float *a, float *out, size_t n)
{
  __shared__ float s[256];
  float v = 0;

  for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    v += a[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (threadIdx.x < k)
      s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (!threadIdx.x)
    out[blockIdx.x] = s[0];
}

__global__ void transpose(const float *a, float *b, int n)
{
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

  for (int k = 0; k < 32; k += 8)
    t[threadIdx.y + k][threadIdx.x] = a[(size_t)(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    b[(size_t)(y + k) * n + x] = t[threadIdx.x][threadIdx.y + k];
}

__global__ void transpose_naive(const float *a, float *b, int n)
{
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

  b[(size_t)x * n + y] = a[(size_t)y * n + x];
}

__global__ void histogram(const float *a, unsigned *bins, size_t n)
{
  __shared__ unsigned s[256];

  s[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(&s[(int)(a[i] * 255)], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void softmax(const float *a, float *b, int n)
{
  const float *row = a + (size_t)blockIdx.x * n;
  __shared__ float s[32];
  float m = -1e30f, z = 0;

  for (int i = threadIdx.x; i < n; i += blockDim.x)
    m = fmaxf(m, row[i]);
  for (int o = 16; o; o >>= 1)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (!(threadIdx.x & 31))
    s[threadIdx.x >> 5] = m;
  __syncthreads();
  m = s[0];
  for (int i = 1; i < blockDim.x / 32; i++)
    m = fmaxf(m, s[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    z += __expf(row[i] - m);
  for (int o = 16; o; o >>= 1)
    z += __shfl_xor_sync(~0u, z, o);
  if (!(threadIdx.x & 31))
    s[threadIdx.x >> 5] = z;
  __syncthreads();
  z = 0;
  for (int i = 0; i < blockDim.x / 32; i++)
    z += s[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    b[(size_t)blockIdx.x * n + i] = __expf(row[i] - m) / z;
}

__global__ void layernorm(const float *a, float *b, const float *g, int n)
{
  const float *row = a + (size_t)blockIdx.x * n;
  float s = 0, q = 0;

  for (int i = threadIdx.x; i < n; i += 32) {
    s += row[i];
    q += row[i] * row[i];
  }
  for (int o = 16; o; o >>= 1) {
    s += __shfl_xor_sync(~0u, s, o);
    q += __shfl_xor_sync(~0u, q, o);
  }
  s /= n;
  q = rsqrtf(q / n - s * s + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 32)
    b[(size_t)blockIdx.x * n + i] = (row[i] - s) * q * g[i];
}

__global__ void embedding(const float *table, const float *ids, float *out, int width, int rows)
{
  const int id = (int)(ids[blockIdx.x * 977] * rows);

  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[(size_t)blockIdx.x * width + i] = table[(size_t)id * width + i];
}

__global__ void convolution(const float *a, const float *w, float *b, int n)
{
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;

  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++)
        s += a[(size_t)(y + j) * n + x + i] * w[(j + 1) * 3 + i + 1];
    b[(size_t)y * n + x] = s;
  }
}

__global__ void attention(const float *q, const float *k, const float *v, float *o, int n, int d)
{
  extern __shared__ float p[];
  const int row = blockIdx.x;
  float sum = 0;

  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float s = 0;

    for (int i = 0; i < d; i++)
      s += q[row * d + i] * k[j * d + i];
    p[j] = __expf(s * 0.1f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    float s = 0;

    for (int j = 0; j < n; j++) {
      s += p[j] * v[j * d + i];
      sum += p[j];
    }
    o[row * d + i] = s / sum;
  }
}

static void libraries(float *a, float *b, float *c)
{
  const float one = 1, zero = 0;
  size_t bytes = 0;
  void *work = NULL;
  cublasHandle_t blas;
  cufftHandle fft;

  CHECK(cub::DeviceScan::InclusiveSum(NULL, bytes, a, b, 1 << 24));
  CHECK(cudaMalloc(&work, bytes));
  CHECK(cub::DeviceScan::InclusiveSum(work, bytes, a, b, 1 << 24));
  CHECK(cub::DeviceRadixSort::SortKeys(NULL, bytes, (unsigned *)a, (unsigned *)c, 1 << 22));
  CHECK(cudaMalloc(&work, bytes));
  CHECK(cub::DeviceRadixSort::SortKeys(work, bytes, (unsigned *)a, (unsigned *)c, 1 << 22));
  CHECK(cublasCreate(&blas));
  CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 1024, 1024, &one, a, 1024, b, 1024, &zero,
                    c, 1024));
  CHECK(cufftPlan1d(&fft, 1 << 12, CUFFT_C2C, 1 << 10));
  CHECK(cufftExecC2C(fft, (cufftComplex *)a, (cufftComplex *)c, CUFFT_FORWARD));
}

// Twice each, so that the second launch shows the time without loading the code.
static void cost(float *a, float *c, size_t n)
{
  cudaEvent_t begin, end;
  float ms;

  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 4; i++) {
    CHECK(cudaEventRecord(begin));
    if (i < 2)
      copy<<<n / 4 / 256, 256>>>((float4 *)a, (float4 *)c);
    else
      product<<<dim3(64, 64), dim3(16, 16)>>>(a, c, 1024);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("%s: %.3f ms\n", i < 2 ? "copy" : "product", ms);
  }
}

int main(int argc, char **)
{
  const size_t n = 64 << 20;
  float *a, *b, *c;
  unsigned *bins;

  CHECK(cudaMalloc(&a, n * sizeof *a));
  CHECK(cudaMalloc(&b, n * sizeof *b));
  CHECK(cudaMalloc(&c, n * sizeof *c));
  CHECK(cudaMalloc(&bins, 256 * sizeof *bins));
  fill<<<n / 256, 256>>>(a, n);
  fill<<<n / 256, 256>>>(b, n);
  if (argc > 1) {
    cost(a, c, n);
    return 0;
  }
  reduce<<<1056, 256>>>(a, b, n);
  transpose<<<dim3(128, 128), dim3(32, 8)>>>(a, b, 4096);
  transpose_naive<<<dim3(64, 256), dim3(32, 8)>>>(a, b, 2048);
  histogram<<<1056, 256>>>(a, bins, n / 4);
  softmax<<<8192, 256>>>(a, b, 2048);
  layernorm<<<8192, 32>>>(a, b, c, 1024);
  embedding<<<16384, 128>>>(a, b, c, 256, 65536);
  convolution<<<dim3(128, 512), dim3(32, 8)>>>(a, b, c, 4096);
  attention<<<1024, 128, 4096>>>(a, b, b + (1 << 20), c, 1024, 64);
  libraries(a, b, c);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
