// SPDX-License-Identifier: BSD-3-Clause
// Programs for tests/gpu/sample.sh:
//   sample threads         kernels and graphs in several streams of several threads, checks the results
//   sample work SECONDS    copies and products, by cuBLAS and by kernels of its own; prints rounds
//   sample rounds NUMBER   so many rounds of the same
#include "check.h"
#include "copy_product.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

#define THREADS 6
#define BLOCKS 66
#define N (BLOCKS * 256)
#define LAUNCHES 2000 // of each of the first three threads
#define GRAPHS 300    // launches of each graph

__global__ void once(unsigned *a)
{
  a[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void often(volatile unsigned *a)
{
  for (int i = 0; i < 20; i++)
    a[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static int count_wrong(const unsigned *a, int full, unsigned often_and_once, unsigned only_once)
{
  std::vector<unsigned> values(N);
  int wrong = 0;

  CHECK(cudaMemcpy(values.data(), a, N * sizeof *a, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    wrong += values[i] != (i < full * 256 ? often_and_once : only_once);
  return wrong;
}

static int launch_kernels(unsigned *a, cudaStream_t stream, int blocks)
{
  for (int i = 0; i < LAUNCHES / 2; i++) {
    once<<<BLOCKS, 256, 0, stream>>>(a);
    often<<<blocks, 256, 0, stream>>>(a);
  }
  CHECK(cudaStreamSynchronize(stream));
  return count_wrong(a, blocks, 21 * LAUNCHES / 2, LAUNCHES / 2);
}

// 25 for each launch of a graph.
static int launch_graphs(unsigned *a, cudaStream_t stream, int graphs)
{
  for (int i = 0; i < graphs; i++) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int k = 0; k < 5; k++)
      once<<<BLOCKS, 256, 0, stream>>>(a);
    often<<<BLOCKS, 256, 0, stream>>>(a);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int k = 0; k < GRAPHS; k++)
      CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
  }
  return count_wrong(a, BLOCKS, 25 * GRAPHS * graphs, 0);
}

static int use_threads()
{
  std::vector<std::thread> threads;
  int wrong[THREADS], sum = 0;

  for (int t = 0; t < THREADS; t++)
    threads.emplace_back([t, &wrong] {
      cudaStream_t stream;
      unsigned *a;

      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      CHECK(cudaMalloc(&a, N * sizeof *a));
      CHECK(cudaMemsetAsync(a, 0, N * sizeof *a, stream));
      wrong[t] = t < 3 ? launch_kernels(a, stream, BLOCKS - t) : launch_graphs(a, stream, t < 5 ? 1 : 10);
    });
  for (int t = 0; t < THREADS; t++) {
    threads[t].join();
    sum += wrong[t];
  }
  printf("%d launches, %d wrong\n", 3 * LAUNCHES + 12 * 6 * GRAPHS, sum);
  return sum > 0;
}

__global__ void fill(float *a)
{
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

  a[i] = i % 97 * 0.01f;
}

static int work(double most_seconds, long most_rounds)
{
  const size_t n = 64 << 20;
  const float one = 1, zero = 0;
  float *a, *b, *c, result[2];
  double seconds = 0;
  long rounds = 0;
  cublasHandle_t blas;

  CHECK(cudaMalloc(&a, n * sizeof *a));
  CHECK(cudaMalloc(&b, n * sizeof *b));
  CHECK(cudaMalloc(&c, n * sizeof *c));
  fill<<<n / 256, 256>>>(a);
  CHECK(cublasCreate(&blas));
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (; seconds < most_seconds && rounds < most_rounds; rounds++) {
    for (int i = 0; i < 10; i++) {
      copy<<<n / 4 / 256, 256>>>((float4 *)a, (float4 *)b);
      product<<<dim3(64, 64), dim3(16, 16)>>>(a, c, 1024);
      CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 1024, 1024, &one, a, 1024, b, 1024,
                        &zero, c + (1 << 20), 1024));
    }
    CHECK(cudaDeviceSynchronize());
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  CHECK(cudaMemcpy(result, c + 12345, sizeof *result, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(result + 1, c + (1 << 20) + 54321, sizeof *result, cudaMemcpyDeviceToHost));
  printf("%ld rounds, %ld launches, %.9g %.9g\n", rounds, 30 * rounds + 1, result[0], result[1]);
  fprintf(stderr, "%.2f s\n", seconds);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 3 && !strcmp(argv[1], "work"))
    return work(atof(argv[2]), 1L << 40);
  if (argc == 3 && !strcmp(argv[1], "rounds"))
    return work(1e9, atol(argv[2]));
  return use_threads();
}
