/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How each GPU reaches the memory of each other one, as nvbandwidth measures it: medians of 7
 * copies, reads and stores of 512 MiB. Independent of the project, as a reference for
 * tests/gpu/peers.sh. Prints a line for each value: from, to, what, GB/s or ns.
 */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BYTES ((size_t)512 << 20)
#define WORDS (BYTES / sizeof(uint4))
#define RUNS 7
#define LINES 2048 /* of the chase */
#define STRIDE 512
#define LOADS 1024

enum what { COPY, READ, WRITE, WHATS };
static const char *const names[WHATS] = {"copy", "read", "write"};

__global__ void read_all(const uint4 *memory, unsigned *sink)
{
  unsigned sum = 0;

  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < WORDS;
       i += (size_t)gridDim.x * blockDim.x)
    sum += memory[i].x ^ memory[i].y ^ memory[i].z ^ memory[i].w;
  if (sum == 0x12345678)
    *sink = sum;
}

__global__ void write_all(uint4 *memory)
{
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < WORDS;
       i += (size_t)gridDim.x * blockDim.x)
    memory[i] = make_uint4(1, 2, 3, 4);
}

/* Each line has the address of the next one. result: nanoseconds, and the last address. */
__global__ void chase(char *line, unsigned long long *result)
{
  unsigned long long start, end;

  for (int i = 0; i < LINES / 2; i++)
    line = (char *)__ldcg((unsigned long long *)line);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  for (int i = 0; i < LOADS; i++)
    line = (char *)__ldcg((unsigned long long *)line);
  result[1] = (unsigned long long)line;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  result[0] = end - start;
}

static double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static double bandwidth(enum what what, int from, char *own, int to, char *other)
{
  std::vector<double> values;
  cudaEvent_t start, end;
  cudaDeviceProp properties;

  CHECK(cudaGetDeviceProperties(&properties, from));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  for (int run = 0; run < RUNS; run++) {
    float ms;

    CHECK(cudaEventRecord(start));
    if (what == COPY)
      CHECK(cudaMemcpyPeerAsync(own, from, other, to, BYTES));
    else if (what == READ)
      read_all<<<4 * properties.multiProcessorCount, 512>>>((uint4 *)other, (unsigned *)own);
    else
      write_all<<<4 * properties.multiProcessorCount, 512>>>((uint4 *)other);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    values.push_back(BYTES / 1e6 / ms);
  }
  return median(values);
}

static double latency(char *own, char *other)
{
  std::vector<char> lines(LINES * STRIDE);
  std::vector<double> values;
  unsigned long long result[2];

  for (int i = 0; i < LINES; i++)
    *(char **)&lines[i * STRIDE] = other + (i + 797) % LINES * STRIDE;
  CHECK(cudaMemcpy(other, lines.data(), lines.size(), cudaMemcpyHostToDevice));
  for (int run = 0; run < RUNS; run++) {
    chase<<<1, 1>>>(other, (unsigned long long *)own);
    CHECK(cudaMemcpy(result, own, sizeof(result), cudaMemcpyDeviceToHost));
    values.push_back((double)result[0] / LOADS);
  }
  return median(values);
}

static void measure(int from, int to)
{
  char *own, *other;
  int can;

  CHECK(cudaDeviceCanAccessPeer(&can, from, to));
  CHECK(cudaSetDevice(to));
  CHECK(cudaMalloc(&other, BYTES));
  CHECK(cudaSetDevice(from));
  CHECK(cudaMalloc(&own, BYTES));
  if (can)
    CHECK(cudaDeviceEnablePeerAccess(to, 0));
  for (int what = COPY; what < (can ? WHATS : READ); what++)
    printf("%d %d %s %.1f\n", from, to, names[what],
           bandwidth((enum what)what, from, own, to, other));
  if (can)
    printf("%d %d latency %.1f\n", from, to, latency(own, other));
  CHECK(cudaFree(own));
  CHECK(cudaSetDevice(to));
  CHECK(cudaFree(other));
}

int main(void)
{
  int count;

  CHECK(cudaGetDeviceCount(&count));
  for (int from = 0; from < count; from++)
    for (int to = 0; to < count; to++)
      if (from != to)
        measure(from, to);
  return 0;
}
