/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a kernel accesses global memory. Each kernel is a template over one of two policies with the
 * same functions: Plain is what the profiler counts; Traced also logs what each warp does. Both use
 * the same volatile assembly, so that the compiler makes the same loads of both: it may not join,
 * widen or leave out an access.
 *
 * The first argument of an access is its pc in the trace: any number that differs from the others
 * of the kernel.
 */
#ifndef GC_PREDICT_GPU_ACCESS_CUH
#define GC_PREDICT_GPU_ACCESS_CUH

#include <cstdint>

enum Operation : uint8_t { LOAD, STORE, ATOMIC, BARRIER };

/* One instruction of one warp. */
struct Entry {
  uint32_t pc, mask;
  uint8_t operation, bytes;
  uint64_t addresses[32];
};

/* In device memory. Each warp of the grid has room for the same number of entries. A warp that has
 * more only counts them, and the host fails. */
struct Log {
  Entry *entries;
  uint32_t *counts; /* of each warp */
  uint32_t room;    /* entries of a warp */
};

__device__ inline uint32_t block_number()
{
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

__device__ inline uint32_t thread_in_block()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ inline float read(const float *p)
{
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}

__device__ inline uint32_t read(const uint32_t *p)
{
  uint32_t v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}

__device__ inline uint32_t read(const uint8_t *p)
{
  uint32_t v;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}

__device__ inline float4 read(const float4 *p)
{
  float4 v;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}

__device__ inline void write(float *p, float v)
{
  asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
}

__device__ inline void write(float4 *p, float4 v)
{
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z),
               "f"(v.w)
               : "memory");
}

/* sms: NULL, or an array into which each block writes the number of its SM. This happens only in a
 * launch of its own. */
struct Plain {
  uint32_t *sms;

  __device__ void begin() const
  {
    uint32_t sm;

    if (!sms || thread_in_block())
      return;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    sms[block_number()] = sm;
  }
  template <class T> __device__ auto load(uint32_t, const T *p) const
  {
    return read(p);
  }
  template <class T> __device__ void store(uint32_t, T *p, T v) const
  {
    write(p, v);
  }
  __device__ void add(uint32_t, uint32_t *p) const
  {
    atomicAdd(p, 1);
  }
  __device__ void barrier(uint32_t) const
  {
    __syncthreads();
  }
};

struct Traced {
  Log log;

  __device__ void begin() const
  {
  }

  /* The threads that come here together are those of the mask. */
  __device__ void note(Operation operation, uint32_t pc, const void *p, uint32_t bytes) const
  {
    const uint32_t thread = thread_in_block(), lane = thread % 32, mask = __activemask();
    const uint32_t warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    const uint32_t leader = __ffs(mask) - 1;
    const uint64_t warp = (uint64_t)block_number() * warps + thread / 32;
    uint32_t i = 0;
    Entry *entry;

    if (lane == leader)
      i = log.counts[warp]++;
    __syncwarp(mask);
    i = __shfl_sync(mask, i, leader);
    if (i >= log.room)
      return;
    entry = &log.entries[warp * log.room + i];
    if (lane == leader) {
      entry->pc = pc;
      entry->mask = mask;
      entry->operation = operation;
      entry->bytes = bytes;
    }
    entry->addresses[lane] = (uint64_t)p;
    __syncwarp(mask);
  }
  template <class T> __device__ auto load(uint32_t pc, const T *p) const
  {
    note(LOAD, pc, p, sizeof *p);
    return read(p);
  }
  template <class T> __device__ void store(uint32_t pc, T *p, T v) const
  {
    note(STORE, pc, p, sizeof *p);
    write(p, v);
  }
  __device__ void add(uint32_t pc, uint32_t *p) const
  {
    note(ATOMIC, pc, p, sizeof *p);
    atomicAdd(p, 1);
  }
  __device__ void barrier(uint32_t pc) const
  {
    note(BARRIER, pc, nullptr, 0);
    __syncthreads();
  }
};

#endif
