/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The block that runs on the simulator, as its kernel sees it: what kernels/sim.h is made of. One
 * thread stands for all threads of a block, and blocks run one after another.
 */
#ifndef GC_DEVICE_SIM_BLOCK_H
#define GC_DEVICE_SIM_BLOCK_H

#include "device/device.h"
#include "model/model.h"
#include "model/noise.h"

#include <setjmp.h>
#include <string.h>

/* Not 0, so that a host that forgets to ask for the base of the constant bank is found out. */
#define GC_SIM_CONSTANT_BASE 0x1000ull

/* Device memory: the simulated address and where its bytes really are. */
struct gc_sim_region {
  uint64_t base, bytes;
  unsigned char *host;
};

struct gc_sim_texture {
  uint64_t address, bytes; /* bytes 0: free */
  uint32_t texel;          /* bytes of one */
};

struct gc_sim_block {
  struct gc_model *model;
  uint32_t block, blocks, sm, warps;
  uint32_t sm_id;          /* what the kernel reads as the number of its SM */
  uint64_t clock;          /* of this SM, cycles */
  uint64_t clock_origin;   /* where it stood when the wall clock stood at 0 */
  double busy[GC_MODEL_LEVELS]; /* how long each level has been, since rows_from */
  uint64_t rows_from, rows_to;  /* clock when rows that are under way began, and when they end */
  uint32_t clock_khz, clock_overhead;
  const struct gc_disturbance *disturbance;
  uint32_t unit;           /* which of several caches warp 0 uses */
  uint32_t copy;           /* whose constant bank this is */
  bool come_again;         /* it left because its turn had not come */
  bool noisy;              /* untimed loads show noise too: somebody times many of them together */
  const struct gc_sim_region *regions, *recent; /* recent: where the last address was found */
  size_t region_count;
  const struct gc_sim_texture *textures;
  size_t texture_count;
  const unsigned char *constant;
  unsigned char *shared;
  uint32_t shared_bytes;
  jmp_buf illegal;         /* where a kernel ends that went astray */
  const char *illegal_space;
  uint64_t illegal_address;
};

/* Ends the kernel, as a real GPU does: an access outside of any allocation. */
__attribute__((noreturn, cold)) static inline void
gc_sim_illegal(struct gc_sim_block *b, const char *space, uint64_t address)
{
  b->illegal_space = space;
  b->illegal_address = address;
  longjmp(b->illegal, 1);
}

__attribute__((cold, noinline)) static unsigned char *gc_sim_find(struct gc_sim_block *b,
                                                                  uint64_t address, uint32_t bytes)
{
  for (size_t i = 0; i < b->region_count; i++) {
    const struct gc_sim_region *r = &b->regions[i];

    if (r->host && address >= r->base && address - r->base < r->bytes &&
        r->bytes - (address - r->base) >= bytes) {
      b->recent = r;
      return r->host + (address - r->base);
    }
  }
  gc_sim_illegal(b, "global", address);
}

/* The same, most often without looking. */
static inline unsigned char *gc_sim_inside(struct gc_sim_block *b, uint64_t address, uint32_t bytes)
{
  const struct gc_sim_region *r = b->recent;

  if (r && address - r->base < r->bytes && r->bytes - (address - r->base) >= bytes)
    return r->host + (address - r->base);
  return gc_sim_find(b, address, bytes);
}

/* Where the bytes of global memory are that a kernel accesses. */
static inline unsigned char *gc_sim_global(struct gc_sim_block *b, uint64_t address, uint32_t bytes)
{
  if (address % bytes)
    gc_sim_illegal(b, "misaligned global", address);
  return gc_sim_inside(b, address, bytes);
}

/* The slot that a path's load reads, and the address that the caches go by. */
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
    memcpy(&wide, gc_sim_global(b, at, sizeof(wide)), sizeof(wide));
    return wide;
  }
}

/* Rows of 16 bytes a lane, one in every warp of the block, as bandwidth kernels move them. That of
 * the first warp, from `at` on, stands for all. Their contents stay as they are. */
static inline void gc_sim_row(struct gc_sim_block *b, enum gc_space space, uint64_t at,
                              uint64_t texture, uint32_t bytes, bool write)
{
  uint64_t address = at;
  double longest = 0;

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
    gc_sim_inside(b, at, bytes);
  }
  if (b->clock != b->rows_to) { /* something else came between: the first of many */
    b->rows_from = b->clock;
    memset(b->busy, 0, sizeof(b->busy));
  }
  gc_model_rows(b->model, b->sm, space, address, bytes, b->warps, write, b->busy);
  for (unsigned level = 0; level < GC_MODEL_LEVELS; level++)
    longest = b->busy[level] > longest ? b->busy[level] : longest;
  b->clock = b->rows_to = b->rows_from + (uint64_t)longest;
}

static inline uint64_t gc_sim_scale(uint64_t value, uint64_t by, uint64_t per)
{
  return (uint64_t)((unsigned __int128)value * by / per);
}

/* The wall clock of the GPU. A throttled clock of the SMs counts fewer cycles in the same time. */
static inline uint64_t gc_sim_wall(const struct gc_sim_block *b)
{
  const struct gc_disturbance *d = b->disturbance;
  const uint64_t cycles = b->clock - b->clock_origin;
  uint64_t before, slow;

  if (!d->throttle_khz)
    return gc_sim_scale(cycles, 1000000, b->clock_khz);
  before = gc_sim_scale(d->throttle_from_ns, b->clock_khz, 1000000);
  slow = gc_sim_scale(d->throttle_until_ns - d->throttle_from_ns, d->throttle_khz, 1000000);
  if (cycles <= before)
    return gc_sim_scale(cycles, 1000000, b->clock_khz);
  if (cycles <= before + slow)
    return d->throttle_from_ns + gc_sim_scale(cycles - before, 1000000, d->throttle_khz);
  return d->throttle_until_ns + gc_sim_scale(cycles - before - slow, 1000000, b->clock_khz);
}

/* If it is another program's turn, it passes: the clocks go on, and L2 is full of its data. Returns the
 * cycles that went by. */
static inline uint64_t gc_sim_yield(struct gc_sim_block *b)
{
  const struct gc_disturbance *d = b->disturbance;
  const uint64_t turn = d->busy_every_ns + d->busy_length_ns;
  uint64_t now, cycles;

  if (!d->busy_every_ns)
    return 0;
  now = gc_sim_wall(b);
  if (now < d->busy_from_ns || now >= d->busy_until_ns || now % turn < d->busy_every_ns)
    return 0;
  cycles = gc_sim_scale(turn - now % turn, b->clock_khz, 1000000);
  b->clock += cycles;
  gc_model_displace(b->model);
  return cycles;
}

/* sim_kernels.c: runs a kernel as the block in *block. args as long as the kernel's struct.
 * False: it made an illegal access, see illegal_space and illegal_address. */
bool gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block);

#endif
