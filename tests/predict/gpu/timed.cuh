/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What programs that time single loads have in common.
 */
#ifndef GC_PREDICT_GPU_TIMED_CUH
#define GC_PREDICT_GPU_TIMED_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define LINE 128

/* Ends the program with a sentence if a call of CUDA failed. */
static void check(cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

/* Past L1, which belongs to the loads that are timed. */
template <class T> static __device__ T past_l1(const T *p)
{
  return __ldcg(p);
}

/* Cycles until the byte is there. No byte is 255: the comparison only waits for the load, and the
 * compiler must not know its result. */
static __device__ uint32_t timed_load(const char *p)
{
  uint32_t start, end, v;

  asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
  asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 255; @q trap; mov.u32 %0, %%clock; }"
               : "=r"(end)
               : "r"(v)
               : "memory");
  return end - start;
}

template <class T> static T *copy_there(const std::vector<T> &values)
{
  T *there;

  check(cudaMalloc(&there, values.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return there;
}

#endif
