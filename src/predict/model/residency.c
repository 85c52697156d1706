/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/residency.h"

#define REGISTERS_UNIT 256 /* registers are given to warps in this unit */
#define WARPS_UNIT 4       /* one for each quarter of an SM: its registers are its own */
#define SHARED_UNIT 128    /* bytes */
#define BLOCKS_MAX 1024u   /* if nothing limits */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
  return (value + unit - 1) / unit * unit;
}

static unsigned min_of(uint64_t a, unsigned b)
{
  return a < b ? (unsigned)a : b;
}

uint64_t gc_residency_shared(const struct gc_gpu_model *gpu, const struct gc_trace_launch *launch)
{
  return round_up(launch->shared_bytes, SHARED_UNIT) + gpu->shared_reserved_per_block;
}

unsigned gc_residency(const struct gc_gpu_model *gpu, const struct gc_trace_launch *launch)
{
  unsigned lanes = launch->warp_threads ? launch->warp_threads : gpu->warp_threads;
  uint64_t threads = launch->threads_per_block ? launch->threads_per_block : lanes;
  uint64_t warps = (threads + lanes - 1) / lanes;
  unsigned blocks = gpu->blocks_per_sm ? min_of(gpu->blocks_per_sm, BLOCKS_MAX) : BLOCKS_MAX;

  if (gpu->threads_per_sm)
    blocks = min_of(gpu->threads_per_sm / (warps * lanes), blocks);
  if (gpu->registers_per_sm && launch->registers_per_thread) {
    uint64_t of_warp = round_up((uint64_t)launch->registers_per_thread * lanes, REGISTERS_UNIT);
    uint64_t fit = gpu->registers_per_sm / of_warp / WARPS_UNIT * WARPS_UNIT;

    blocks = min_of(fit / warps, blocks);
  }
  if (gpu->shared_per_sm) {
    uint64_t of_block = gc_residency_shared(gpu, launch);

    if (of_block)
      blocks = min_of(gpu->shared_per_sm / of_block, blocks);
  }
  return blocks ? blocks : 1;
}
