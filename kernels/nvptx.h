/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The target contract of gpu.h for NVIDIA GPUs: PTX by clang, from sm_35 on (the first with the
 * read-only path ld.global.nc). ptxas must keep the order of the PTX blocks below: a timed load is
 * one volatile block. The clock read that ends it is behind a branch that depends on the loaded
 * value, and no compiler can move it across that branch. tests/kernels checks the resulting machine
 * code.
 */
#ifndef GPU_NVPTX_H
#define GPU_NVPTX_H

#include <stddef.h>

#define GPU_LANES 32
#define GPU_NVIDIA_PATHS 1
#define GPU_AMD_PATHS 0

#define GPU_KERNEL(name, type)                                                                     \
  __attribute__((nvptx_kernel)) void gpu_kernel_##name(struct type a) __asm__("gpu_" #name);       \
  __attribute__((nvptx_kernel)) void gpu_kernel_##name(struct type a)
#define GPU_UNROLL _Pragma("clang loop unroll(full)")
#define GPU_NO_UNROLL _Pragma("clang loop unroll(disable)")
#define GPU_INLINE static inline __attribute__((always_inline))

/* gpu_clock and gpu_constant_base are operations and also entry points of kernels, hence these
 * names. */
GPU_INLINE uint32_t gpu_clock(void) __asm__("gpu_operation_clock");
GPU_INLINE uint64_t gpu_constant_base(void) __asm__("gpu_operation_constant_base");

/* The constant bank. Not const for the compiler, because the host writes it. */
extern __attribute__((address_space(4))) uint64_t gpu_constant_bank[GPU_CONSTANT_BYTES / 8];
/* Dynamic shared memory; the launch sets its size. */
extern __attribute__((address_space(3))) uint32_t gpu_shared[];

/* Execution */

GPU_INLINE uint32_t gpu_lane(void) { return __nvvm_read_ptx_sreg_laneid(); }
GPU_INLINE uint32_t gpu_block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
GPU_INLINE uint32_t gpu_blocks(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
GPU_INLINE uint32_t gpu_thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
GPU_INLINE uint32_t gpu_threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
GPU_INLINE uint32_t gpu_sm(void) { return __nvvm_read_ptx_sreg_smid(); }
GPU_INLINE void gpu_barrier(void) { __syncthreads(); }
GPU_INLINE int gpu_select_warp(uint32_t warp) { return gpu_thread() / 32 == warp; }
GPU_INLINE int gpu_first_warp(void) { return gpu_select_warp(0); }

/* 8192 dependent multiplications: 16 bytes each since Volta. */
#define GPU_NVPTX_8(line) line line line line line line line line
#define GPU_NVPTX_1024(line) GPU_NVPTX_8(GPU_NVPTX_8(GPU_NVPTX_8(line line)))

GPU_INLINE uint32_t gpu_run_code(uint32_t x)
{
  const uint32_t factor = x | 1;

  __asm__ volatile(GPU_NVPTX_8(GPU_NVPTX_1024("mad.lo.u32 %0, %0, %1, %1;\n\t"))
                   : "+r"(x)
                   : "r"(factor));
  return x;
}

/* Code that jumps. A block has 8 instructions of 16 bytes from Volta on, if ptxas does not
 * optimize; tests/kernels/sass-check.c checks that, and the jumps. A near block jumps at its end,
 * so that all of its bytes are fetched, however short a line is. Modules and rows of blocks have
 * octal numbers. EIGHT(PART, a, b): parts a0 to a7, each with the name of the next one; b0 is after
 * a7. */
#define GPU_NVPTX_EIGHT(PART, a, b)                                                                \
  PART(a "0", a "1") PART(a "1", a "2") PART(a "2", a "3") PART(a "3", a "4")                      \
  PART(a "4", a "5") PART(a "5", a "6") PART(a "6", a "7") PART(a "7", b "0")

#define GPU_NVPTX_NEAR(m, block, after, next)                                                      \
  "B" m "_" #block ":\n\tsub.s32 n, n, 1;\n\tsetp.eq.s32 p, n, 0;\n\t@p bra.uni DONE;\n\t"       \
  "setp.gt.s32 p, n, 0;\n\t@p bra.uni B" after "_" #next ";\n\t"
#define GPU_NVPTX_MODULE(m, after) GPU_JUMPS_ORDER(GPU_NVPTX_NEAR, m, after)

/* Passes; %0 is the time of the last one. Little code is between two passes. */
#define GPU_NVPTX_PASSES(registers, code)                                                          \
  __asm__ volatile("{\n\t.reg .pred p;\n\t.reg .b32 left, from, to, " registers ";\n\t"            \
                   "mov.u32 left, %2;\n\tAGAIN:\n\tmov.u32 n, %1;\n\tmov.u32 from, %%clock;\n\t"   \
                   code "DONE:\n\tmov.u32 to, %%clock;\n\tsub.u32 left, left, 1;\n\t"              \
                   "setp.ne.u32 p, left, 0;\n\t@p bra.uni AGAIN;\n\tsub.u32 %0, to, from;\n\t}"    \
                   : "=r"(cycles)                                                                  \
                   : "r"(blocks), "r"(passes)                                                      \
                   : "memory")

GPU_INLINE uint32_t gpu_run_jumps_near(uint32_t blocks, uint32_t passes)
{
  uint32_t cycles;

  GPU_NVPTX_PASSES("n", "bra.uni B00_0;\n\t" /* 256 blocks each: */
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "0", "1")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "1", "2")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "2", "3")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "3", "4")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "4", "5")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_MODULE, "5", "0"));
  return cycles;
}

/* Columns 0, 4, 8, 3, 7, 2, 6, 1, 5. Padding follows the last jump. */
#define GPU_NVPTX_FAR(row, column, below, wrap)                                                    \
  "R" row "_" #column ":\n\tsetp.gt.u32 p, n, 9 * 0" below " + " #column ";\n\t@p bra.uni R" below \
  "_" #column ";\n\tbra.uni " wrap ";\n\tadd.u32 x, x, n;\n\tadd.u32 x, x, n;\n\tadd.u32 x, x, n;\n\t"
#define GPU_NVPTX_ROW(row, below)                                                                  \
  GPU_NVPTX_FAR(row, 0, below, "R000_4") GPU_NVPTX_FAR(row, 1, below, "R000_5")                    \
  GPU_NVPTX_FAR(row, 2, below, "R000_6") GPU_NVPTX_FAR(row, 3, below, "R000_7")                    \
  GPU_NVPTX_FAR(row, 4, below, "R000_8") GPU_NVPTX_FAR(row, 5, below, "DONE")                    \
  GPU_NVPTX_FAR(row, 6, below, "R000_1") GPU_NVPTX_FAR(row, 7, below, "R000_2")                    \
  GPU_NVPTX_FAR(row, 8, below, "R000_3")
#define GPU_NVPTX_ROWS(rows, below) GPU_NVPTX_EIGHT_ROWS(GPU_NVPTX_ROW, rows, below)
#define GPU_NVPTX_EIGHT_ROWS(PART, a, b)                                                           \
  PART(a "0", a "1") PART(a "1", a "2") PART(a "2", a "3") PART(a "3", a "4")                      \
  PART(a "4", a "5") PART(a "5", a "6") PART(a "6", a "7") PART(a "7", b "0")

GPU_INLINE uint32_t gpu_run_jumps_far(uint32_t blocks, uint32_t passes)
{
  uint32_t cycles;

  GPU_NVPTX_PASSES("n, x", "mov.u32 x, n;\n\tbra.uni R000_0;\n\t" /* 576 blocks each: */
                   GPU_NVPTX_EIGHT(GPU_NVPTX_ROWS, "0", "1")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_ROWS, "1", "2")
                   GPU_NVPTX_EIGHT(GPU_NVPTX_ROWS, "2", "3")
                   /* never reached */
                   "R300_0:\n\tR300_1:\n\tR300_2:\n\tR300_3:\n\tR300_4:\n\tR300_5:\n\tR300_6:\n\t"
                   "R300_7:\n\tR300_8:\n\t");
  return cycles;
}

/* Clocks */

GPU_INLINE uint32_t gpu_clock(void)
{
  uint32_t t;

  __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

GPU_INLINE uint64_t gpu_clock64(void)
{
  uint64_t t;

  __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

/* ptxas prefers to read the clock into a uniform register (S2UR), which takes a while and waits for
 * nothing. It reads all 64 bits into an ordinary register at once (CS2R) if their difference
 * depends on a value that may differ between lanes. This value is 0 in all of them. */
GPU_INLINE uint32_t gpu_zero_of_lane(void)
{
  uint32_t zero;

  __asm__("{\n\t.reg .u32 m;\n\tmov.u32 m, %%lanemask_eq;\n\tpopc.b32 m, m;\n\t"
          "sub.u32 %0, m, 1;\n\t}"
          : "=r"(zero));
  return zero;
}

GPU_INLINE uint32_t gpu_cycles(uint64_t from, uint64_t to)
{
  const uint64_t cycles = to - from + gpu_zero_of_lane();

  return cycles > UINT32_MAX ? UINT32_MAX : (uint32_t)cycles;
}

GPU_INLINE uint64_t gpu_nanoseconds(void)
{
  uint64_t t;

  __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

/* Grids have one dimension, so ctaid.y is 0, which ptxas does not know. */
#define gpu_keep(value) ((value) + __nvvm_read_ptx_sreg_ctaid_y())

/* ptxas keeps a chain with the same start in all lanes in uniform registers and adds moves to the
 * timed code. */
#define gpu_vary(value) ((value) + gpu_zero_of_lane())

/* Memory that is not measured: these accesses bypass L1 (.cg), so that they do not change it. */

GPU_INLINE void gpu_store64(uint64_t address, uint64_t value)
{
  __asm__ volatile("st.global.cg.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

GPU_INLINE void gpu_store32(uint64_t address, uint32_t value)
{
  __asm__ volatile("st.global.cg.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

GPU_INLINE void gpu_store_lanes(uint64_t address, uint32_t bytes)
{
  const uint32_t at = 8 * gpu_lane();

  if (at < bytes)
    __asm__ volatile("st.global.u64 [%0], %1;" ::"l"(address + at), "l"(1ull) : "memory");
}

GPU_INLINE void gpu_add32(uint64_t address, uint32_t value)
{
  __asm__ volatile("red.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

GPU_INLINE uint64_t gpu_get64(uint64_t address)
{
  uint64_t value;

  __asm__ volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

GPU_INLINE uint32_t gpu_get32(uint64_t address)
{
  uint32_t value;

  __asm__ volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

/* ptxas may take a plain load out of a loop that does not store. */
#define gpu_poll32 gpu_nvptx_poll32
GPU_INLINE uint32_t gpu_nvptx_poll32(uint64_t address)
{
  uint32_t value;

  __asm__ volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

/* Shared memory starts behind the bytes that the driver reserves. */
#define GPU_SHARED_BASE ((uint32_t)(uintptr_t)gpu_shared)

GPU_INLINE void gpu_shared_store32(uint32_t offset, uint32_t value)
{
  __asm__ volatile("st.shared.u32 [%0], %1;" ::"r"(GPU_SHARED_BASE + offset), "r"(value)
                   : "memory");
}

GPU_INLINE uint64_t gpu_constant_base(void) { return (uint64_t)(uintptr_t)gpu_constant_bank; }

/* No chain ever holds all ones in its low word: addresses are aligned, offsets and texels are
 * small. A thread with that value would exit, so later code cannot start before the value is
 * known. */
#define GPU_NVPTX_AWAIT_32(value) "setp.eq.u32 p, " value ", 0xffffffff;\n\t@p exit;\n\t"
#define GPU_NVPTX_AWAIT_64(value) "cvt.u32.u64 w, " value ";\n\t" GPU_NVPTX_AWAIT_32("w")

GPU_INLINE void gpu_await(uint64_t value)
{
  __asm__ volatile("{\n\t.reg .pred p;\n\t.reg .u32 w;\n\t" GPU_NVPTX_AWAIT_64("%0") "}"
                   :
                   : "l"(value)
                   : "memory");
}

/* Measured loads. PATH(path, bits, letter, load): `load` is one load from %[at] (texture object:
 * %[object]) into %[value], both of `bits` bits. The block awaits the address as well, so that only
 * the load is between the clock reads. */
#define GPU_NVPTX_PATH(path, bits, letter, load)                                                   \
  GPU_INLINE uint64_t gpu_load_##path(uint64_t at, uint64_t texture)                               \
  {                                                                                                \
    uint##bits##_t value;                                                                          \
                                                                                                   \
    __asm__ volatile("{\n\t.reg .u32 b, c, d;\n\t" load "}"                                        \
                     : [value] "=" letter(value)                                                   \
                     : [at] letter((uint##bits##_t)at), [object] "l"(texture)                      \
                     : "memory");                                                                  \
    return value;                                                                                  \
  }                                                                                                \
  GPU_INLINE uint64_t gpu_timed_load_##path(uint64_t at, uint64_t texture, uint32_t *t)            \
  {                                                                                                \
    uint64_t t0, t1;                                                                               \
    uint##bits##_t value;                                                                          \
                                                                                                   \
    __asm__ volatile("{\n\t.reg .pred p;\n\t.reg .u32 b, c, d, w;\n\t" GPU_NVPTX_AWAIT_##bits(     \
                         "%[at]") "mov.u64 %[t0], %%clock64;\n\t" load GPU_NVPTX_AWAIT_##bits(     \
                         "%[value]") "mov.u64 %[t1], %%clock64;\n\t}"                              \
                     : [value] "=&" letter(value), [t0] "=&l"(t0), [t1] "=&l"(t1)                  \
                     : [at] letter((uint##bits##_t)at), [object] "l"(texture)                      \
                     : "memory");                                                                  \
    *t = gpu_cycles(t0, t1);                                                                       \
    return value;                                                                                  \
  }

GPU_NVPTX_PATH(ca, 64, "l", "ld.global.ca.u64 %[value], [%[at]];\n\t")
GPU_NVPTX_PATH(cg, 64, "l", "ld.global.cg.u64 %[value], [%[at]];\n\t")
GPU_NVPTX_PATH(nc, 64, "l", "ld.global.nc.u64 %[value], [%[at]];\n\t")
GPU_NVPTX_PATH(constant, 64, "l", "ld.const.u64 %[value], [%[at]];\n\t")
GPU_NVPTX_PATH(shared, 32, "r", "ld.shared.u32 %[value], [%[at]];\n\t")
GPU_NVPTX_PATH(texture, 32, "r", "tex.1d.v4.u32.s32 {%[value], b, c, d}, [%[object], {%[at]}];\n\t")

/* Only in code for sm_60 and later. */
GPU_NVPTX_PATH(system, 64, "l", "atom.global.sys.add.u64 %[value], [%[at]], %[object];\n\t")

#define gpu_load_lanes(at, mask, stride) gpu_load_shared(at, 0)

/* Atomic operations that return the old value. Those of a chain add a 0 that ptxas does not know,
 * so that it cannot take them for loads. */
GPU_INLINE uint64_t gpu_load_atomic(uint64_t at, uint64_t texture)
{
  uint64_t old;

  (void)texture;
  __asm__ volatile("atom.global.add.u64 %0, [%1], %2;"
                   : "=l"(old)
                   : "l"(at), "l"((uint64_t)gpu_zero_of_lane())
                   : "memory");
  return old;
}

GPU_INLINE uint64_t gpu_load_atomic_shared(uint64_t at, uint64_t texture)
{
  uint32_t old;

  (void)texture;
  __asm__ volatile("atom.shared.add.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "r"((uint32_t)at), "r"(gpu_zero_of_lane())
                   : "memory");
  return old;
}

GPU_INLINE uint32_t gpu_add_cg(uint64_t at, uint32_t value)
{
  uint32_t old;

  __asm__ volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value));
  return old;
}

GPU_INLINE uint32_t gpu_add_shared(uint64_t at, uint32_t value)
{
  uint32_t old;

  __asm__ volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"((uint32_t)at), "r"(value));
  return old;
}

GPU_INLINE uint32_t gpu_read_line(uint64_t line)
{
  uint32_t value;

  __asm__ volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(line + 4ull * gpu_lane()));
  return value;
}

/* Bandwidth: 16 bytes in each lane at once. A texture address counts texels of 16 bytes. */
struct gpu_words {
  uint32_t word[4];
};

GPU_INLINE uint32_t gpu_lanes(void) { return GPU_LANES; }
GPU_INLINE uint32_t gpu_warp(void) { return gpu_thread() / GPU_LANES; }
GPU_INLINE uint32_t gpu_warps(void) { return gpu_threads() / GPU_LANES; }

#define GPU_NVPTX_READ(path, bits, letter, place, load)                                            \
  GPU_INLINE void gpu_read_row_##path(struct gpu_words *to, uint64_t at, uint64_t texture)         \
  {                                                                                                \
    __asm__ volatile(load " {%0, %1, %2, %3}, [" place "];"                                        \
                     : "=r"(to->word[0]), "=r"(to->word[1]), "=r"(to->word[2]), "=r"(to->word[3])  \
                     : letter((uint##bits##_t)(at)), "l"(texture));                                \
  }

GPU_NVPTX_READ(ca, 64, "l", "%4", "ld.global.ca.v4.u32")
GPU_NVPTX_READ(cg, 64, "l", "%4", "ld.global.cg.v4.u32")
GPU_NVPTX_READ(nc, 64, "l", "%4", "ld.global.nc.v4.u32")
GPU_NVPTX_READ(shared, 32, "r", "%4", "ld.shared.v4.u32")
GPU_NVPTX_READ(texel, 32, "r", "%5, {%4}", "tex.1d.v4.u32.s32")

/* Both halves of the sum depend on what narrow rows read, so that the compiler keeps the loads. */
GPU_INLINE void gpu_read_row_ca4(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  (void)texture;
  __asm__ volatile("ld.global.ca.u32 %0, [%1];" : "=r"(to->word[0]) : "l"(at));
  to->word[2] = to->word[0] >> 1;
}

GPU_INLINE void gpu_read_row_ca8(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  (void)texture;
  __asm__ volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
                   : "=r"(to->word[0]), "=r"(to->word[1])
                   : "l"(at));
  to->word[2] = to->word[1] >> 1;
}

/* Two loads of 8 bytes: ptxas splits one of 16 bytes into four. */
GPU_INLINE void gpu_read_row_constant(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  uint64_t low, high;

  (void)texture;
  __asm__ volatile("ld.const.u64 %0, [%1];" : "=l"(low) : "l"(at));
  __asm__ volatile("ld.const.u64 %0, [%1+8];" : "=l"(high) : "l"(at));
  to->word[0] = (uint32_t)low;
  to->word[1] = (uint32_t)(low >> 32);
  to->word[2] = (uint32_t)high;
  to->word[3] = (uint32_t)(high >> 32);
}

GPU_INLINE void gpu_read_row_texture(struct gpu_words *to, uint64_t at, uint64_t texture)
{
  gpu_read_row_texel(to, at / 16, texture);
}

/* Clusters: only in code for sm_90 and later. */
GPU_INLINE uint32_t gpu_cluster_rank(void)
{
  uint32_t rank;

  __asm__ volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

GPU_INLINE void gpu_cluster_barrier(void)
{
  __asm__ volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

GPU_INLINE uint32_t gpu_remote_address(uint32_t offset, uint32_t rank)
{
  uint32_t address;

  __asm__ volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                   : "=r"(address)
                   : "r"(GPU_SHARED_BASE + offset), "r"(rank));
  return address;
}

GPU_INLINE uint32_t gpu_load_remote(uint32_t at)
{
  uint32_t value;

  __asm__ volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

/* Bulk copies: only in code for sm_90 and later. One lane makes them and all wait: ptxas knows that
 * an elected lane is a single one, and needs no loop over lanes. A wait is a loop, because try_wait
 * may give up early. Between the clock reads of the timed copy are only the copy and that loop. */
#define GPU_NVPTX_ELECT "{\n\t.reg .pred e, p;\n\telect.sync _|e, 0xffffffff;\n\t"
#define GPU_NVPTX_BULK                                                                             \
  "@e cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%[to]], [%[from]], "          \
  "%[bytes], [%[barrier]];\n\t"
#define GPU_NVPTX_BULK_WAIT                                                                        \
  "WAIT:\n\tmbarrier.try_wait.parity.shared.b64 p, [%[barrier]], %[parity];\n\t@!p bra WAIT;\n\t"

GPU_INLINE uint32_t gpu_bulk_barrier(uint32_t place)
{
  return GPU_SHARED_BASE + 8 * place;
}

GPU_INLINE void gpu_bulk_begin(void)
{
  for (uint32_t place = 0; place < GPU_BULK_PLACES; place++)
    __asm__ volatile(GPU_NVPTX_ELECT
                     "@e mbarrier.init.shared.b64 [%0], 1;\n\t}" ::"r"(gpu_bulk_barrier(place))
                     : "memory");
  __asm__ volatile("fence.proxy.async;" ::: "memory");
  gpu_barrier();
}

GPU_INLINE void gpu_bulk_expect(uint32_t place, uint32_t bytes)
{
  __asm__ volatile(
      GPU_NVPTX_ELECT
      "@e mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\n\t}" ::"r"(gpu_bulk_barrier(place)),
      "r"(bytes)
      : "memory");
}

GPU_INLINE void gpu_bulk_copy(uint32_t place, uint32_t to, uint64_t from, uint32_t bytes)
{
  __asm__ volatile(GPU_NVPTX_ELECT GPU_NVPTX_BULK "}"
                   :
                   : [to] "r"(GPU_SHARED_BASE + to), [from] "l"(from), [bytes] "r"(bytes),
                     [barrier] "r"(gpu_bulk_barrier(place))
                   : "memory");
}

GPU_INLINE void gpu_bulk_wait(uint32_t place, uint32_t parity)
{
  __asm__ volatile("{\n\t.reg .pred p;\n\t" GPU_NVPTX_BULK_WAIT "}"
                   :
                   : [barrier] "r"(gpu_bulk_barrier(place)), [parity] "r"(parity)
                   : "memory");
}

GPU_INLINE void gpu_timed_bulk_copy(uint32_t place, uint32_t to, uint64_t from, uint32_t bytes,
                                    uint32_t parity, uint32_t *t)
{
  uint64_t t0, t1;

  __asm__ volatile(GPU_NVPTX_ELECT
                   "mov.u64 %[t0], %%clock64;\n\t" GPU_NVPTX_BULK GPU_NVPTX_BULK_WAIT
                   "mov.u64 %[t1], %%clock64;\n\t}"
                   : [t0] "=&l"(t0), [t1] "=&l"(t1)
                   : [to] "r"(GPU_SHARED_BASE + to), [from] "l"(from), [bytes] "r"(bytes),
                     [barrier] "r"(gpu_bulk_barrier(place)), [parity] "r"(parity)
                   : "memory");
  *t = gpu_cycles(t0, t1);
}

#define GPU_NVPTX_WRITE(path, bits, letter, store)                                                 \
  GPU_INLINE void gpu_write_row_##path(const struct gpu_words *from, uint64_t at)                  \
  {                                                                                                \
    __asm__ volatile(store " [%0], {%1, %2, %3, %4};" ::letter((uint##bits##_t)at),                \
                     "r"(from->word[0]), "r"(from->word[1]), "r"(from->word[2]),                   \
                     "r"(from->word[3]) : "memory");                                               \
  }

GPU_NVPTX_WRITE(cg, 64, "l", "st.global.cg.v4.u32")
GPU_NVPTX_WRITE(shared, 32, "r", "st.shared.v4.u32")

/* A batch of loads, each into a register of its own, so that none has to wait for another one. Many
 * warps have fewer loads than registers, so a branch skips the rest four by four. The exit waits
 * for all values: no number of ones is `never`. */
#define GPU_NVPTX_BATCH_1(register)                                                                \
  "setp.lt.u32 p, line, %[lines];\n\t@p ld.global.ca.u32 t" register ", [at];\n\t"                 \
                                                                     "add.u64 at, at, "            \
                                                                     "%[step];\n\tadd.u32 line, "  \
                                                                     "line, %[warps];\n\t"
#define GPU_NVPTX_BATCH_4(a, b, c, d)                                                              \
  "setp.ge.u32 p, line, %[lines];\n\t@p bra GPU_BATCH_%=;\n\t" GPU_NVPTX_BATCH_1(a)                \
      GPU_NVPTX_BATCH_1(b) GPU_NVPTX_BATCH_1(c) GPU_NVPTX_BATCH_1(d)
#define GPU_NVPTX_CLEAR_4(a, b, c, d)                                                              \
  "mov.u32 t" a ", 0;\n\tmov.u32 t" b ", 0;\n\tmov.u32 t" c ", 0;\n\tmov.u32 t" d ", 0;\n\t"
#define GPU_NVPTX_FOLD_4(a, b, c, d)                                                               \
  "xor.b32 sum, sum, t" a ";\n\txor.b32 sum, sum, t" b ";\n\txor.b32 sum, sum, t" c ";\n\t"        \
  "xor.b32 sum, sum, t" d ";\n\t"
#define GPU_NVPTX_EACH_4(WHAT)                                                                     \
  WHAT("0", "1", "2", "3")                                                                         \
  WHAT("4", "5", "6", "7") WHAT("8", "9", "10", "11") WHAT("12", "13", "14", "15")                 \
      WHAT("16", "17", "18", "19") WHAT("20", "21", "22", "23") WHAT("24", "25", "26", "27")       \
          WHAT("28", "29", "30", "31")

GPU_INLINE void gpu_load_batch(uint64_t base, uint64_t stride, uint32_t lines, uint32_t warps,
                               uint32_t never)
{
  const uint32_t warp = gpu_warp();

  __asm__ volatile(
      "{\n\t.reg .pred p;\n\t.reg .u64 at;\n\t.reg .u32 sum, line;\n\t.reg .u32 t<32>;\n\t"
      "mov.u64 at, %[first];\n\tmov.u32 line, %[warp];\n\tmov.u32 sum, 0;\n\t" GPU_NVPTX_EACH_4(
          GPU_NVPTX_CLEAR_4)
          GPU_NVPTX_EACH_4(GPU_NVPTX_BATCH_4) "GPU_BATCH_%=:\n\t" GPU_NVPTX_EACH_4(
              GPU_NVPTX_FOLD_4) "popc.b32 sum, sum;\n\tsetp.eq.u32 p, sum, %[never];\n\t@p "
                                "exit;\n\t}"
      :
      : [first] "l"(base + warp * stride), [step] "l"(stride * warps), [lines] "r"(lines),
        [warp] "r"(warp), [warps] "r"(warps), [never] "r"(never)
      : "memory");
}

GPU_INLINE void gpu_load_by_lane(uint64_t base, uint64_t stride, uint32_t lane_stride,
                                 uint32_t lines, uint32_t warps, uint32_t never)
{
  (void)lane_stride;
  gpu_load_batch(base, stride, lines, warps, never);
}

/* Stores are complete when other SMs can see them. */
GPU_INLINE void gpu_written(void) { __asm__ volatile("membar.gl;" ::: "memory"); }

#include "lanes.h"

#endif
