/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract between the kernels and a target. A kernel is plain C over these few operations; each
 * target's header gives them (nvptx.h: PTX by clang; amdgcn.h: AMD code objects by clang; sim.h: host
 * code over the model of src/model, compiled into src/device/sim.c).
 *
 * Execution
 *   GPU_KERNEL(name, args)      heads a kernel function: void gpu_<name>(struct args a)
 *   gpu_lane()                  index in the warp or wave; 0 on the simulator
 *   gpu_block(), gpu_thread(), gpu_threads(), gpu_blocks()   indices and counts, 1-D
 *   gpu_sm()                    the SM or CU that runs this block
 *   gpu_barrier()               all threads of the block
 *   gpu_select_warp(w)          true in the threads of warp w of the block; on the simulator always, and the
 *                               loads from now on go through the caches that warp w uses
 *   gpu_run_code(x)             executes GPU_STRETCH_BYTES of code or more on x; returns what came out
 *   GPU_TOGETHER                1: launches of a group run at the same time; 0: one after another, and again as
 *                               long as a block of one has called GPU_COME_AGAIN because its turn is to come
 *   GPU_TURNS_DONE(next)        where such a block goes on: the word of its SM that counts turns; else 0
 *   GPU_UNROLL, GPU_NO_UNROLL   in front of a loop
 * On the simulator one thread stands for all threads of a block, so work is always shared by loops of
 * the form for (i = gpu_thread(); i < n; i += gpu_threads()), and one lane does what lanes do together.
 *
 * Clocks
 *   gpu_clock()                 32-bit cycle counter of the SM; ordered with the timed code around it
 *   gpu_clock64()               64-bit one; where the GPU counts fewer bits (GPU_CLOCK_BITS), just these
 *   gpu_clock64_from(earlier)   reading that can be compared with an earlier one, itself such a reading
 *                               or one of gpu_clock64, less than a period of the counter ago
 *   GPU_CLOCK_GOES_ON(t)        replaces that reading by a new one, in loops that may take a period; nothing
 *                               where 64 bits are counted
 *   gpu_cycles(from, to)        between two readings of the latter; UINT32_MAX stands for more
 *   gpu_nanoseconds()           wall clock of the GPU
 *
 * Memory, for PATH in ca cg shared; where GPU_NVIDIA_PATHS is 1 also nc texture constant, where
 * GPU_AMD_PATHS is 1 also scalar (a load of global memory by the scalar unit of a wave)
 *   gpu_load_PATH(at, texture)            one load; returns where the chain goes next
 *   gpu_timed_load_PATH(at, texture, &t)  clock, load, wait for its value, clock: t = cycles between.
 *                                         Tests prove that order in the machine code of every target.
 *   GPU_RUN, gpu_load_run(base, at, bytes, stride)   so many .cg loads from base + at on, `stride` bytes
 *                                         apart, that lie before base + bytes: what as many
 *                                         neighbouring threads do. 1 where threads are real.
 *   gpu_store64/gpu_store32(address, v)   plain global store
 *   gpu_add32(address, v)                 adds to it in one step, whoever else does
 *   gpu_get64/gpu_get32(address)          plain global load of arguments (never of measured memory), the same
 *                                         in all threads of a warp
 *   gpu_shared_store32(offset, v)         store to the block's dynamic shared memory
 *   GPU_SHARED_BASE             where that memory starts, for loads: chains through it hold addresses,
 *                               while args.h and results speak of offsets. 0 unless a target says more.
 *   gpu_constant_base()                   constant-space address of the bank
 *   gpu_await(value)                      nothing after it starts before the value has arrived
 *
 * Bandwidth, for the same, and for writing in cg and shared
 *   gpu_lanes(), gpu_warp(), gpu_warps()  lanes of a warp; the warp in its block, and how many there
 *                                         are. On the simulator warp 0 stands for all of them.
 *   struct gpu_words                      16 bytes: uint32_t word[4]
 *   gpu_read_row_PATH(&words, at, texture)   one load of 16 bytes; `at` is a byte address, for a
 *                                         texture a byte offset, and its texels have 16 bytes
 *   gpu_read_rows_scalar(at)              GPU_BANDWIDTH_ROWS rows behind each other
 *   gpu_write_row_PATH(&words, at)        one store of 16 bytes
 *   gpu_written()                         all stores before it have arrived
 *   gpu_keep(value)                       an argument, from here on in a register
 *
 * What lanes do together, without touching memory while a measurement runs
 *   struct gpu_histogram; gpu_histogram_clear(&h); gpu_histogram_add(&h, bin);
 *   gpu_histogram_store(&h, address)      uint32_t[GPU_HISTOGRAM_BINS]
 *   gpu_histogram_join(&h, address)       adds to them, whoever else does
 *   struct gpu_trace; gpu_trace_clear(&r, address); gpu_trace_add(&r, index, t); gpu_trace_end(&r, n)
 *                                         kept in the lanes, written once in a warp-full of values
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "args.h"

#if defined(__NVPTX__)
#include "nvptx.h"
#elif defined(__AMDGCN__)
#include "amdgcn.h"
#elif defined(GPU_TARGET_SIM)
#include "sim.h"
#else
#error "kernels are compiled for nvptx64, for amdgcn, or for the simulator (GPU_TARGET_SIM)"
#endif

#ifndef gpu_keep
#define gpu_keep(value) (value)
#endif
#ifndef gpu_vary
#define gpu_vary(value) (value)
#endif
#ifndef gpu_clock64_from
#define gpu_clock64_from(earlier) ((void)(earlier), gpu_clock64())
#define GPU_CLOCK_GOES_ON(t)
#else
#define GPU_CLOCK_GOES_ON(t) ((t) = gpu_clock64_from(t))
#endif
#ifndef GPU_RUN
#define GPU_RUN 1
#define gpu_load_run(base, at, bytes, stride) gpu_load_cg((base) + (at), 0)
#endif
#ifndef GPU_TOGETHER
#define GPU_TOGETHER 1
#define GPU_COME_AGAIN()
#define GPU_TURNS_DONE(next) 0u
#endif

/* Whether lanes of a warp may load different addresses at once. */
#define GPU_LANES_ca 1
#define GPU_LANES_cg 1
#define GPU_LANES_nc 1
#define GPU_LANES_texture 1
#define GPU_LANES_scalar 0
#define GPU_LANES_constant 0
#define GPU_LANES_shared 0

/* What a chain of each path adds to the numbers of args.h. */
#ifndef GPU_SHARED_BASE
#define GPU_SHARED_BASE 0
#endif
#define GPU_BASE_ca 0
#define GPU_BASE_cg 0
#define GPU_BASE_nc 0
#define GPU_BASE_scalar 0
#define GPU_BASE_texture 0
#define GPU_BASE_constant 0
#define GPU_BASE_shared GPU_SHARED_BASE

#endif
