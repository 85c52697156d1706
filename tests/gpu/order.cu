/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which warps of an SM go first, and where their loads wait: tests/gpu/order.sh. Independent of the
 * project. doc/results/predict.md explains what it prints. All tables are of one SM of GPU 0; blocks
 * are in the order in which they started.
 */
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define LINE 128
#define CYCLES 150000   /* of the part with shares */
#define APART (1 << 20) /* bytes between the lines of different SMs */
#define POOL ((size_t)640 << 20)
#define FLUSH ((size_t)400 << 20) /* bytes at the end of the pool; more than any L2 */

struct Seen { /* by a warp */
  uint32_t sm, start, count, end;
};

__device__ uint32_t sm_number()
{
  uint32_t sm;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ uint32_t cycles()
{
  uint32_t now;

  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

__device__ uint32_t load(const char *p)
{
  uint32_t value;

  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(p));
  return value;
}

/* All memory holds 0, which the compiler does not know: what depends on it waits for the data. */
template <int LOADS> __device__ uint32_t load_some(const char *p, uint32_t step)
{
  uint32_t values[LOADS], sum = 0;

#pragma unroll
  for (int i = 0; i < LOADS; i++)
    values[i] = load(p + i * step);
#pragma unroll
  for (int i = 0; i < LOADS; i++)
    sum += values[i];
  return sum;
}

/* Each warp repeats: LOADS loads of 32 lines each, which all hit in L1; then it waits for the data.
 * How often in so many cycles? All blocks are resident and begin together. */
template <int LOADS> __global__ void shares(const char *pool, uint32_t *arrived, Seen *seen)
{
  const uint32_t lane = threadIdx.x % 32, started = cycles();
  const char *p = pool + (size_t)sm_number() * APART + lane * LINE;
  uint32_t zero = load_some<LOADS>(p, 4), count = 0, first;

  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1 + zero);
    while (*(volatile uint32_t *)arrived < gridDim.x)
      ;
  }
  __syncthreads();
  first = cycles();
  do {
    zero = load_some<LOADS>(p + zero, 4);
    count++;
  } while (cycles() + zero - first < CYCLES);
  if (lane == 0)
    seen[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = Seen{sm_number(), started, count, 0};
}

/* The same, as often for each warp. More blocks than fit: a new one takes the place of an old one. */
__global__ void turns(const char *pool, uint32_t iterations, Seen *seen)
{
  const char *p = pool + (size_t)sm_number() * APART + threadIdx.x % 32 * LINE;
  const uint32_t started = cycles();
  uint32_t zero = 0;

  /* not all the same, so that blocks do not end together */
  for (uint32_t i = 0; i < iterations + blockIdx.x % 7 * 4; i++)
    zero = load_some<8>(p + zero, 4);
  if (threadIdx.x == 0)
    seen[blockIdx.x] = Seen{sm_number(), started, 0, cycles() + zero};
}

struct Batch { /* of a warp: cycles until its 12 loads are issued, and until their data are there */
  uint32_t sm, issuing, waiting;
};

/* GESUMMV, y = a x + b x, with rows of 32 elements, a row for each thread: 12 loads at once. */
__global__ void gesummv(const float *a, const float *b, const float *x, float *y, Batch *batches)
{
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

#pragma unroll 1
  for (uint32_t k = 0; k < 32; k += 4) {
    const uint32_t begin = cycles();
    uint32_t issued, zero, f[4], of_a[4], of_b[4];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      f[i] = load((const char *)(x + k + i));
      of_a[i] = load((const char *)(a + row * 32 + k + i));
      of_b[i] = load((const char *)(b + row * 32 + k + i));
    }
    issued = cycles();
    zero = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      zero += f[i] + of_a[i] + of_b[i];
    sum += __uint_as_float(zero);
    issued += zero;
    if (threadIdx.x % 32 == 0)
      batches[row / 32 * 8 + k / 4] = Batch{sm_number(), issued - begin, cycles() - issued};
  }
  y[row] = sum;
}

static char *pool;
static uint32_t sms;

static void *room(size_t bytes)
{
  void *memory;

  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  return memory;
}

template <class T> static std::vector<T> fetch(T *there, size_t count)
{
  std::vector<T> here(count);

  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(here.data(), there, count * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(there));
  return here;
}

/* The first warps of the blocks that ran on the SM of block 0, in the order of their starts. */
static std::vector<uint32_t> blocks_of_sm(const std::vector<Seen> &seen, uint32_t warps)
{
  std::vector<uint32_t> first;

  for (uint32_t i = 0; i < seen.size(); i += warps)
    if (seen[i].sm == seen[0].sm)
      first.push_back(i);
  std::sort(first.begin(), first.end(),
            [&](uint32_t i, uint32_t k) { return (int32_t)(seen[i].start - seen[k].start) < 0; });
  return first;
}

template <int LOADS> static void print_shares(uint32_t blocks, uint32_t warps)
{
  const size_t all = (size_t)sms * blocks * warps;
  Seen *there = (Seen *)room(all * sizeof(Seen));
  std::vector<Seen> seen;

  CHECK(cudaFuncSetAttribute(shares<LOADS>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  shares<LOADS><<<sms * blocks, warps * 32>>>(pool, (uint32_t *)room(4), there);
  seen = fetch(there, all);
  printf("shares\t%d loads, %u x %u warps:", LOADS, blocks, warps);
  for (uint32_t first : blocks_of_sm(seen, warps)) {
    double sum = 0;

    for (uint32_t w = 0; w < warps; w++)
      sum += seen[first + w].count;
    printf(" %.0f", sum / warps);
  }
  printf("\n");
}

template <int LOADS> static void print_all_shares()
{
  static const uint32_t shapes[][2] = {{1, 32}, {2, 16}, {4, 8}, {8, 4}, {32, 1}, {4, 4}, {16, 4}};

  for (auto &shape : shapes)
    print_shares<LOADS>(shape[0], shape[1]);
}

static void print_turns()
{
  const uint32_t blocks = sms * 40;
  Seen *there = (Seen *)room(blocks * sizeof(Seen));
  std::vector<Seen> seen;

  turns<<<blocks, 128>>>(pool, 20, there);
  seen = fetch(there, blocks);
  printf("turns\tstart + duration in thousands of cycles:");
  for (uint32_t i : blocks_of_sm(seen, 1))
    printf(" %.0f+%.0f", (int32_t)(seen[i].start - seen[0].start) / 1e3,
           (seen[i].end - seen[i].start) / 1e3);
  printf("\n");
}

static void print_gesummv()
{
  const uint32_t warps = sms * 4 * 8;
  float *a = (float *)pool, *y = (float *)room(warps * 32 * sizeof(float));
  std::vector<Batch> batches;

  for (int i = 0; i < 2; i++) {
    Batch *there = (Batch *)room(warps * 8 * sizeof(Batch));

    CHECK(cudaMemset(pool + POOL - FLUSH, 0, FLUSH));
    gesummv<<<sms * 4, 256>>>(a, a + (16 << 20), a + (32 << 20), y, there);
    batches = fetch(there, warps * 8);
  }
  CHECK(cudaFree(y));
  for (uint32_t block = 0; block < sms * 4; block++) {
    if (batches[block * 64].sm != batches[0].sm)
      continue;
    printf("gesummv\tblock %u, issuing + waiting:", block);
    for (uint32_t k = 0; k < 8; k++) {
      double issuing = 0, waiting = 0;

      for (uint32_t w = 0; w < 8; w++) {
        issuing += batches[block * 64 + w * 8 + k].issuing / 8.0;
        waiting += batches[block * 64 + w * 8 + k].waiting / 8.0;
      }
      printf(" %.0f+%.0f", issuing, waiting);
    }
    printf("\n");
  }
}

int main()
{
  cudaDeviceProp properties;

  CHECK(cudaGetDeviceProperties(&properties, 0));
  if (properties.major != 9 || properties.minor) {
    printf("skipped: what a GPU of compute capability %d.%d must do is not known\n", properties.major,
           properties.minor);
    return 77;
  }
  sms = properties.multiProcessorCount;
  pool = (char *)room(POOL);
  print_all_shares<1>();
  print_all_shares<2>();
  print_all_shares<4>();
  print_all_shares<8>();
  print_turns();
  print_gesummv();
  return 0;
}
