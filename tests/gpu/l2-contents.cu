// SPDX-License-Identifier: BSD-3-Clause
// What stores, atomic operations, memsets and copies leave in L2, for tests/gpu/l2-contents.sh. Each
// SM has 64 KiB. In each case, other data fill L2, something touches the 64 KiB of all SMs, and a
// kernel with the name of the case loads 4 bytes of each of their sectors, past L1.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { PIECE = 64 << 10, OTHER = 2 }; // OTHER: the SM whose number differs in this bit

// The piece of this SM, or of one whose number differs.
__device__ static char *piece(char *pieces, unsigned differs)
{
  unsigned sm, other;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  other = sm ^ differs;
  return pieces + (size_t)(other < gridDim.x ? other : sm) * PIECE;
}

// 16 bytes of each 16, or 4 bytes of each 32.
__global__ void store(char *pieces, unsigned differs, unsigned step)
{
  char *const p = piece(pieces, differs);

  for (unsigned i = threadIdx.x * step; i < PIECE; i += blockDim.x * step)
    if (step == 16)
      *(uint4 *)(p + i) = make_uint4(i, i, i, i);
    else
      *(unsigned *)(p + i) = i;
}

__global__ void add(char *pieces, unsigned differs)
{
  char *const p = piece(pieces, differs);

  for (unsigned i = threadIdx.x * 4; i < PIECE; i += blockDim.x * 4)
    atomicAdd((unsigned *)(p + i), 1);
}

__device__ static void load_piece(char *pieces, unsigned differs, unsigned *sink)
{
  const char *const p = piece(pieces, differs);
  unsigned sum = 0, value;

  for (unsigned i = threadIdx.x * 32; i < PIECE; i += blockDim.x * 32) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(p + i));
    sum += value;
  }
  if (sum == 12345)
    *sink = sum;
}

__global__ void load(char *pieces, unsigned differs, unsigned *sink)
{
  load_piece(pieces, differs, sink);
}

__global__ void fill(const uint4 *a, size_t n, unsigned *sink)
{
  unsigned sum = 0;

  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += a[i].x;
  if (sum == 12345)
    *sink = sum;
}

#define CASE(name)                                                                                 \
  __global__ void name(char *pieces, unsigned differs, unsigned *sink)                             \
  {                                                                                                \
    load_piece(pieces, differs, sink);                                                             \
  }
CASE(case_nothing)
CASE(case_stored_here)
CASE(case_stored_elsewhere)
CASE(case_loaded_then_stored_here)
CASE(case_loaded_then_stored_elsewhere)
CASE(case_parts_stored_here)
CASE(case_added_here)
CASE(case_memset)
CASE(case_copied_from_host)
CASE(case_copied_to_host)
CASE(case_copied_to)
CASE(case_copied_from)

int main()
{
  const size_t large = (size_t)192 << 20;
  char *p, *q, *host;
  unsigned *sink;
  uint4 *other;
  size_t bytes;
  int sms;

  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  bytes = (size_t)sms * PIECE;
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMalloc(&q, bytes));
  CHECK(cudaMalloc(&other, large));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaMemset(other, 0, large));
#define RUN(name, touch)                                                                           \
  fill<<<8 * sms, 256>>>(other, large / sizeof *other, sink);                                      \
  touch;                                                                                           \
  name<<<sms, 1024>>>(p, 0, sink);                                                                 \
  CHECK(cudaDeviceSynchronize());
#define STORE(differs, step) store<<<sms, 1024>>>(p, differs, step)
#define LOAD load<<<sms, 1024>>>(p, 0, sink)
  RUN(case_nothing, (void)0)
  RUN(case_stored_here, STORE(0, 16))
  RUN(case_stored_elsewhere, STORE(OTHER, 16))
  RUN(case_loaded_then_stored_here, LOAD; STORE(0, 16))
  RUN(case_loaded_then_stored_elsewhere, LOAD; STORE(OTHER, 16))
  RUN(case_parts_stored_here, STORE(0, 32))
  RUN(case_added_here, (add<<<sms, 1024>>>(p, 0)))
  RUN(case_memset, CHECK(cudaMemset(p, 1, bytes)))
  RUN(case_copied_from_host, CHECK(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice)))
  RUN(case_copied_to_host, CHECK(cudaMemcpy(host, p, bytes, cudaMemcpyDeviceToHost)))
  RUN(case_copied_to, CHECK(cudaMemcpy(p, q, bytes, cudaMemcpyDeviceToDevice)))
  RUN(case_copied_from, CHECK(cudaMemcpy(q, p, bytes, cudaMemcpyDeviceToDevice)))
  return 0;
}
