/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract between the kernels and a target. A kernel is plain C over these few operations; the
 * header of each target implements them. nvptx.h is for PTX, amdgcn.h for AMD code objects, both
 * compiled by clang. A target from outside this folder is included before this file: the
 * simulator's is src/device/sim_target.h.
 *
 * Execution
 *   GPU_KERNEL(name, args)      heads a kernel function: void gpu_<name>(struct args a)
 *   gpu_lane()                  index in the warp or wave; 0 on the simulator
 *   gpu_block(), gpu_thread(), gpu_threads(), gpu_blocks()   indices and counts, 1-D
 *   gpu_sm()                    the SM or CU that runs this block
 *   gpu_barrier()               all threads of the block
 *   gpu_select_warp(w)          true in the threads of warp w of the block; on the simulator
 *                               always, and later loads go through the caches that warp w uses
 *   gpu_first_warp()            true in the threads of the first warp of the block
 *   gpu_run_code(x)             executes at least GPU_FILLER_BYTES of code on x; returns the result
 *   gpu_run_jumps_near(blocks, passes), gpu_run_jumps_far(blocks, passes)   executes that code
 * (struct gpu_jumps_args) in all lanes; returns the raw cycles of the last pass GPU_CONCURRENT 1:
 * launches of a group, and the blocks of a launch, run at the same time. 0: one after another; they
 * run again as long as a block has called GPU_RESUME_LATER GPU_RESUME_LATER()          the block
 * exits because its ticket has not come yet GPU_TICKETS_DONE(next)      where such a block resumes:
 * the word of its SM that counts tickets; else 0 GPU_UNROLL, GPU_NO_UNROLL   in front of a loop On
 * the simulator one thread stands for all threads of a block. So work is always shared by loops of
 * the form for (i = gpu_thread(); i < n; i += gpu_threads()), and one lane does the work of all
 * lanes.
 *
 * Clocks
 *   gpu_clock()                 32-bit cycle counter of the SM; ordered with the timed code around
 *                               it
 *   gpu_clock64()               64-bit one; where the GPU counts fewer bits (GPU_CLOCK_BITS), only
 *                               these
 *   gpu_clock64_from(earlier)   a reading that can be compared with an earlier one, which is itself
 *                               such a reading or one of gpu_clock64, less than a period of the
 *                               counter ago
 *   GPU_CLOCK_ADVANCE(t)        replaces that reading by a new one, in loops that may take a
 *                               period; nothing where the GPU counts 64 bits
 *   gpu_cycles(from, to)        between two readings of the latter; UINT32_MAX stands for more
 *   gpu_nanoseconds()           wall clock of the GPU
 *
 * Memory, for PATH in ca cg shared; where GPU_NVIDIA_PATHS is 1 also nc texture constant, where
 * GPU_AMD_PATHS is 1 also scalar (a load of global memory by the scalar unit of a wave)
 *   gpu_load_PATH(at, texture)            one load; returns the next address of the chain
 *   GPU_CHAIN(PATH, at, loads, ...)       at = gpu_load_PATH(at, ...), `loads` times (an even
 *                                         constant) without anything in between
 *   gpu_timed_load_PATH(at, texture, &t)  clock, load, wait for its value, clock: t = cycles
 *                                         between. Tests prove that order in the machine code of
 *                                         every target.
 *   GPU_RUN, gpu_load_run(base, at, bytes, stride)   GPU_RUN loads (.cg) from base + at on,
 *                                         `stride` bytes apart, without those behind base + bytes:
 *                                         the work of as many neighbouring threads. 1 where threads
 *                                         are real.
 *   gpu_load_batch(base, stride, lines, warps, never)   the `warps` warps of the block load `lines`
 * lines (.ca), `stride` bytes apart from `base` on. Warp w loads the lines w, w + warps and so on,
 * at most GPU_BATCH_LOADS, without waiting in between; all its lanes load the same address. Returns
 * when they have arrived. never: a number above 64 that the compiler does not know. Tests check the
 * machine code.
 *   gpu_load_by_lane(base, stride, lane_stride, lines, warps, never)
 *                                         the same, but each lane has a base of its own, lane_stride
 *                                         bytes behind that of the lane before it; only the
 *                                         simulator uses lane_stride
 *   gpu_share(args, result)               only where blocks run one after another (the simulator):
 *                                         what the kernel `shares` counts on this SM, if its blocks
 *                                         ran at the same time
 *   gpu_store64/gpu_store32(address, v)   plain global store
 *   gpu_store_lanes(address, bytes)       stores 8 bytes in each lane, `bytes` adjacent ones
 *                                         together, as a program stores: through all caches
 *   gpu_add32(address, v)                 atomic addition
 *   gpu_get64/gpu_get32(address)          plain global load of arguments (never of measured
 *                                         memory), the same in all threads of a warp
 *   gpu_poll32(address)                   the same of a word that other blocks change, in a loop
 *   gpu_shared_store32(offset, v)         store to the block's dynamic shared memory
 *   GPU_SHARED_BASE             where that memory starts, for loads: chains through it hold
 *                               addresses, while args.h and results use offsets. 0 unless a target
 *                               defines it.
 *   gpu_constant_base()                   constant-space address of the bank
 *   gpu_load_lanes(at, mask, stride)      one load of shared memory by all lanes. Lane i must have
 *                                         the address GPU_SHARED_BASE + (i & mask) * stride in
 *                                         `at`. The simulator needs mask and stride, because one
 *                                         lane does the work of all.
 *   gpu_load_atomic(at, texture), gpu_load_atomic_shared(at, texture)
 *                                         an atomic addition of 0 to a slot of global or shared
 *                                         memory; returns the slot, the next address of the chain
 *   gpu_load_system(at, zero), gpu_timed_load_system(at, zero, &t)
 *                                         the same in global memory, as atomic for the CPU as for
 *                                         the GPU: adds `zero`, which the compiler does not know
 *   gpu_add_cg(at, v), gpu_add_shared(at, v)   each lane adds v to a word of 32 bits and gets the
 *                                         old value, for which it need not wait at once
 *   gpu_occupied(at, n)                   other blocks of the launch keep n operations on the line
 * at `at` under way. GPU_OCCUPIES is 1: they do. 0: they cannot, because blocks run one after
 * another (the simulator), and this call stands for it. gpu_read_line(at)                     all
 * lanes together read a line of 128 bytes (.cg), and need not wait for it at once; only in slices.c
 *   gpu_await(value)                      later code starts after the value has arrived. The value
 *                                         is never all ones
 *
 * Clusters of blocks, only in cluster.c
 *   gpu_cluster_rank()                    index of the block in its cluster
 *   gpu_cluster_barrier()                 all threads of the cluster
 *   gpu_remote_address(offset, rank)      address of that byte of dynamic shared memory of a block
 *                                         of the cluster; the same for all blocks of the cluster
 *   gpu_load_remote(at)                   one load of 4 bytes; returns the next address of the chain
 *
 * Bulk copies from global to shared memory, in a block of one warp, only in bulk.c. Offsets are
 * those of the block's dynamic shared memory; args.h has its layout.
 *   gpu_bulk_begin()                      prepares the barriers of all places, before everything else
 *   gpu_bulk_expect(place, bytes)         the barrier of this place will wait for so many bytes
 *   gpu_bulk_copy(place, to, from, bytes) starts a copy from a global address to an offset
 *   gpu_bulk_wait(place, parity)          until it has arrived. parity: 0 for the first copy to a
 *                                         place, then 1, 0, 1 ...
 *   gpu_timed_bulk_copy(place, to, from, bytes, parity, &t)
 *                                         clock, copy, wait, clock: t = cycles between
 *
 * Bandwidth, for the same paths, and for writes in cg and shared
 *   gpu_lanes(), gpu_warp(), gpu_warps()  lanes of a warp; index of the warp in its block; warps of
 *                                         a block. On the simulator warp 0 stands for all of them.
 *   struct gpu_words                      16 bytes: uint32_t word[4]
 *   gpu_read_row_PATH(&words, at, texture)   one load of 16 bytes; `at` is a byte address, or for a
 *                                         texture, which has texels of 16 bytes, a byte offset
 *   gpu_read_row_ca4, gpu_read_row_ca8    the same with 4 or 8 bytes, through ca
 *   gpu_read_rows_scalar(at)              GPU_BANDWIDTH_ROWS adjacent rows
 *   gpu_write_row_PATH(&words, at)        one store of 16 bytes
 *   gpu_sweep_read(at, stop, words, sum)  GPU_BANDWIDTH_ROWS adjacent rows of a warp through cg, as
 *                                         long as they are before `stop`. words: GPU_BANDWIDTH_ROWS
 *                                         of them, whose earlier values go into sum[2]
 *   gpu_sweep_write(at, stop, v)          the same for stores
 *   gpu_written()                         waits until all earlier stores have arrived
 *   gpu_keep(value)                       an argument, from here on in a register
 *   gpu_vary(value)                       the same value, which the compiler must not treat as
 *                                         uniform
 *
 * Work of all lanes of a warp, without memory accesses during a measurement
 *   struct gpu_histogram; gpu_histogram_clear(&h); gpu_histogram_add(&h, bin);
 *   gpu_histogram_store(&h, address)      uint32_t[GPU_HISTOGRAM_BINS]
 *   gpu_histogram_join(&h, address)       atomically adds to them
 *   struct gpu_trace; gpu_trace_clear(&r, address); gpu_trace_add(&r, index, t);
 *   gpu_trace_end(&r, n)                  the lanes keep the values and write one warp-full
 *                                         at a time
 *   struct gpu_marks; gpu_marks_clear(&m); gpu_marks_add(&m, index, bit);
 *   gpu_marks_store(&m, address)          GPU_MARKS bits, index % 32 of word index / 32
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "args.h"

#if defined(__NVPTX__)
#include "nvptx.h"
#elif defined(__AMDGCN__)
#include "amdgcn.h"
#elif !defined(GPU_KERNEL)
#error "no target: compile for nvptx64 or amdgcn, or include a target's header first"
#endif

#ifndef gpu_poll32
#define gpu_poll32(address) gpu_get32(address)
#endif
#ifndef gpu_keep
#define gpu_keep(value) (value)
#endif
#ifndef gpu_vary
#define gpu_vary(value) (value)
#endif
#ifndef gpu_clock64_from
#define gpu_clock64_from(earlier) ((void)(earlier), gpu_clock64())
#define GPU_CLOCK_ADVANCE(t)
#else
#define GPU_CLOCK_ADVANCE(t) ((t) = gpu_clock64_from(t))
#endif
#ifndef GPU_RUN
#define GPU_RUN 1
#define gpu_load_run(base, at, bytes, stride) gpu_load_cg((base) + (at), 0)
#endif
#ifndef GPU_LOADS_SLOTS
#define GPU_LOADS_SLOTS 0
#define GPU_LOAD_SLOTS(path, at, step, count, texture) ((void)(at), (void)(step))
#define GPU_LOAD_PASSES(path, at, step, slots, loads, texture) ((void)(slots))
#define GPU_FOLLOW(path, at, start, end, n, texture)                                               \
  GPU_NO_UNROLL                                                                                    \
  for (uint32_t k = 0; k < (n); k++) {                                                             \
    (at) = gpu_load_##path(at, texture);                                                           \
    (at) = (at) == (end) ? (start) : (at);                                                         \
  }
#define gpu_fill(a) 0
#endif
#ifndef GPU_CHAIN
#define GPU_CHAIN(path, at, loads, ...)                                                            \
  GPU_UNROLL                                                                                       \
  for (uint32_t u = 0; u < (loads); u++)                                                           \
    (at) = gpu_load_##path(at, __VA_ARGS__);
#endif
#ifndef GPU_OCCUPIES
#define GPU_OCCUPIES 1
#define gpu_occupied(at, n) ((void)(at), (void)(n))
#endif
#ifndef GPU_CONCURRENT
#define GPU_CONCURRENT 1
#define GPU_RESUME_LATER()
#define GPU_TICKETS_DONE(next) 0u
#define gpu_share(args, result) ((void)0)
#endif

/* Whether the lanes of a warp can load different addresses in one instruction. */
#define GPU_LANES_ca 1
#define GPU_LANES_cg 1
#define GPU_LANES_nc 1
#define GPU_LANES_texture 1
#define GPU_LANES_scalar 0
#define GPU_LANES_constant 0
#define GPU_LANES_shared 0
#define GPU_LANES_system 0

/* The offset between an address in args.h and the address that a chain of this path holds. */
#ifndef GPU_SHARED_BASE
#define GPU_SHARED_BASE 0
#endif
#define GPU_BASE_ca 0
#define GPU_BASE_ca4 0
#define GPU_BASE_ca8 0
#define GPU_BASE_cg 0
#define GPU_BASE_nc 0
#define GPU_BASE_scalar 0
#define GPU_BASE_system 0
#define GPU_BASE_texture 0
#define GPU_BASE_constant 0
#define GPU_BASE_shared GPU_SHARED_BASE
#define GPU_BASE_atomic_shared GPU_SHARED_BASE

#endif
