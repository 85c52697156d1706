/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The block that runs on the simulator, as its kernel sees it. sim_target.h is built on these
 * functions. One thread stands for all threads of a block, and blocks run one after another.
 */
#ifndef GC_DEVICE_SIM_BLOCK_H
#define GC_DEVICE_SIM_BLOCK_H

#include "device/device.h"
#include "device/sim_ring.h"
#include "model/model.h"
#include "model/noise.h"

#include <setjmp.h>
#include <string.h>

/* Memory of the simulated host has the addresses below this one, device memory those from it on. */
#define GC_SIM_DEVICE_FIRST 0x7f0000000000ull

/* Not 0, so that a host that does not use the base of the constant bank fails. */
#define GC_SIM_CONSTANT_BASE 0x1000ull

#define GC_SIM_CLUSTER_MAX 64 /* blocks; profiles allow no more */

/* Device memory: the simulated address, and the host memory behind it. */
struct gc_sim_region {
  uint64_t base, bytes;
  uint64_t mask; /* of offsets: aliases repeat the same host memory */
  uint32_t node; /* memory of the simulated host: the index of its NUMA node + 1; else 0 */
  unsigned char *host;
};

static inline unsigned char *gc_sim_host(const struct gc_sim_region *region, uint64_t address)
{
  return region->host + ((address - region->base) & region->mask);
}

struct gc_sim_texture {
  uint64_t address, bytes; /* bytes 0: unused entry */
  uint32_t texel;          /* bytes of a texel */
};

/* Untimed loads that the kernel has made and the model has not seen yet. */
struct gc_sim_run {
  enum gc_space space;
  uint64_t count, stride;
  uint64_t first, next; /* addresses; next: the one that continues it */
};

/* A store that a cache holds back until the kernel ends. */
#define GC_SIM_HELD_MAX 1024
struct gc_sim_held {
  uint64_t address, value;
};

struct gc_sim_block {
  struct gc_model *model;
  struct gc_sim_run run;   /* gc_sim_settle makes its loads */
  struct gc_rows rows;     /* and moves these rows; bytes 0: none */
  uint32_t block, blocks, sm, warps;
  uint32_t reached;        /* the launch uses so many SMs */
  uint32_t readers;        /* blocks that read while others time loads; 0: no such launch */
  uint32_t cluster;        /* blocks of a cluster; 0: there are none */
  uint32_t cluster_sms[GC_SIM_CLUSTER_MAX]; /* the SMs of this block's cluster */
  uint32_t sm_id;          /* the number of the SM that the kernel reads */
  uint64_t clock;          /* of this SM, cycles; without those of `run` */
  uint64_t clock_origin;   /* its value when the wall clock was 0 */
  double busy[GC_MODEL_BUSY]; /* cycles for which each level has been busy since rows_from */
  double slower;                /* factor of the time of rows while a program disturbs them */
  uint64_t rows_from, rows_to;  /* clock at the begin and the end of the rows in flight */
  uint32_t clock_khz, clock_overhead;
  const struct gc_disturbance *disturbance;
  double bulk_free; /* clock at which the copy engine can begin the next bulk copy, */
  uint64_t bulk_arrived[GPU_BULK_PLACES]; /* and at which the last one to each place arrives */
  struct gc_lanes lanes; /* of the last load of all lanes, and its cycles without noise */
  uint32_t lanes_cycles;
  uint32_t unit;     /* selects the cache of warp 0 if an SM has several */
  uint32_t copy;     /* of the kernels; it owns the constant bank */
  bool resume_later; /* it exited because its ticket had not come */
  bool fine_clock; /* reads of the wall clock take fewer cycles */
  bool noisy; /* untimed loads have noise, too, because the kernel times many of them at once */
  const struct gc_sim_region *regions;
  const struct gc_sim_region *recent; /* the region of the last access, if no ring is noted in it */
  const struct gc_sim_region *checked; /* the region of the last load without contents */
  const struct gc_sim_ring *ring; /* the ring that was read last, if no later one overlaps it */
  size_t region_count;
  struct gc_sim_rings *rings;
  const struct gc_sim_texture *textures;
  size_t texture_count;
  const unsigned char *constant;
  unsigned char *shared;
  uint32_t shared_bytes;
  struct gc_sim_held *held; /* [GC_SIM_HELD_MAX] */
  uint32_t held_count;
  jmp_buf illegal;         /* a kernel that makes an illegal access continues there */
  const char *illegal_space;
  uint64_t illegal_address;
};

/* Ends the kernel, as a real GPU does after an access outside of any allocation. */
__attribute__((noreturn, cold)) static inline void
gc_sim_illegal(struct gc_sim_block *b, const char *space, uint64_t address)
{
  b->illegal_space = space;
  b->illegal_address = address;
  longjmp(b->illegal, 1);
}

/* The region that has these bytes. */
static inline const struct gc_sim_region *gc_sim_region_of(struct gc_sim_block *b,
                                                           uint64_t address, uint64_t bytes)
{
  for (size_t i = 0; i < b->region_count; i++) {
    const struct gc_sim_region *r = &b->regions[i];

    if (r->host && address >= r->base && address - r->base < r->bytes &&
        r->bytes - (address - r->base) >= bytes)
      return r;
  }
  gc_sim_illegal(b, "global", address);
}

__attribute__((noinline)) static unsigned char *gc_sim_find(struct gc_sim_block *b,
                                                            uint64_t address, uint32_t bytes)
{
  const struct gc_sim_region *r = gc_sim_region_of(b, address, bytes);

  gc_sim_rings_write(b->rings, address, bytes);
  b->ring = NULL;
  b->recent = gc_sim_rings_at(b->rings, r->base, r->bytes) ? NULL : r;
  return gc_sim_host(r, address);
}

/* The host memory behind an address. Most accesses are to the same region as the last one. */
static inline unsigned char *gc_sim_inside(struct gc_sim_block *b, uint64_t address, uint32_t bytes)
{
  const struct gc_sim_region *r = b->recent;

  if (r && address - r->base < r->bytes && r->bytes - (address - r->base) >= bytes)
    return gc_sim_host(r, address);
  return gc_sim_find(b, address, bytes);
}

/* The contents of the 8 bytes at an address, which may be a slot of a ring that is noted only. */
static inline uint64_t gc_sim_read(struct gc_sim_block *b, uint64_t address)
{
  const struct gc_sim_region *r = b->recent;
  const struct gc_sim_ring *ring;
  uint64_t value, slot;

  if (b->ring && gc_sim_ring_slot(b->ring, address, &slot))
    return gc_sim_ring_value(b->ring, slot);
  if (address & (sizeof(value) - 1))
    gc_sim_illegal(b, "misaligned global", address);
  if (r && address - r->base < r->bytes && r->bytes - (address - r->base) >= sizeof(value)) {
    memcpy(&value, gc_sim_host(r, address), sizeof(value));
    return value;
  }
  ring = gc_sim_rings_slot(b->rings, address, &slot);
  if (ring) {
    b->ring = gc_sim_ring_on_top(b->rings, ring) ? ring : NULL;
    return gc_sim_ring_value(ring, slot);
  }
  /* slots are aligned, so these bytes are of no ring */
  r = gc_sim_region_of(b, address, sizeof(value));
  b->recent = gc_sim_rings_at(b->rings, r->base, r->bytes) ? NULL : r;
  memcpy(&value, gc_sim_host(r, address), sizeof(value));
  return value;
}

/* The host memory behind an access of so many bytes, a power of two, to global memory. It must be
 * aligned. */
static inline unsigned char *gc_sim_global(struct gc_sim_block *b, uint64_t address, uint32_t bytes)
{
  if (address & (bytes - 1))
    gc_sim_illegal(b, "misaligned global", address);
  return gc_sim_inside(b, address, bytes);
}

/* A store through the caches of the SM. Other SMs see it at once, unless a cache writes back. Loads
 * of the same SM do not see it either, until the kernel ends: no kernel uses what it has stored. */
static inline void gc_sim_put(struct gc_sim_block *b, uint64_t address, uint64_t value)
{
  unsigned char *const to = gc_sim_global(b, address, sizeof(value));

  if (gc_model_holds_stores(b->model, GC_SPACE_CA) && b->held_count < GC_SIM_HELD_MAX)
    b->held[b->held_count++] = (struct gc_sim_held){address, value};
  else
    memcpy(to, &value, sizeof(value));
}

/* The contents of the slot that a load reads; *address: the address that the caches use. */
static inline uint64_t gc_sim_slot(struct gc_sim_block *b, enum gc_space space, uint64_t at,
                                   uint64_t texture, uint64_t *address)
{
  uint64_t wide;
  uint32_t narrow;

  *address = at;
  switch (space) {
  case GC_SPACE_CONSTANT:
    if (at % 8 || at < GC_SIM_CONSTANT_BASE || at - GC_SIM_CONSTANT_BASE >= GPU_CONSTANT_BYTES)
      gc_sim_illegal(b, "constant", at);
    memcpy(&wide, b->constant + (at - GC_SIM_CONSTANT_BASE), sizeof(wide));
    *address += (uint64_t)b->copy * GPU_CONSTANT_BYTES;
    return wide;
  case GC_SPACE_SHARED:
    if (at % 4 || at >= b->shared_bytes || b->shared_bytes - at < 4)
      gc_sim_illegal(b, "shared", at);
    memcpy(&narrow, b->shared + at, sizeof(narrow));
    return narrow;
  case GC_SPACE_TEXTURE:
    if (texture - 1 >= b->texture_count || b->textures[texture - 1].texel != 4 ||
        at >= b->textures[texture - 1].bytes / 4)
      gc_sim_illegal(b, "texture", at);
    *address = b->textures[texture - 1].address + 4 * at;
    memcpy(&narrow, gc_sim_global(b, *address, sizeof(narrow)), sizeof(narrow));
    return narrow;
  default:
    return gc_sim_read(b, at);
  }
}

static inline uint64_t gc_sim_scale(uint64_t value, uint64_t by, uint64_t per)
{
  return (uint64_t)((unsigned __int128)value * by / per);
}

/* The wall clock of the GPU, in ns. */
static inline uint64_t gc_sim_wall(const struct gc_sim_block *b)
{
  return gc_model_wall(b->model, b->clock - b->clock_origin);
}

/* Tells the model what time it is. */
static inline void gc_sim_tell_time(const struct gc_sim_block *b)
{
  gc_model_time(b->model, b->clock - b->clock_origin);
}

/* Whether another program runs at the same time as ours. */
static inline bool gc_sim_has_neighbour(const struct gc_sim_block *b)
{
  const struct gc_disturbance *d = b->disturbance;

  return d->neighbour_sms && gc_sim_wall(b) >= d->neighbour_from_ns &&
         gc_sim_wall(b) < d->neighbour_until_ns;
}

/* By how many cycles loads of device memory take longer, because it is being cleared. */
static inline uint32_t gc_sim_clearing(const struct gc_sim_block *b)
{
  const struct gc_disturbance *d = b->disturbance;
  const bool now = d->clearing_cycles && gc_sim_wall(b) >= d->clearing_from_ns &&
                   gc_sim_wall(b) < d->clearing_until_ns;

  return now ? (uint32_t)d->clearing_cycles : 0;
}

/* Moves the rows that are not moved yet. */
__attribute__((noinline)) static void gc_sim_move_rows(struct gc_sim_block *b)
{
  double longest = 0;

  gc_model_rows(b->model, &b->rows, b->busy);
  b->rows.bytes = 0;
  for (unsigned level = 0; level < GC_MODEL_BUSY; level++)
    longest = b->busy[level] > longest ? b->busy[level] : longest;
  b->clock = b->rows_to = b->rows_from + (uint64_t)(longest * b->slower);
}

/* Makes the loads that are not made yet. Everything that uses the clock or the model calls this
 * before. */
static inline void gc_sim_settle(struct gc_sim_block *b)
{
  const struct gc_sim_run run = b->run;

  if (b->rows.bytes)
    gc_sim_move_rows(b);
  if (!run.count)
    return;
  b->run.count = 0;
  b->clock += gc_model_touch_run(b->model, b->sm, run.space, run.first, run.stride, run.count);
}

/* Loads further apart than this do not share lines, so they need not be made together. */
#define GC_SIM_STRIDE_MAX 256

/* A load that does not continue the run: the second one of it, which determines its stride, or the
 * first one of the next. */
__attribute__((noinline)) static void gc_sim_begin_run(struct gc_sim_block *b, enum gc_space space,
                                                       uint64_t address)
{
  struct gc_sim_run *run = &b->run;

  if (run->count == 1 && space == run->space && address - run->first <= GC_SIM_STRIDE_MAX) {
    run->stride = address - run->first;
    run->next = address + run->stride;
    run->count = 2;
    return;
  }
  gc_sim_settle(b);
  *run = (struct gc_sim_run){.space = space, .count = 1, .first = address, .next = UINT64_MAX};
}

/* An untimed load without noise. Kernels make most loads at equal distances, so they are collected
 * and made as runs. */
static inline void gc_sim_touch(struct gc_sim_block *b, enum gc_space space, uint64_t address)
{
  if (address == b->run.next && space == b->run.space && b->run.count) {
    b->run.next += b->run.stride;
    b->run.count++;
  } else {
    gc_sim_begin_run(b, space, address);
  }
}

/* The same for `count` loads, `stride` bytes apart. */
static inline void gc_sim_touch_run(struct gc_sim_block *b, enum gc_space space, uint64_t address,
                                    uint64_t stride, uint64_t count)
{
  struct gc_sim_run *run = &b->run;

  if (!run->count || address != run->next || space != run->space || stride != run->stride) {
    gc_sim_settle(b);
    *run = (struct gc_sim_run){.space = space, .stride = stride, .first = address};
  }
  run->count += count;
  run->next = run->first + run->count * stride;
}

/* The address that the caches use for a load of a slot whose contents do not matter. */
static inline uint64_t gc_sim_slot_address(struct gc_sim_block *b, enum gc_space space, uint64_t at,
                                           uint64_t texture)
{
  const struct gc_sim_region *r = b->checked;
  uint64_t address;

  if (space == GC_SPACE_CONSTANT || space == GC_SPACE_SHARED || space == GC_SPACE_TEXTURE) {
    gc_sim_slot(b, space, at, texture, &address);
    return address;
  }
  if (at & (sizeof(uint64_t) - 1))
    gc_sim_illegal(b, "misaligned global", at);
  if (!r || at - r->base >= r->bytes || r->bytes - (at - r->base) < sizeof(uint64_t))
    b->checked = gc_sim_region_of(b, at, sizeof(uint64_t));
  return at;
}

/* Untimed loads of `count` slots, `step` apart. */
static inline void gc_sim_load_slots(struct gc_sim_block *b, enum gc_space space, uint64_t at,
                                     uint64_t step, uint64_t count, uint64_t texture)
{
  const uint64_t first = gc_sim_slot_address(b, space, at, texture);
  const uint64_t last = gc_sim_slot_address(b, space, at + (count - 1) * step, texture);

  gc_sim_touch_run(b, space, first, count > 1 ? (last - first) / (count - 1) : 0, count);
}

/* Passes over the same addresses, one after another. */
struct gc_sim_passes {
  bool begun;
  uint32_t count;
  uint64_t left, clock; /* when the present one began; left: loads of all passes to come */
};

/* A pass begins, with so many loads left in all passes. Returns how many of them need not be made
 * because they change nothing any more: their time has passed then. */
static inline uint64_t gc_sim_pass(struct gc_sim_block *b, enum gc_space space,
                                   struct gc_sim_passes *passes, uint64_t left)
{
  uint64_t skipped = 0;

  if (b->noisy)
    return 0;
  gc_sim_settle(b);
  if (passes->begun && left < passes->left) {
    const uint64_t loads = passes->left - left, cycles = b->clock - passes->clock;

    passes->count++;
    if (loads <= left && gc_model_repeats(b->model, space, passes->count, loads, cycles)) {
      b->clock += left / loads * cycles;
      skipped = left / loads * loads;
    }
  }
  passes->begun = true;
  passes->left = left - skipped;
  passes->clock = b->clock;
  return skipped;
}

/* Up to n loads along a ring that is noted, from *at on; at the end of the chain it continues at
 * `start`. Returns how many loads it has made: 0 if there is no such ring. */
static inline uint64_t gc_sim_follow(struct gc_sim_block *b, enum gc_space space, uint64_t *at,
                                     uint64_t start, uint64_t end, uint64_t n)
{
  const struct gc_sim_ring *ring = gc_sim_rings_at(b->rings, *at, sizeof(uint64_t));
  uint64_t slot, left;

  if (b->noisy || space == GC_SPACE_SHARED || space == GC_SPACE_CONSTANT ||
      space == GC_SPACE_TEXTURE || !ring || ring->first != ring->base ||
      ring->step != ring->stride || ring->hop != 1 || !gc_sim_ring_slot(ring, *at, &slot) ||
      !gc_sim_ring_on_top(b->rings, ring))
    return 0;
  left = ring->count - slot;
  if (end > *at && end - *at < left * ring->stride && (end - *at) % ring->stride == 0)
    left = (end - *at) / ring->stride;
  left = left < n ? left : n;
  gc_sim_touch_run(b, space, *at, ring->stride, left);
  *at = gc_sim_ring_value(ring, slot + left - 1);
  *at = *at == end ? start : *at;
  return left;
}

/* Before rows, sweeps and reads of lines: many of them are under way at once. */
static inline void gc_sim_begin_rows(struct gc_sim_block *b)
{
  gc_sim_settle(b);
  if (b->clock == b->rows_to)
    return;
  /* the first one, or the block did something else since the last one */
  b->rows_from = b->clock;
  memset(b->busy, 0, sizeof(b->busy));
  gc_sim_tell_time(b);
  b->slower = gc_sim_has_neighbour(b) && gc_model_coin(b->model)
                  ? (double)b->disturbance->neighbour_slower
                  : 1;
}

/* Rows of 16 bytes per lane, one in every warp of the block, as bandwidth kernels move them. The
 * row of the first warp, which begins at `at`, stands for all. Memory contents do not change. */
static inline void gc_sim_row(struct gc_sim_block *b, enum gc_space space, uint64_t at,
                              uint64_t texture, uint32_t bytes, bool write)
{
  struct gc_rows *rows = &b->rows;
  uint64_t address = at;

  if (at % 16)
    gc_sim_illegal(b, "misaligned", at);
  switch (space) {
  case GC_SPACE_CONSTANT:
    if (at < GC_SIM_CONSTANT_BASE || at - GC_SIM_CONSTANT_BASE > GPU_CONSTANT_BYTES - bytes)
      gc_sim_illegal(b, "constant", at);
    break;
  case GC_SPACE_SHARED:
    if (at >= b->shared_bytes || b->shared_bytes - at < bytes)
      gc_sim_illegal(b, "shared", at);
    break;
  case GC_SPACE_TEXTURE:
    if (texture - 1 >= b->texture_count || b->textures[texture - 1].texel != 16 ||
        at >= b->textures[texture - 1].bytes || b->textures[texture - 1].bytes - at < bytes)
      gc_sim_illegal(b, "texture", at);
    address = b->textures[texture - 1].address + at;
    break;
  default:
    gc_sim_region_of(b, at, bytes);
  }
  if (rows->bytes == bytes && rows->space == space && rows->write == write &&
      rows->more + 1 < GC_ROWS_MAX && address == rows->address + (rows->more + 1ull) * bytes) {
    rows->more++;
    return;
  }
  gc_sim_begin_rows(b);
  *rows = (struct gc_rows){.sm = b->sm,
                           .space = space,
                           .address = address,
                           .bytes = bytes,
                           .count = b->warps,
                           .write = write,
                           .flight = GPU_BANDWIDTH_ROWS,
                           .readers = b->readers};
}

/* The latency of a load by its address, at the time that the model was told. */
static inline uint32_t gc_sim_latency(struct gc_sim_block *b, enum gc_space space, uint64_t address)
{
  return space == GC_SPACE_CG && address < GC_SIM_DEVICE_FIRST
             ? gc_model_host_load(b->model, gc_sim_region_of(b, address, 1)->node - 1, b->sm,
                                  address)
             : gc_model_load(b->model, b->sm, space, address);
}

/* The same of an atomic operation at the scope of the whole system. */
static inline uint32_t gc_sim_system_latency(struct gc_sim_block *b, enum gc_space space,
                                             uint64_t address)
{
  return address < GC_SIM_DEVICE_FIRST
             ? gc_model_host_atomic(b->model, gc_sim_region_of(b, address, 1)->node - 1, b->sm,
                                    address)
             : gc_model_atomic(b->model, b->sm, space, address);
}

/* A part of a sweep by all warps of the block. All blocks begin it at the same time. Memory
 * contents do not change. */
static inline void gc_sim_sweep(struct gc_sim_block *b, uint64_t at, uint64_t bytes, bool write)
{
  const struct gc_swept swept = {
      .sm = b->sm, .space = GC_SPACE_CG, .address = at, .bytes = bytes, .write = write};
  const uint32_t node = gc_sim_region_of(b, at, bytes)->node;
  double busy;

  gc_sim_begin_rows(b);
  busy = node ? gc_model_host_sweep(b->model, node - 1, bytes, write)
              : gc_model_sweep(b->model, &swept);
  b->clock = b->rows_to = b->rows_from + (uint64_t)(busy * b->slower);
}

/* A warp reads a line, with so many of its reads in flight. All blocks begin at the same time. */
static inline void gc_sim_read_line(struct gc_sim_block *b, uint64_t at, uint32_t flight)
{
  double busy;
  uint32_t cycles;

  if (at % GC_MODEL_LINE)
    gc_sim_illegal(b, "misaligned global", at);
  gc_sim_region_of(b, at, GC_MODEL_LINE);
  gc_sim_begin_rows(b);
  cycles = gc_model_read_line(b->model, b->sm, at, &busy);
  b->busy[0] += (double)cycles / flight;
  busy = busy > b->busy[0] ? busy : b->busy[0];
  b->clock = b->rows_to = b->rows_from + (uint64_t)(busy * b->slower);
}

/* If another program uses the GPU now, this waits until it is done: the clocks advance, and L2 is
 * full of its data. Returns the cycles that passed. */
static inline uint64_t gc_sim_yield(struct gc_sim_block *b)
{
  const struct gc_disturbance *d = b->disturbance;
  const uint64_t period = d->busy_every_ns + d->busy_length_ns;
  uint64_t now, cycles;

  if (!d->busy_every_ns)
    return 0;
  now = gc_sim_wall(b);
  if (now < d->busy_from_ns || now >= d->busy_until_ns || now % period < d->busy_every_ns)
    return 0;
  cycles = gc_sim_scale(period - now % period, b->clock_khz, 1000000);
  b->clock += cycles;
  gc_model_displace(b->model);
  return cycles;
}

#endif
