// SPDX-License-Identifier: BSD-3-Clause
// Kernels in CUDA graphs, for tests/gpu/graphs.sh: a graph with two branches, launched twice,
// the first time after an upload, and the same kernels without a graph. Checks the results.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void add(float *a, const float *b, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    a[i] += b[i];
}

__global__ void twice(float *a, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    a[i] += a[i ^ 1] * 0 + a[i];
}

static const int n = 1 << 18;

static void work(float *a, float *b, float *c, cudaStream_t stream, cudaStream_t branch)
{
  cudaEvent_t forked, joined;

  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  add<<<n / 256, 256, 0, stream>>>(a, b, n);
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(branch, forked));
  twice<<<n / 256, 256, 0, branch>>>(c, n);
  CHECK(cudaEventRecord(joined, branch));
  twice<<<n / 128, 128, 0, stream>>>(a, n);
  CHECK(cudaStreamWaitEvent(stream, joined));
  add<<<n / 256, 256, 0, stream>>>(a, c, n);
}

int main()
{
  cudaStream_t stream, branch;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *a, *b, *c;

  CHECK(cudaMallocManaged(&a, n * sizeof *a));
  CHECK(cudaMallocManaged(&b, n * sizeof *b));
  CHECK(cudaMallocManaged(&c, n * sizeof *c));
  for (int i = 0; i < n; i++) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 3;
  }
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&branch));
  work(a, b, c, stream, branch); // a = 2 * 3 + 6, c = 6
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work(a, b, c, stream, branch);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphUpload(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream)); // a = 2 * 14 + 12, c = 12
  CHECK(cudaGraphLaunch(exec, stream)); // a = 2 * 42 + 24, c = 24
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++)
    if (a[i] != 108 || c[i] != 24) {
      printf("a[%d] is %g, c[%d] is %g\n", i, a[i], i, c[i]);
      return 1;
    }
  puts("computed");
  return 0;
}
