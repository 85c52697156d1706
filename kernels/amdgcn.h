/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The target contract of gpu.h for AMD GPUs: code objects by clang for GCN and CDNA (gfx9) and RDNA
 * (gfx10 to gfx12). doc/amd.md explains each instruction; tests/kernels checks all of them in the
 * compiled code.
 *
 * Measured code is assembly, one volatile block per load. The compiler does not reorder
 * instructions in a block or insert others. It does not know that memory operations are in flight,
 * so every block waits for its own. Unmeasured accesses are left to the compiler, as atomic
 * accesses at the scope of the whole GPU: these bypass the vector L1.
 *
 * A wave has a scalar unit with registers and a cache of its own. The compiler must know which
 * values are equal in all lanes, where scalar loads depend on them and where a branch decides
 * whether a wave executes a scalar load: such a load does not depend on the active lanes.
 */
#ifndef GPU_AMDGCN_H
#define GPU_AMDGCN_H

#include <stddef.h>

#define GPU_NVIDIA_PATHS 0
#define GPU_AMD_PATHS 1

#define GPU_KERNEL(name, type)                                                                     \
  GPU_AMD_ENTRY void gpu_kernel_##name(struct type a) __asm__("gpu_" #name);                       \
  GPU_AMD_ENTRY void gpu_kernel_##name(struct type a)
#define GPU_AMD_ENTRY __attribute__((amdgpu_kernel, visibility("protected")))
#define GPU_UNROLL _Pragma("clang loop unroll(full)")
#define GPU_NO_UNROLL _Pragma("clang loop unroll(disable)")
#define GPU_INLINE static inline __attribute__((always_inline))

#define GPU_AMD_GLOBAL __attribute__((address_space(1)))
#define GPU_AMD_LDS __attribute__((address_space(3)))
#define GPU_AMD_CONSTANT __attribute__((address_space(4)))

/* gpu_clock is an operation and also the entry point of a kernel, hence this name. */
GPU_INLINE uint32_t gpu_clock(void) __asm__("gpu_operation_clock");

/* gfx125x has other caches, scopes and waits than gfx12, of which it is one for the compiler. */
#if defined(__gfx1250__) || defined(__gfx1251__) || defined(__gfx12_5_generic__)
#error "the kernels are not written for gfx125x"
#endif

/* Instructions that differ between generations. First the lanes of a wave, and the bits of a load
 * that bypasses the vector L1 (on gfx10 and gfx11 also GL1) and may hit in L2. */
#if defined(__GFX9__)
#define GPU_LANES 64
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) ||    \
    defined(__gfx9_4_generic__)
#define GPU_AMD_AROUND_L1 " sc1"
#define GPU_AMD_XCCS 16 /* that gpu_sm can distinguish */
#else
#define GPU_AMD_AROUND_L1 " glc"
#endif
#elif defined(__GFX10__)
#define GPU_LANES 32
#define GPU_AMD_AROUND_L1 " glc dlc"
#elif defined(__GFX11__)
#define GPU_LANES 32
#define GPU_AMD_AROUND_L1 " glc" /* dlc concerns the last-level cache here */
#elif defined(__GFX12__)
#define GPU_LANES 32
#define GPU_AMD_AROUND_L1 " scope:SCOPE_DEV"
#else
#error "kernels are written for gfx9 to gfx12"
#endif

/* Waits for loads of global memory, stores, LDS accesses and scalar loads. */
#if defined(__GFX12__)
#define GPU_AMD_WAIT_GLOBAL "s_wait_loadcnt 0x0\n\t"
#define GPU_AMD_WAIT_STORES "s_wait_storecnt 0x0\n\t"
#define GPU_AMD_WAIT_LDS "s_wait_dscnt 0x0\n\t"
#define GPU_AMD_WAIT_SCALAR "s_wait_kmcnt 0x0\n\t"
#else
#define GPU_AMD_WAIT_GLOBAL "s_waitcnt vmcnt(0)\n\t"
#define GPU_AMD_WAIT_LDS "s_waitcnt lgkmcnt(0)\n\t"
#define GPU_AMD_WAIT_SCALAR "s_waitcnt lgkmcnt(0)\n\t"
#if defined(__GFX9__)
#define GPU_AMD_WAIT_STORES "s_waitcnt vmcnt(0)\n\t"
#else
#define GPU_AMD_WAIT_STORES "s_waitcnt_vscnt null, 0x0\n\t"
#endif
#endif
#define GPU_AMD_WAIT_ALL                                                                           \
  GPU_AMD_WAIT_GLOBAL GPU_AMD_WAIT_STORES GPU_AMD_WAIT_LDS GPU_AMD_WAIT_SCALAR

/* The cycle counter. Up to gfx10 it arrives like a scalar load and has 64 bits. gfx11 has 20 bits
 * in a hardware register of the wave, gfx12 two halves of 32 bits. */
#if defined(__GFX9__) || defined(__GFX10__)
#define GPU_AMD_CLOCK(into) "s_memtime " into "\n\t" GPU_AMD_WAIT_SCALAR
typedef uint64_t gpu_amd_clock;
#elif defined(__GFX11__)
#define GPU_AMD_CLOCK(into) "s_getreg_b32 " into ", hwreg(HW_REG_SHADER_CYCLES, 0, 20)\n\t"
#define GPU_CLOCK_BITS 20
typedef uint32_t gpu_amd_clock;
#else
#define GPU_AMD_CLOCK(into) "s_getreg_b32 " into ", hwreg(HW_REG_SHADER_CYCLES_LO)\n\t"
typedef uint32_t gpu_amd_clock;
#endif

/* On gfx12 vector instructions that read a register too soon after a scalar instruction wrote it
 * see the old value (LLVM pull request 100067). clang inserts the wait in its own code. */
#if defined(__GFX12__)
#define GPU_AMD_SETTLE "s_wait_alu depctr_sa_sdst(0)\n\t"
#else
#define GPU_AMD_SETTLE
#endif

/* The wall clock, always 64 bits. */
#if defined(__GFX9__) || defined(__GFX10__)
#define GPU_AMD_WALL "s_memrealtime %0\n\t"
#else
#define GPU_AMD_WALL "s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n\t"
#endif

/* Execution */

GPU_INLINE uint32_t gpu_thread(void) { return __builtin_amdgcn_workitem_id_x(); }
GPU_INLINE uint32_t gpu_lane(void) { return gpu_thread() % GPU_LANES; }
GPU_INLINE uint32_t gpu_block(void) { return __builtin_amdgcn_workgroup_id_x(); }
GPU_INLINE uint32_t gpu_threads(void) { return __builtin_amdgcn_workgroup_size_x(); }

GPU_INLINE uint32_t gpu_blocks(void) { return __builtin_amdgcn_grid_size_x() / gpu_threads(); }

GPU_INLINE uint32_t gpu_lanes(void) { return GPU_LANES; }
GPU_INLINE uint32_t gpu_warps(void) { return gpu_threads() / GPU_LANES; }

GPU_INLINE uint32_t gpu_warp(void)
{
  return (uint32_t)__builtin_amdgcn_readfirstlane((int)(gpu_thread() / GPU_LANES));
}

GPU_INLINE int gpu_select_warp(uint32_t warp) { return gpu_warp() == warp; }
GPU_INLINE int gpu_first_warp(void) { return gpu_select_warp(0); }

/* Tells the compiler that a value is equal in all lanes. */
GPU_INLINE uint64_t gpu_amd_uniform(uint64_t value)
{
  return (uint64_t)(uint32_t)__builtin_amdgcn_readfirstlane((int)(value >> 32)) << 32 |
         (uint32_t)__builtin_amdgcn_readfirstlane((int)value);
}

/* `bits` bits of hardware register `id`, from bit `from` on. */
#define GPU_AMD_REGISTER(id, from, bits)                                                           \
  ((uint32_t)__builtin_amdgcn_s_getreg((id) | (from) << 6 | ((bits)-1) << 11))

/* Where in the chip the CU is: a number below 4096, often above the number of CUs. */
GPU_INLINE uint32_t gpu_sm(void)
{
#if defined(__GFX9__) /* HW_ID: engine, array, CU */
  const uint32_t in_xcc = GPU_AMD_REGISTER(4, 13, 3) << 5 | GPU_AMD_REGISTER(4, 12, 1) << 4 |
                          GPU_AMD_REGISTER(4, 8, 4);

#if defined(GPU_AMD_XCCS)
  return GPU_AMD_REGISTER(20, 0, 4) << 8 | in_xcc;
#else
  return in_xcc;
#endif
#elif defined(__GFX10__) /* HW_ID1: engine (one bit less), array, WGP, CU in it */
  return GPU_AMD_REGISTER(23, 18, 2) << 6 | GPU_AMD_REGISTER(23, 16, 1) << 5 |
         GPU_AMD_REGISTER(23, 10, 4) << 1 | GPU_AMD_REGISTER(23, 8, 1);
#else
  return GPU_AMD_REGISTER(23, 18, 3) << 6 | GPU_AMD_REGISTER(23, 16, 1) << 5 |
         GPU_AMD_REGISTER(23, 10, 4) << 1 | GPU_AMD_REGISTER(23, 8, 1);
#endif
}

/* Stores are complete when other CUs can see them. */
GPU_INLINE void gpu_written(void) { __asm__ volatile(GPU_AMD_WAIT_ALL ::: "memory"); }

GPU_INLINE void gpu_barrier(void)
{
  gpu_written();
  __builtin_amdgcn_s_barrier();
  __asm__ volatile("" ::: "memory");
}

/* Clocks */

GPU_INLINE uint64_t gpu_clock64(void)
{
#if defined(__GFX12__)
  uint32_t high, low, again;

  __asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_SHADER_CYCLES_HI)\n\t" GPU_AMD_CLOCK("%1")
                   "s_getreg_b32 %2, hwreg(HW_REG_SHADER_CYCLES_HI)\n\t" GPU_AMD_SETTLE
                   : "=&s"(high), "=&s"(low), "=&s"(again)::"memory");
  return (uint64_t)again << 32 | (again == high ? low : 0);
#else
  gpu_amd_clock t;

  __asm__ volatile(GPU_AMD_CLOCK("%0") : "=&s"(t)::"memory");
  return t;
#endif
}

GPU_INLINE uint32_t gpu_clock(void) { return (uint32_t)gpu_clock64(); }

GPU_INLINE uint32_t gpu_cycles(uint64_t from, uint64_t to)
{
  return to - from > UINT32_MAX ? UINT32_MAX : (uint32_t)(to - from);
}

/* Where the counter is short: the reading extended by the cycles since `earlier`, which is less
 * than a period ago. */
#if defined(GPU_CLOCK_BITS)
GPU_INLINE uint64_t gpu_clock64_from(uint64_t earlier)
{
  return earlier + ((gpu_clock64() - earlier) & ((1u << GPU_CLOCK_BITS) - 1));
}
#define gpu_clock64_from gpu_clock64_from
#endif

/* Arguments lie in memory and come through the scalar cache. After this the compiler no longer
 * knows that the register holds an argument, so it does not load it again. */
#define gpu_keep(value)                                                                            \
  ({                                                                                               \
    __typeof__((value) + 0) kept = (value);                                                        \
    __asm__("" : "+s"(kept));                                                                      \
    kept;                                                                                          \
  })

/* The length of a tick of the wall clock differs between generations, and the clock does not report
 * it. Not const: the compiler would assume these values. */
__attribute__((visibility("protected"))) GPU_AMD_CONSTANT struct gpu_tick gpu_tick = {10, 0};

GPU_INLINE uint64_t gpu_nanoseconds(void)
{
  struct gpu_tick tick = {gpu_tick.nanoseconds, gpu_tick.fraction};
  uint64_t ticks;

  /* loaded before the clock read, so that no load is in flight afterwards */
  __asm__ volatile("" : "+s"(tick.nanoseconds), "+s"(tick.fraction));
  __asm__ volatile(GPU_AMD_WALL GPU_AMD_WAIT_SCALAR GPU_AMD_SETTLE : "=&s"(ticks)::"memory");
  return ticks * tick.nanoseconds + (ticks >> 32) * tick.fraction +
         ((uint32_t)ticks * (uint64_t)tick.fraction >> 32);
}

/* Memory that is not measured. At the scope of the GPU these accesses bypass the vector L1. */

GPU_INLINE void gpu_store64(uint64_t address, uint64_t value)
{
  __scoped_atomic_store_n((GPU_AMD_GLOBAL uint64_t *)address, value, __ATOMIC_RELAXED,
                          __MEMORY_SCOPE_DEVICE);
}

GPU_INLINE void gpu_store32(uint64_t address, uint32_t value)
{
  __scoped_atomic_store_n((GPU_AMD_GLOBAL uint32_t *)address, value, __ATOMIC_RELAXED,
                          __MEMORY_SCOPE_DEVICE);
}

GPU_INLINE void gpu_store_lanes(uint64_t address, uint32_t bytes)
{
  const uint32_t at = 8 * gpu_lane();

  if (at < bytes)
    *(GPU_AMD_GLOBAL uint64_t *)(address + at) = 1;
  __asm__ volatile("" ::: "memory");
}

GPU_INLINE void gpu_add32(uint64_t address, uint32_t value)
{
  (void)__scoped_atomic_fetch_add((GPU_AMD_GLOBAL uint32_t *)address, value, __ATOMIC_RELAXED,
                                  __MEMORY_SCOPE_DEVICE);
}

GPU_INLINE uint64_t gpu_amd_get64(uint64_t address)
{
  return __scoped_atomic_load_n((const GPU_AMD_GLOBAL uint64_t *)address, __ATOMIC_RELAXED,
                                __MEMORY_SCOPE_DEVICE);
}

GPU_INLINE uint32_t gpu_get32(uint64_t address)
{
  return (uint32_t)__builtin_amdgcn_readfirstlane((int)__scoped_atomic_load_n(
      (const GPU_AMD_GLOBAL uint32_t *)address, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE));
}

GPU_INLINE uint64_t gpu_get64(uint64_t address) { return gpu_amd_uniform(gpu_amd_get64(address)); }

GPU_INLINE void gpu_shared_store32(uint32_t offset, uint32_t value)
{
  __asm__ volatile("ds_write_b32 %0, %1\n\t" GPU_AMD_WAIT_LDS ::"v"(offset), "v"(value) : "memory");
}

/* Every measured load already waits for its value. */
GPU_INLINE void gpu_await(uint64_t value) { __asm__ volatile("" ::"v"(value) : "memory"); }

/* Loads that bring memory into L2 do not wait for one another. */
#define GPU_RUN 1
#define gpu_load_run(base, at, bytes, stride) gpu_amd_get64((base) + (at))

/* Measured loads. GPU_AMD_LOAD_PATH(to, from) is one load. PATH(path, bits, register, operand,
 * wait, more): its registers have `bits` bits and are vector (v) or scalar (s) ones; `operand`
 * makes such a value of an address; `more` operands may follow, with a comma in front. Where the
 * clock arrives like a load, the code waits for it, too. Nothing is in flight at the first clock
 * read.
 *
 * The loads of a chain are one block of assembly. Between two blocks, clang 20 and newer insert an
 * s_nop on gfx94x and gfx95x, because they do not know that the first one waits for its result. */
#define GPU_AMD_STEP(path, wait, to, from) GPU_AMD_LOAD_##path(to, from) "\n\t" wait

#define GPU_AMD_CHAIN(path, bits, register, operand, wait, ...)                                    \
  GPU_INLINE uint64_t gpu_chain_##path(uint64_t at, const uint32_t loads, uint64_t texture)        \
  {                                                                                                \
    uint##bits##_t value = (uint##bits##_t)operand(at), other;                                     \
                                                                                                   \
    (void)texture;                                                                                 \
    __asm__ volatile(".rept %[pairs]\n\t" GPU_AMD_STEP(path, wait, "%[other]", "%[value]")         \
                         GPU_AMD_STEP(path, wait, "%[value]", "%[other]") ".endr"                  \
                     : [value] "+&" register(value), [other] "=&" register(other)                  \
                     : [pairs] "i"(loads / 2) __VA_ARGS__                                          \
                     : "memory");                                                                  \
    return value;                                                                                  \
  }

#define GPU_CHAIN(path, at, loads, ...) (at) = gpu_chain_##path(at, loads, __VA_ARGS__);

#define GPU_AMD_PATH(path, bits, register, operand, wait, ...)                                     \
  GPU_INLINE uint64_t gpu_load_##path(uint64_t at, uint64_t texture)                               \
  {                                                                                                \
    uint##bits##_t value;                                                                          \
                                                                                                   \
    (void)texture;                                                                                 \
    __asm__ volatile(GPU_AMD_STEP(path, wait, "%[value]", "%[at]")                                 \
                     : [value] "=&" register(value)                                                \
                     : [at] register((uint##bits##_t)operand(at)) __VA_ARGS__                      \
                     : "memory");                                                                  \
    return value;                                                                                  \
  }                                                                                                \
  GPU_INLINE uint64_t gpu_timed_load_##path(uint64_t at, uint64_t texture, uint32_t *t)            \
  {                                                                                                \
    gpu_amd_clock t0, t1;                                                                          \
    uint##bits##_t value;                                                                          \
                                                                                                   \
    (void)texture;                                                                                 \
    __asm__ volatile(GPU_AMD_WAIT_ALL GPU_AMD_CLOCK("%[t0]")                                       \
                         GPU_AMD_STEP(path, wait, "%[value]", "%[at]") GPU_AMD_CLOCK("%[t1]")      \
                             GPU_AMD_SETTLE                                                        \
                     : [value] "=&" register(value), [t0] "=&s"(t0), [t1] "=&s"(t1)                \
                     : [at] register((uint##bits##_t)operand(at)) __VA_ARGS__                      \
                     : "memory");                                                                  \
    *t = gpu_amd_elapsed(t0, t1);                                                                  \
    return value;                                                                                  \
  }

/* The time of one load, which takes much less than 2^20 cycles. */
GPU_INLINE uint32_t gpu_amd_elapsed(gpu_amd_clock from, gpu_amd_clock to)
{
#if defined(GPU_CLOCK_BITS)
  return (to - from) & ((1u << GPU_CLOCK_BITS) - 1);
#else
  return (uint32_t)(to - from);
#endif
}

#define GPU_AMD_LOAD_ca(to, from) "global_load_dwordx2 " to ", " from ", off"
#define GPU_AMD_LOAD_cg(to, from) "global_load_dwordx2 " to ", " from ", off" GPU_AMD_AROUND_L1
#define GPU_AMD_LOAD_scalar(to, from) "s_load_dwordx2 " to ", " from ", 0x0"
#define GPU_AMD_LOAD_shared(to, from) "ds_read_b32 " to ", " from
GPU_AMD_PATH(ca, 64, "v", , GPU_AMD_WAIT_GLOBAL)
GPU_AMD_PATH(cg, 64, "v", , GPU_AMD_WAIT_GLOBAL)
GPU_AMD_PATH(scalar, 64, "s", gpu_amd_uniform, GPU_AMD_WAIT_SCALAR)
GPU_AMD_PATH(shared, 32, "v", , GPU_AMD_WAIT_LDS)
GPU_AMD_CHAIN(ca, 64, "v", , GPU_AMD_WAIT_GLOBAL)
GPU_AMD_CHAIN(cg, 64, "v", , GPU_AMD_WAIT_GLOBAL)
GPU_AMD_CHAIN(scalar, 64, "s", gpu_amd_uniform, GPU_AMD_WAIT_SCALAR)
GPU_AMD_CHAIN(shared, 32, "v", , GPU_AMD_WAIT_LDS)

#define gpu_chain_lanes(at, loads, mask, stride) gpu_chain_shared(at, loads, 0)

/* Atomic operations that return the old value, at the scope of the GPU and of the whole system.
 * Those of a chain wait for it. Where the instruction has no scope, the memory decides. */
#if defined(__GFX12__)
#define GPU_AMD_RETURN " th:TH_ATOMIC_RETURN scope:SCOPE_DEV"
#define GPU_AMD_RETURN_SYSTEM " th:TH_ATOMIC_RETURN scope:SCOPE_SYS"
#elif defined(GPU_AMD_XCCS)
#define GPU_AMD_RETURN " sc0"
#define GPU_AMD_RETURN_SYSTEM " sc0 sc1"
#else
#define GPU_AMD_RETURN " glc"
#define GPU_AMD_RETURN_SYSTEM " glc"
#endif

#define GPU_AMD_LOAD_system(to, from)                                                              \
  "global_atomic_add_x2 " to ", " from ", %[zero], off" GPU_AMD_RETURN_SYSTEM
#define GPU_AMD_LOAD_atomic(to, from)                                                              \
  "global_atomic_add_x2 " to ", " from ", %[zero], off" GPU_AMD_RETURN
#define GPU_AMD_LOAD_atomic_shared(to, from) "ds_add_rtn_u32 " to ", " from ", %[zero]"
GPU_AMD_PATH(system, 64, "v", , GPU_AMD_WAIT_GLOBAL, , [zero] "v"(texture))
GPU_AMD_CHAIN(atomic, 64, "v", , GPU_AMD_WAIT_GLOBAL, , [zero] "v"((uint64_t)0))
GPU_AMD_CHAIN(atomic_shared, 32, "v", , GPU_AMD_WAIT_LDS, , [zero] "v"(0))

/* The compiler inserts the waits of these. It would combine the operations of a wave if it knew
 * that the address is the same in all lanes. */
GPU_INLINE uint32_t gpu_add_cg(uint64_t at, uint32_t value)
{
  __asm__("" : "+v"(at));
  return __scoped_atomic_fetch_add((GPU_AMD_GLOBAL uint32_t *)at, value, __ATOMIC_RELAXED,
                                   __MEMORY_SCOPE_DEVICE);
}

GPU_INLINE uint32_t gpu_add_shared(uint64_t at, uint32_t value)
{
  uint32_t offset = (uint32_t)at;

  __asm__("" : "+v"(offset));
  return __scoped_atomic_fetch_add((GPU_AMD_LDS uint32_t *)offset, value, __ATOMIC_RELAXED,
                                   __MEMORY_SCOPE_WRKGRP);
}

/* A batch of loads, all into the same register, which nothing reads: a load does not wait for the
 * one before it, and loads arrive in order. The compiler keeps the register for `value` until the
 * wait. */
GPU_INLINE void gpu_load_batch(uint64_t base, uint64_t stride, uint32_t lines, uint32_t warps,
                               uint32_t never)
{
  const uint32_t warp = gpu_warp();
  uint32_t value = never;
  uint64_t at = base + warp * stride;

  GPU_NO_UNROLL
  for (uint32_t i = warp; i < lines; i += warps) {
    __asm__ volatile("global_load_dword %0, %1, off" : "+v"(value) : "v"(at) : "memory");
    at += stride * warps;
  }
  __asm__ volatile(GPU_AMD_WAIT_GLOBAL : "+v"(value)::"memory");
}

GPU_INLINE void gpu_load_by_lane(uint64_t base, uint64_t stride, uint32_t lane_stride,
                                 uint32_t lines, uint32_t warps, uint32_t never)
{
  (void)lane_stride;
  gpu_load_batch(base, stride, lines, warps, never);
}

/* Bandwidth: 16 bytes in each lane. Here the compiler inserts the waits: many loads are in flight
 * at a time, and each is waited for when its registers are needed. */
struct gpu_words {
  uint32_t word[4];
};

typedef uint32_t gpu_amd_words __attribute__((ext_vector_type(4)));

#define GPU_AMD_READ(path, space, address)                                                         \
  GPU_INLINE void gpu_read_row_##path(struct gpu_words *to, uint64_t at, uint64_t texture)         \
  {                                                                                                \
    const gpu_amd_words row = *(const space gpu_amd_words *)(address)at;                           \
                                                                                                   \
    (void)texture;                                                                                 \
    *to = (struct gpu_words){{row.x, row.y, row.z, row.w}};                                        \
  }

GPU_AMD_READ(ca, GPU_AMD_GLOBAL, uint64_t)
GPU_AMD_READ(shared, GPU_AMD_LDS, uint32_t)

/* Both halves of the sum depend on what narrow rows read, so that the compiler keeps the loads. */
GPU_INLINE void gpu_read_row_ca4(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  (void)texture;
  to->word[0] = *(const GPU_AMD_GLOBAL uint32_t *)at;
  to->word[2] = to->word[0] >> 1;
}

GPU_INLINE void gpu_read_row_ca8(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  const uint64_t both = *(const GPU_AMD_GLOBAL uint64_t *)at;

  (void)texture;
  to->word[0] = (uint32_t)both;
  to->word[1] = (uint32_t)(both >> 32);
  to->word[2] = to->word[1] >> 1;
}

/* Scalar loads arrive in any order, so the code can only wait for all of them. Folding their values
 * would take the scalar unit longer than the loads. So this loads all rows of an iteration and
 * waits for them at once. */
typedef uint32_t gpu_amd_rows __attribute__((ext_vector_type(GPU_BANDWIDTH_ROWS / 2 * 4)));

GPU_INLINE void gpu_read_rows_scalar(uint64_t at)
{
  gpu_amd_rows first, second;

  __asm__ volatile(
      "s_load_dwordx16 %0, %2, 0x0\n\ts_load_dwordx16 %1, %2, 0x40\n\t" GPU_AMD_WAIT_SCALAR
      : "=&s"(first), "=&s"(second)
      : "s"(gpu_amd_uniform(at))
      : "memory");
}

/* There are no atomic loads of 16 bytes. The lanes read the first half of the row together, then
 * the second half, so that each half is without gaps. */
GPU_INLINE void gpu_read_row_cg(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  const uint64_t mine = at - gpu_lane() * 8;
  const uint64_t first = gpu_amd_get64(mine), second = gpu_amd_get64(mine + GPU_LANES * 8);

  (void)texture;
  *to = (struct gpu_words){{(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second,
                            (uint32_t)(second >> 32)}};
}

#define GPU_AMD_WRITE(path, space, address)                                                        \
  GPU_INLINE void gpu_write_row_##path(const struct gpu_words *from, uint64_t at)                  \
  {                                                                                                \
    *(space gpu_amd_words *)(address)at =                                                          \
        (gpu_amd_words){from->word[0], from->word[1], from->word[2], from->word[3]};               \
  }

GPU_AMD_WRITE(cg, GPU_AMD_GLOBAL, uint64_t)
GPU_AMD_WRITE(shared, GPU_AMD_LDS, uint32_t)

#include "lanes.h"

#endif
