/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulator as a target: the operations of kernels/gpu.h over the model. Only sim_kernels.c
 * compiles kernels with it. gpu_sim is the block that is running.
 *
 * Stores do not go through the caches of the model, so writing a ring does not change them. Only
 * the rows of bandwidth kernels do.
 */
#ifndef GC_DEVICE_SIM_TARGET_H
#define GC_DEVICE_SIM_TARGET_H

#include "device/sim_block.h"
#include "kernels/args.h"

#include <stddef.h>

/* The profile states which paths its GPU has. */
#define GPU_NVIDIA_PATHS 1
#define GPU_AMD_PATHS 1

static __thread struct gc_sim_block *gpu_sim;

/* Cycles that a read of the wall clock takes, and so also its resolution. Few reads then suffice in
 * kernels that wait for a time to pass. If the SM clock wanders, readings must be good enough to
 * notice it. */
#define GPU_SIM_WALL_CYCLES 512
#define GPU_SIM_FINE_CYCLES 64

/* Not gpu_<name>: the operations are functions of the same translation unit. */
#define GPU_KERNEL(name, args) static void sim_kernel_##name(struct args a)
#define GPU_UNROLL
#define GPU_NO_UNROLL

static inline uint32_t gpu_lane(void) { return 0; }
static inline uint32_t gpu_thread(void) { return 0; }
static inline uint32_t gpu_threads(void) { return 1; }
static inline uint32_t gpu_block(void) { return gpu_sim->block; }
static inline uint32_t gpu_blocks(void) { return gpu_sim->blocks; }
static inline uint32_t gpu_sm(void) { return gpu_sim->sm_id; }
static inline void gpu_barrier(void) {}
static inline void gpu_await(uint64_t value) { (void)value; }

#define GPU_CONCURRENT 0
#define GPU_RESUME_LATER() (gpu_sim->resume_later = true)
#define GPU_TICKETS_DONE(next) gpu_get32(next)

static inline int gpu_select_warp(uint32_t warp)
{
  gc_sim_settle(gpu_sim);
  gc_model_unit(gpu_sim->model, gpu_sim->unit + warp);
  return 1;
}

static inline int gpu_first_warp(void) { return 1; }

/* The simulator fetches code in pieces, none longer than a cache line. */
#define GPU_SIM_CODE_BYTES 32

static inline uint32_t gpu_run_code(uint32_t x)
{
  struct gc_sim_block *b = gpu_sim;

  for (uint64_t at = 0; at < GPU_FILLER_BYTES; at += GPU_SIM_CODE_BYTES)
    gc_sim_touch(b, GC_SPACE_INSTRUCTION, at);
  return x;
}

/* Where the code of each kernel is, so that no two are at the same place. */
#define GPU_SIM_CODE_NEAR (1u << 20)
#define GPU_SIM_CODE_FAR (2u << 20)
#define GPU_SIM_FETCH 32 /* bytes: at most the sector of any instruction cache */

/* Executes this many bytes of a block of code and jumps to the next one. The model knows only the
 * time of the fetch after the jump: what follows is prefetched. */
static inline uint32_t gpu_sim_jump(uint32_t code, uint32_t block, uint32_t bytes)
{
  const uint64_t at = code + (uint64_t)block * GPU_JUMPS_BYTES;
  const uint32_t cycles =
    gc_model_load(gpu_sim->model, gpu_sim->sm, GC_SPACE_INSTRUCTION, at);

  gc_model_touch_run(gpu_sim->model, gpu_sim->sm, GC_SPACE_INSTRUCTION, at + GPU_SIM_FETCH,
                     GPU_SIM_FETCH, bytes / GPU_SIM_FETCH - 1);
  return cycles;
}

static inline uint32_t gpu_sim_pass_near(uint32_t blocks)
{
#define GPU_SIM_NEXT(m, block, after, next) [block] = (next),
  static const uint8_t next[GPU_JUMPS_MODULE] = {GPU_JUMPS_ORDER(GPU_SIM_NEXT, , )};
#undef GPU_SIM_NEXT
  uint32_t cycles = 0, module = 0, at = 0;

  for (uint32_t i = 0; i < blocks; i++) {
    cycles += gpu_sim_jump(GPU_SIM_CODE_NEAR, module + at, GPU_JUMPS_BYTES);
    at = next[at];
    module += at ? 0 : GPU_JUMPS_MODULE;
  }
  return cycles;
}

static inline uint32_t gpu_sim_pass_far(uint32_t blocks)
{
  uint32_t cycles = 0;

  for (uint32_t i = 0; i < GPU_JUMPS_STRIDE; i++)
    for (uint32_t at = i * GPU_JUMPS_SHIFT % GPU_JUMPS_STRIDE; at < blocks; at += GPU_JUMPS_STRIDE)
      cycles += gpu_sim_jump(GPU_SIM_CODE_FAR, at, 2 * GPU_SIM_FETCH);
  return cycles;
}

#define GPU_SIM_JUMPS(order)                                                                       \
  static inline uint32_t gpu_run_jumps_##order(uint32_t blocks, uint32_t passes)                   \
  {                                                                                                \
    struct gc_sim_block *b = gpu_sim;                                                              \
    uint32_t cycles = 0;                                                                           \
                                                                                                   \
    gc_sim_settle(b);                                                                              \
    while (passes--) {                                                                             \
      gc_sim_tell_time(b);                                                                         \
      cycles = gpu_sim_pass_##order(blocks);                                                       \
      b->clock += cycles;                                                                          \
      cycles += (uint32_t)gc_sim_yield(b) + b->clock_overhead;                                     \
    }                                                                                              \
    return cycles;                                                                                 \
  }

GPU_SIM_JUMPS(near)
GPU_SIM_JUMPS(far)

/* The difference of two reads is the time of the code between them plus one overhead. */
static inline uint64_t gpu_clock64(void)
{
  gc_sim_settle(gpu_sim);
  gc_sim_yield(gpu_sim);
  gc_sim_tell_time(gpu_sim);
  return gpu_sim->clock += gpu_sim->clock_overhead;
}

static inline uint32_t gpu_clock(void) { return (uint32_t)gpu_clock64(); }

static inline uint32_t gpu_cycles(uint64_t from, uint64_t to)
{
  return to - from > UINT32_MAX ? UINT32_MAX : (uint32_t)(to - from);
}

static inline uint64_t gpu_nanoseconds(void)
{
  gc_sim_settle(gpu_sim);
  gpu_sim->clock += gpu_sim->fine_clock ? GPU_SIM_FINE_CYCLES : GPU_SIM_WALL_CYCLES;
  gc_sim_yield(gpu_sim);
  return gc_sim_wall(gpu_sim);
}

#define GPU_SIM_LOAD(path, space, latency)                                                         \
  static inline uint64_t gpu_load_##path(uint64_t at, uint64_t texture)                            \
  {                                                                                                \
    struct gc_sim_block *b = gpu_sim;                                                              \
    uint64_t address, next = gc_sim_slot(b, space, at, texture, &address);                         \
                                                                                                   \
    if (b->noisy)                                                                                  \
      b->clock += gc_model_load(b->model, b->sm, space, address);                                  \
    else                                                                                           \
      gc_sim_touch(b, space, address);                                                             \
    return next;                                                                                   \
  }                                                                                                \
  static inline uint64_t gpu_timed_load_##path(uint64_t at, uint64_t texture, uint32_t *t)         \
  {                                                                                                \
    struct gc_sim_block *b = gpu_sim;                                                              \
    uint64_t address, next = gc_sim_slot(b, space, at, texture, &address);                         \
                                                                                                   \
    gc_sim_settle(b);                                                                              \
    gc_sim_tell_time(b);                                                                           \
    *t = latency(b, space, address) + b->clock_overhead;                                           \
    b->clock += *t;                                                                                \
    *t += (uint32_t)gc_sim_yield(b);                                                               \
    return next;                                                                                   \
  }                                                                                                \
  static inline void gpu_load_slots_##path(uint64_t at, uint64_t step, uint64_t count,             \
                                           uint64_t texture)                                       \
  {                                                                                                \
    gc_sim_load_slots(gpu_sim, space, at, step, count, texture);                                   \
  }                                                                                                \
  static inline void gpu_load_passes_##path(uint64_t at, uint64_t step, uint64_t slots,            \
                                            uint64_t loads, uint64_t texture)                      \
  {                                                                                                \
    struct gc_sim_passes passes = {0};                                                             \
                                                                                                   \
    while (loads -= gc_sim_pass(gpu_sim, space, &passes, loads)) {                                 \
      const uint64_t n = loads < slots ? loads : slots;                                            \
                                                                                                   \
      gc_sim_load_slots(gpu_sim, space, at, step, n, texture);                                     \
      loads -= n;                                                                                  \
    }                                                                                              \
  }                                                                                                \
  static inline uint64_t gpu_follow_##path(uint64_t at, uint64_t start, uint64_t end, uint64_t n,  \
                                           uint64_t texture)                                       \
  {                                                                                                \
    struct gc_sim_passes passes = {0};                                                             \
                                                                                                   \
    while (n) {                                                                                    \
      const uint64_t skipped =                                                                     \
        at == start ? gc_sim_pass(gpu_sim, space, &passes, n) : 0;                                 \
      const uint64_t made =                                                                        \
        skipped ? skipped : gc_sim_follow(gpu_sim, space, &at, start, end, n);                     \
                                                                                                   \
      n -= made ? made : 1;                                                                        \
      if (made)                                                                                    \
        continue;                                                                                  \
      at = gpu_load_##path(at, texture);                                                           \
      at = at == end ? start : at;                                                                 \
    }                                                                                              \
    return at;                                                                                     \
  }

/* Walks along a ring, and loads of slots at equal distances whose values are not used, once or in
 * passes. */
#define GPU_LOADS_SLOTS 1
#define GPU_LOAD_SLOTS(path, at, step, count, texture)                                             \
  gpu_load_slots_##path(at, step, count, texture)
#define GPU_LOAD_PASSES(path, at, step, slots, loads, texture)                                     \
  gpu_load_passes_##path(at, step, slots, loads, texture)
#define GPU_FOLLOW(path, at, start, end, n, texture)                                               \
  (at) = gpu_follow_##path(at, start, end, n, texture);

GPU_SIM_LOAD(ca, GC_SPACE_CA, gc_sim_latency)
GPU_SIM_LOAD(cg, GC_SPACE_CG, gc_sim_latency)
GPU_SIM_LOAD(nc, GC_SPACE_NC, gc_sim_latency)
GPU_SIM_LOAD(texture, GC_SPACE_TEXTURE, gc_sim_latency)
GPU_SIM_LOAD(constant, GC_SPACE_CONSTANT, gc_sim_latency)
GPU_SIM_LOAD(shared, GC_SPACE_SHARED, gc_sim_latency)
GPU_SIM_LOAD(scalar, GC_SPACE_SCALAR, gc_sim_latency)
GPU_SIM_LOAD(system, GC_SPACE_CG, gc_sim_system_latency)

/* Lane 0 stands for all lanes, so it is at address 0. Chains repeat the same load. */
static inline uint64_t gpu_load_lanes(uint64_t at, uint32_t mask, uint32_t stride)
{
  struct gc_sim_block *b = gpu_sim;
  uint64_t address;

  if (b->lanes.mask != mask || b->lanes.stride != stride || !b->lanes_cycles) {
    const uint32_t lanes = gc_model_facts(b->model)->warp;

    for (uint32_t lane = 0; lane < lanes; lane++)
      gc_sim_slot(b, GC_SPACE_SHARED, (uint64_t)(lane & mask) * stride, 0, &address);
    b->lanes = (struct gc_lanes){mask, stride};
    b->lanes_cycles = gc_model_lanes_cycles(b->model, &b->lanes);
  }
  b->clock += gc_model_lanes(b->model, b->lanes_cycles);
  return gc_sim_slot(b, GC_SPACE_SHARED, at, 0, &address);
}

#define GPU_SIM_ATOMIC(path, space)                                                                \
  static inline uint64_t gpu_load_##path(uint64_t at, uint64_t texture)                            \
  {                                                                                                \
    struct gc_sim_block *b = gpu_sim;                                                              \
    uint64_t address;                                                                              \
    const uint64_t old = gc_sim_slot(b, space, at, texture, &address);                             \
                                                                                                   \
    gc_sim_settle(b);                                                                              \
    gc_sim_tell_time(b);                                                                           \
    b->clock += gc_model_atomic(b->model, b->sm, space, address);                                  \
    return old;                                                                                    \
  }

GPU_SIM_ATOMIC(atomic, GC_SPACE_CG)
GPU_SIM_ATOMIC(atomic_shared, GC_SPACE_SHARED)

/* The blocks of the SM have arrived one after another; the last one counts for all. */
static inline void gpu_share(const struct gpu_shares_args *a, uint64_t result)
{
  struct gc_sim_block *b = gpu_sim;
  struct gpu_shares_result *r =
      (struct gpu_shares_result *)gc_sim_inside(b, result, sizeof(struct gpu_shares_result));
  uint64_t begin[GPU_SHARES_BLOCKS] = {a->alone_begin};
  uint32_t counts[GPU_SHARES_BLOCKS];
  struct gc_shares shares = {.sm = b->sm,
                             .blocks = 1,
                             .warps = b->warps,
                             .loads = a->loads,
                             .lane_stride = a->lane_stride,
                             .begin = begin,
                             .from = a->alone_from,
                             .until = a->alone_until,
                             .counts = counts};

  if (GPU_SHARES_BLOCKS * b->warps > GC_SHARES_WARPS_MAX)
    gc_sim_illegal(b, "warps", b->warps);
  gc_sim_global(b, a->base, sizeof(uint32_t));
  gc_sim_global(b,
                a->base + (gc_model_facts(b->model)->warp - 1) * a->lane_stride +
                    (a->loads * b->warps - 1) * sizeof(uint32_t),
                sizeof(uint32_t));
  gc_sim_settle(b);
  gc_model_shares(b->model, &shares);
  r->alone = counts[0];
  for (uint32_t i = 0; i < GPU_SHARES_BLOCKS; i++)
    begin[i] = a->begin + a->apart * GPU_SHARES_TURN(a->turns, i);
  shares.blocks = GPU_SHARES_BLOCKS;
  shares.from = a->from;
  shares.until = a->until;
  shares.counts = r->together;
  gc_model_shares(b->model, &shares);
  b->clock += a->until;
}

#define GPU_OCCUPIES 0

static inline void gpu_occupied(uint64_t at, uint32_t operations)
{
  gc_sim_settle(gpu_sim);
  gc_sim_global(gpu_sim, at, 8);
  gc_model_occupy(gpu_sim->model, at, operations);
}

static inline uint32_t gpu_read_line(uint64_t at)
{
  gc_sim_read_line(gpu_sim, at, GPU_READ_LINES);
  return 0;
}

/* One call is an operation of each lane of the block, and the other blocks of the launch do the
 * same at the same time. */
static inline void gpu_sim_add(enum gc_space space)
{
  struct gc_sim_block *b = gpu_sim;
  const uint32_t lanes = gc_model_facts(b->model)->warp * b->warps;

  gc_sim_settle(b);
  gc_sim_tell_time(b);
  b->clock += (uint64_t)gc_model_atomics(b->model, space, lanes, b->blocks);
}

static inline uint32_t gpu_add_cg(uint64_t at, uint32_t value)
{
  uint32_t old;

  memcpy(&old, gc_sim_global(gpu_sim, at, sizeof(old)), sizeof(old));
  value += old;
  memcpy(gc_sim_global(gpu_sim, at, sizeof(value)), &value, sizeof(value));
  gpu_sim_add(GC_SPACE_CG);
  return old;
}

static inline uint32_t gpu_add_shared(uint64_t at, uint32_t value)
{
  uint64_t address;
  const uint32_t old = (uint32_t)gc_sim_slot(gpu_sim, GC_SPACE_SHARED, at, 0, &address);

  value += old;
  memcpy(gpu_sim->shared + at, &value, sizeof(value));
  gpu_sim_add(GC_SPACE_SHARED);
  return old;
}

/* Neighbouring threads read neighbouring addresses, and these loads are untimed. */
#define GPU_RUN 256

static inline uint64_t gpu_load_run(uint64_t base, uint64_t at, uint64_t bytes, uint64_t stride)
{
  struct gc_sim_block *b = gpu_sim;
  const uint64_t left = stride ? (bytes - at + stride - 1) / stride : GPU_RUN;
  const uint64_t count = left < GPU_RUN ? left : GPU_RUN;

  gc_sim_load_slots(b, GC_SPACE_CG, base + at, stride, count, 0);
  return 0;
}

/* The loads of all warps; warp 0 does the work of all. */
static inline void gpu_load_by_lane(uint64_t base, uint64_t stride, uint32_t lane_stride,
                                    uint32_t lines, uint32_t warps, uint32_t never)
{
  struct gc_sim_block *b = gpu_sim;
  const uint64_t last = (uint64_t)(gc_model_facts(b->model)->warp - 1) * lane_stride;

  (void)never;
  if (!lines)
    return;
  gc_sim_global(b, base, sizeof(uint32_t));
  gc_sim_global(b, base + (lines - 1) * stride + last, sizeof(uint32_t));
  gc_sim_settle(b);
  gc_sim_tell_time(b);
  b->clock += gc_model_independent(b->model, &(struct gc_independent){.sm = b->sm,
                                                                      .space = GC_SPACE_CA,
                                                                      .address = base,
                                                                      .stride = stride,
                                                                      .lane_stride = lane_stride,
                                                                      .loads = lines,
                                                                      .warps = warps});
}

static inline void gpu_load_batch(uint64_t base, uint64_t stride, uint32_t lines, uint32_t warps,
                                  uint32_t never)
{
  gpu_load_by_lane(base, stride, 0, lines, warps, never);
}

/* A row of each warp of the block. The level where the first row hits determines the time of
 * all. */
struct gpu_words {
  uint32_t word[4];
};

static inline uint32_t gpu_lanes(void) { return gc_model_facts(gpu_sim->model)->warp; }
static inline uint32_t gpu_warp(void) { return 0; }
static inline uint32_t gpu_warps(void) { return gpu_sim->warps; }
static inline void gpu_written(void) {}

#define GPU_SIM_READ(path, space, bytes)                                                           \
  static inline void gpu_read_row_##path(struct gpu_words *to, uint64_t at, uint64_t texture)      \
  {                                                                                                \
    memset(to, 0, sizeof(*to));                                                                    \
    gc_sim_row(gpu_sim, space, at, texture, bytes, false);                                         \
  }

GPU_SIM_READ(ca, GC_SPACE_CA, gpu_lanes() * 16)
GPU_SIM_READ(ca4, GC_SPACE_CA, gpu_lanes() * 4)
GPU_SIM_READ(ca8, GC_SPACE_CA, gpu_lanes() * 8)
GPU_SIM_READ(cg, GC_SPACE_CG, gpu_lanes() * 16)
GPU_SIM_READ(nc, GC_SPACE_NC, gpu_lanes() * 16)
GPU_SIM_READ(texture, GC_SPACE_TEXTURE, gpu_lanes() * 16)
GPU_SIM_READ(constant, GC_SPACE_CONSTANT, 16)
GPU_SIM_READ(shared, GC_SPACE_SHARED, gpu_lanes() * 16)

static inline void gpu_read_rows_scalar(uint64_t at)
{
  for (uint32_t u = 0; u < GPU_BANDWIDTH_ROWS; u++)
    gc_sim_row(gpu_sim, GC_SPACE_SCALAR, at + 16 * u, 0, 16, false);
}

#define GPU_SIM_WRITE(path, space)                                                                 \
  static inline void gpu_write_row_##path(const struct gpu_words *from, uint64_t at)               \
  {                                                                                                \
    (void)from;                                                                                    \
    gc_sim_row(gpu_sim, space, at, 0, gpu_lanes() * 16, true);                                     \
  }

GPU_SIM_WRITE(cg, GC_SPACE_CG)
GPU_SIM_WRITE(shared, GC_SPACE_SHARED)

/* Warp 0 stands for all warps of the block, whose parts are adjacent. */
static inline void gpu_sim_sweep(uint64_t at, uint64_t stop, bool write)
{
  const uint64_t all = (uint64_t)GPU_BANDWIDTH_ROWS * gpu_lanes() * 16 * gpu_warps();

  gc_sim_sweep(gpu_sim, at, stop - at < all ? stop - at : all, write);
}

static inline void gpu_sweep_read(uint64_t at, uint64_t stop, struct gpu_words *words,
                                  uint32_t *sum)
{
  (void)words;
  (void)sum;
  gpu_sim_sweep(at, stop, false);
}

static inline void gpu_sweep_write(uint64_t at, uint64_t stop, uint32_t value)
{
  (void)value;
  gpu_sim_sweep(at, stop, true);
}

static inline void gpu_store64(uint64_t address, uint64_t value)
{
  memcpy(gc_sim_global(gpu_sim, address, sizeof(value)), &value, sizeof(value));
}

static inline void gpu_store32(uint64_t address, uint32_t value)
{
  memcpy(gc_sim_global(gpu_sim, address, sizeof(value)), &value, sizeof(value));
}

static inline void gpu_store_lanes(uint64_t address, uint32_t bytes)
{
  gc_sim_settle(gpu_sim);
  for (uint32_t at = 0; at < bytes; at += 8)
    gc_sim_put(gpu_sim, address + at, 1);
  gc_model_store(gpu_sim->model, gpu_sim->sm, GC_SPACE_CA, address, bytes);
}

/* Whether the multiples of `one` modulo `count` are all numbers below `count`. */
static inline bool gpu_sim_coprime(uint64_t one, uint64_t count)
{
  while (one) {
    const uint64_t rest = count % one;

    count = one;
    one = rest;
  }
  return count == 1;
}

/* Block 0 notes the ring that all blocks write (sim_ring.h). */
static inline int gpu_fill(const struct gpu_fill_args *a)
{
  struct gc_sim_block *b = gpu_sim;
  struct gc_sim_ring ring = {.base = a->base, .stride = a->stride, .count = a->count,
                             .first = a->first, .step = a->step};
  const struct gc_sim_region *region;

  if (!a->count || a->slot_bytes != 8 || a->base % 8 || a->stride % 8 || !a->stride ||
      !gpu_sim_coprime(a->multiplier % a->count, a->count))
    return 0;
  region = gc_sim_region_of(b, a->base, gc_sim_ring_bytes(&ring));
  if (region->mask != UINT64_MAX)
    return 0;
  if (b->block)
    return 1;
  ring.host = gc_sim_host(region, a->base);
  ring.hop = a->multiplier % a->count;
  gc_sim_rings_add(b->rings, &ring);
  b->recent = NULL;
  b->ring = NULL;
  return 1;
}

static inline uint64_t gpu_get64(uint64_t address)
{
  uint64_t value;

  memcpy(&value, gc_sim_global(gpu_sim, address, sizeof(value)), sizeof(value));
  return value;
}

static inline uint32_t gpu_get32(uint64_t address)
{
  uint32_t value;

  memcpy(&value, gc_sim_global(gpu_sim, address, sizeof(value)), sizeof(value));
  return value;
}

static inline void gpu_shared_store32(uint32_t offset, uint32_t value)
{
  if (offset % 4 || offset >= gpu_sim->shared_bytes || gpu_sim->shared_bytes - offset < 4)
    gc_sim_illegal(gpu_sim, "shared", offset);
  memcpy(gpu_sim->shared + offset, &value, sizeof(value));
}

/* Blocks run one after another, so a block cannot read the shared memory of another one. It reads
 * its own at the same offset. The address has the rank of the other block. */
#define GPU_SIM_REMOTE_SHIFT 24

static inline uint32_t gpu_cluster_rank(void)
{
  return gpu_sim->cluster ? gpu_sim->block % gpu_sim->cluster : 0;
}

static inline void gpu_cluster_barrier(void) {}

static inline uint32_t gpu_remote_address(uint32_t offset, uint32_t rank)
{
  return rank << GPU_SIM_REMOTE_SHIFT | offset;
}

static inline uint32_t gpu_load_remote(uint32_t at)
{
  struct gc_sim_block *b = gpu_sim;
  const uint32_t offset = at & ((1u << GPU_SIM_REMOTE_SHIFT) - 1), rank = at >> GPU_SIM_REMOTE_SHIFT;
  uint64_t address;
  const uint64_t next = gc_sim_slot(b, GC_SPACE_SHARED, offset, 0, &address);

  if (rank >= b->cluster)
    gc_sim_illegal(b, "remote shared", at);
  gc_sim_settle(b);
  b->clock += gc_model_remote(b->model, b->sm, b->cluster_sms[rank]);
  return gpu_remote_address((uint32_t)next & ((1u << GPU_SIM_REMOTE_SHIFT) - 1), rank);
}

static inline void gpu_bulk_begin(void)
{
  gpu_sim->bulk_free = 0;
  memset(gpu_sim->bulk_arrived, 0, sizeof(gpu_sim->bulk_arrived));
}

static inline void gpu_bulk_expect(uint32_t place, uint32_t bytes)
{
  (void)place;
  (void)bytes;
}

/* The copies of an SM come one after another; each arrives one latency after the engine has made
 * it. */
static inline void gpu_bulk_copy(uint32_t place, uint32_t to, uint64_t from, uint32_t bytes)
{
  struct gc_sim_block *b = gpu_sim;
  uint32_t latency;
  double busy;

  if (from % GPU_BULK_LEAST || bytes % GPU_BULK_LEAST)
    gc_sim_illegal(b, "misaligned global", from);
  if (to % GPU_BULK_LEAST || to > b->shared_bytes || b->shared_bytes - to < bytes)
    gc_sim_illegal(b, "shared", to);
  gc_sim_region_of(b, from, bytes);
  gc_sim_settle(b);
  gc_sim_tell_time(b);
  latency = gc_model_bulk(b->model, b->sm, from, bytes, &busy);
  b->bulk_free = (b->bulk_free > (double)b->clock ? b->bulk_free : (double)b->clock) + busy;
  b->bulk_arrived[place] = (uint64_t)b->bulk_free + latency;
}

static inline void gpu_bulk_wait(uint32_t place, uint32_t parity)
{
  struct gc_sim_block *b = gpu_sim;

  (void)parity;
  b->clock = b->clock > b->bulk_arrived[place] ? b->clock : b->bulk_arrived[place];
}

static inline void gpu_timed_bulk_copy(uint32_t place, uint32_t to, uint64_t from, uint32_t bytes,
                                       uint32_t parity, uint32_t *t)
{
  const uint64_t start = gpu_clock64();

  gpu_bulk_copy(place, to, from, bytes);
  gpu_bulk_wait(place, parity);
  *t = gpu_cycles(start, gpu_clock64());
}

static inline void gpu_add32(uint64_t address, uint32_t value)
{
  gpu_store32(address, gpu_get32(address) + value);
}

static inline uint64_t gpu_constant_base(void) { return GC_SIM_CONSTANT_BASE; }

struct gpu_histogram {
  uint32_t bins[GPU_HISTOGRAM_BINS];
};

static inline void gpu_histogram_clear(struct gpu_histogram *h) { memset(h, 0, sizeof(*h)); }
static inline void gpu_histogram_add(struct gpu_histogram *h, uint32_t bin) { h->bins[bin]++; }

static inline void gpu_histogram_store(const struct gpu_histogram *h, uint64_t address)
{
  for (uint32_t bin = 0; bin < GPU_HISTOGRAM_BINS; bin++)
    gpu_store32(address + 4ull * bin, h->bins[bin]);
}

static inline void gpu_histogram_join(const struct gpu_histogram *h, uint64_t address)
{
  for (uint32_t bin = 0; bin < GPU_HISTOGRAM_BINS; bin++)
    gpu_add32(address + 4ull * bin, h->bins[bin]);
}

struct gpu_trace {
  uint64_t address;
};

static inline void gpu_trace_clear(struct gpu_trace *r, uint64_t address) { r->address = address; }

static inline void gpu_trace_add(struct gpu_trace *r, uint32_t index, uint32_t t)
{
  if (r->address)
    gpu_store32(r->address + 4ull * index, t);
}

static inline void gpu_trace_end(struct gpu_trace *r, uint32_t n)
{
  (void)r;
  (void)n;
}

struct gpu_marks {
  uint32_t word[GPU_MARKS / 32];
};

static inline void gpu_marks_clear(struct gpu_marks *m) { memset(m, 0, sizeof(*m)); }

static inline void gpu_marks_add(struct gpu_marks *m, uint32_t index, uint32_t bit)
{
  m->word[index / 32] |= bit << index % 32;
}

static inline void gpu_marks_store(const struct gpu_marks *m, uint64_t address)
{
  for (uint32_t i = 0; i < GPU_MARKS / 32; i++)
    gpu_store32(address + 4ull * i, m->word[i]);
}

#endif
