// SPDX-License-Identifier: BSD-3-Clause
// Loads of the same sectors by two SMs, for tests/gpu/join.sh. SM a loads line k at the time k *
// PERIOD, SM b at that time and a delay, which grows from -RANGE to RANGE from line to line. If two
// requests are joined when they are less than W cycles apart, L2 lacks W / RANGE of the requests of
// one SM. The clocks of the SMs may differ, by less than RANGE. The first argument is the number of
// SM a; each further one is that of an SM b, for which load_pair is launched once.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { LINES = 8192, LINE_WORDS = 32, PERIOD = 4096, RANGE = 1024, START = 20000 };
enum { SHARED = 200 << 10 }; // bytes: an SM has one block

__device__ static int sm_number()
{
  int sm;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ static void load_lines(const float *lines, unsigned *arrived, bool second, float *sink)
{
  float sum = 0;
  long long start;

  if (!threadIdx.x) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < 2) {
    }
  }
  __syncwarp();
  start = clock64() + START;
  for (int k = 0; k < LINES; k++) {
    const int delay = second ? k * (2 * RANGE) / LINES - RANGE : 0;

    while (clock64() < start + (long long)k * PERIOD + delay) {
    }
    sum += __ldcg(lines + LINE_WORDS * ((k * 2654435761u >> 8) % LINES) + threadIdx.x);
  }
  sink[threadIdx.x] = sum;
}

__global__ void fill(float *lines)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < LINES * LINE_WORDS;
       i += gridDim.x * blockDim.x)
    lines[i] = 1;
}

// Brings the lines into the partitions of L2 that are near to both SMs.
__global__ void warm(const float *lines, int a, int b, float *sink)
{
  const int sm = sm_number();
  float sum = 0;

  if (sm != a && sm != b)
    return;
  for (int i = threadIdx.x; i < LINES * LINE_WORDS; i += blockDim.x)
    sum += __ldcg(lines + i);
  sink[threadIdx.x] = sum;
}

__global__ void load_pair(const float *lines, int a, int b, unsigned *arrived, float *sink)
{
  const int sm = sm_number();

  if (sm == a || sm == b)
    load_lines(lines, arrived, sm == b, sink + (sm == b ? LINE_WORDS : 0));
}

int main(int argc, char **argv)
{
  const int a = argc > 1 ? atoi(argv[1]) : 0;
  cudaDeviceProp gpu;
  unsigned *arrived;
  float *lines, *sink;

  CHECK(cudaGetDeviceProperties(&gpu, 0));
  CHECK(cudaFuncSetAttribute(warm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  CHECK(cudaFuncSetAttribute(load_pair, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  CHECK(cudaMalloc(&lines, LINES * LINE_WORDS * sizeof *lines));
  CHECK(cudaMalloc(&sink, 2 * LINE_WORDS * sizeof *sink));
  CHECK(cudaMalloc(&arrived, sizeof *arrived));
  for (int i = 2; i < argc; i++) {
    const int b = atoi(argv[i]);

    CHECK(cudaMemset(arrived, 0, sizeof *arrived));
    fill<<<gpu.multiProcessorCount, LINE_WORDS>>>(lines);
    warm<<<gpu.multiProcessorCount, LINE_WORDS, SHARED>>>(lines, a, b, sink);
    load_pair<<<gpu.multiProcessorCount, LINE_WORDS, SHARED>>>(lines, a, b, arrived, sink);
    CHECK(cudaDeviceSynchronize());
  }
  return 0;
}
