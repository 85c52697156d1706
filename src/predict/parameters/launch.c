/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters that depend on the launch, the user and the seed: how the storage of an SM is divided,
 * changed sizes, and values drawn from their bounds.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "predict/parameters/change.h"
#include "predict/parameters/geometry.h"
#include "predict/parameters/parameters.h"

#include "predict/model/residency.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <string.h>

/* A number from 0 to 1 for each seed and quantity (splitmix64). */
static double uniform(uint64_t seed, unsigned quantity)
{
  uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + (quantity + 1) * UINT64_C(0xbf58476d1ce4e5b9);

  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static double draw(const struct gc_bounds *bounds, uint64_t seed, unsigned quantity)
{
  return seed ? bounds->low + uniform(seed, quantity) * (bounds->high - bounds->low)
              : bounds->value;
}

/* The table of the largest blocks in the record that are not larger than those of the launch:
 * larger blocks never have a smaller L1. */
static const struct gc_carveout_table *table_for(const struct gc_parameters *parameters,
                                                 const struct gc_trace_launch *launch)
{
  const unsigned lanes = launch->warp_threads ? launch->warp_threads : parameters->gpu.warp_threads;

  if (launch->threads_per_block >= 32 * lanes && parameters->carveouts_32.count)
    return &parameters->carveouts_32;
  if (launch->threads_per_block >= 4 * lanes && parameters->carveouts_4.count)
    return &parameters->carveouts_4;
  return &parameters->carveouts;
}

/* The shared memory of all blocks that an SM holds at the largest carve-out. */
static uint64_t shared_for_blocks(const struct gc_carveout_table *table,
                                  const struct gc_gpu_model *gpu,
                                  const struct gc_trace_launch *launch)
{
  struct gc_gpu_model largest = *gpu;

  largest.shared_per_sm = table->array[table->count - 1].shared_bytes;
  return gc_residency_shared(gpu, launch) * gc_residency(&largest, launch);
}

/* Without a preference, the driver is assumed to take the smallest carve-out at which an SM holds
 * as many blocks as at the largest. */
static const struct gc_carveout *choose(struct gc_parameters *parameters,
                                        const struct gc_trace_launch *launch,
                                        const struct gc_changes *changes)
{
  const struct gc_gpu_model *gpu = &parameters->gpu;
  const struct gc_carveout_table *table = table_for(parameters, launch);

  if (changes->has_carveout || launch->prefers_carveout) {
    const struct gc_carveout *wanted =
        gc_carveouts_at(table, changes->has_carveout ? changes->carveout : launch->carveout);
    const struct gc_carveout *needed =
        launch->shared_bytes ? gc_carveouts_for(table, gc_residency_shared(gpu, launch)) : wanted;

    return needed > wanted ? needed : wanted; /* a preference; a block must fit */
  }
  if (launch->shared_bytes)
    gc_assume(&parameters->assumptions, NULL, "carve-out",
              "the smallest at which an SM holds as many blocks as at the largest");
  return gc_carveouts_for(table, shared_for_blocks(table, gpu, launch));
}

static uint32_t scaled(uint32_t value, double factor)
{
  const double product = value * factor;

  return product < 1 ? 1 : product > UINT32_MAX ? UINT32_MAX : (uint32_t)(product + 0.5);
}

static int check_need(const char *what, uint64_t needed, uint64_t there, struct gc_error *err)
{
  return needed <= there || !there
             ? 0
             : gc_fail(err, -ERANGE, "a block needs %llu %s, an SM has %llu",
                       (unsigned long long)needed, what, (unsigned long long)there);
}

int gc_parameters_check_block(const struct gc_parameters *parameters,
                              const struct gc_trace_launch *launch, struct gc_error *err)
{
  const struct gc_gpu_model *gpu = &parameters->gpu;
  const struct gc_carveout_table *table = table_for(parameters, launch);
  const uint64_t shared = gpu->loads_in_l1 && table->count
                              ? table->array[table->count - 1].shared_bytes
                              : parameters->shared_bytes;
  int status = check_need("threads", launch->threads_per_block, gpu->threads_per_sm, err);

  if (!status)
    status =
        check_need("registers", (uint64_t)launch->registers_per_thread * launch->threads_per_block,
                   gpu->registers_per_sm, err);
  if (!status && launch->shared_bytes)
    status = check_need("bytes of shared memory", gc_residency_shared(gpu, launch), shared, err);
  return status;
}

static int set_l1(struct gc_parameters *parameters, const struct gc_trace_launch *launch,
                  const struct gc_changes *changes, uint64_t seed, struct gc_gpu_model *gpu,
                  struct gc_error *err)
{
  const double measured = parameters->l1_bytes.value;
  double bytes = draw(&parameters->l1_bytes, seed, 0);
  int status = 0;

  if (parameters->carveouts.count) {
    const struct gc_carveout *carveout = choose(parameters, launch, changes);

    /* the relative error of a capacity is the same at all carve-outs */
    bytes *= (double)carveout->l1_bytes / measured;
    gpu->shared_per_sm = carveout->shared_bytes;
  } else if (changes->has_carveout) {
    return gc_fail(err, -ERANGE, "the record has no carve-outs");
  }
  if (changes->capacity > 0)
    bytes *= changes->capacity;
  if (changes->l1_bytes)
    bytes = (double)changes->l1_bytes;
  gc_geometry_fit(&gpu->l1, (uint64_t)(bytes + 0.5), (uint64_t)measured);
  gc_geometry_draw_masks(&gpu->l1, HWLOC_GPUCACHE_L1, seed, &parameters->assumptions);
  if (changes->line > 0)
    status = gc_change_line(&gpu->l1, changes->line, err);
  if (!status && changes->ways > 0)
    status = gc_change_ways(&gpu->l1, changes->ways, err);
  return status;
}

/* A limit makes predictions worse (doc/results/predict.md, "Figure 3 of the paper"), so that a
 * change has to ask for it. */
static int set_outstanding(struct gc_parameters *parameters, const struct gc_changes *changes,
                           struct gc_gpu_model *gpu, struct gc_error *err)
{
  if (!(changes->outstanding > 0)) {
    gpu->outstanding_per_sm = 0;
    if (gpu->loads_in_l1)
      gc_assume(&parameters->assumptions, HWLOC_GPUCACHE_L1, HWLOC_GPUCACHE_OUTSTANDING_PER_SM,
                "any number of lines can be outstanding");
    return 0;
  }
  if (!gpu->outstanding_per_sm)
    return gc_fail(err, -ERANGE, "the record does not have the number of outstanding loads");
  gpu->outstanding_per_sm = scaled(gpu->outstanding_per_sm, changes->outstanding);
  return 0;
}

/* Half of the blocks that an SM would have: a small grid does not fill it. */
static void halve_blocks(const struct gc_trace_launch *launch, struct gc_gpu_model *gpu)
{
  const uint64_t grid = launch->launched_blocks ? launch->launched_blocks : launch->blocks;
  const uint64_t share = (grid + gpu->sms - 1) / gpu->sms;
  const unsigned fit = gc_residency(gpu, launch);
  const unsigned blocks = grid && share < fit ? (unsigned)share : fit;

  gpu->blocks_per_sm = blocks > 1 ? blocks / 2 : 1;
}

int gc_parameters_gpu(struct gc_parameters *parameters, const struct gc_trace_launch *launch,
                      const struct gc_changes *changes, uint64_t seed, struct gc_gpu_model *gpu,
                      struct gc_error *err)
{
  int status = 0;

  *gpu = parameters->gpu;
  if (launch->warp_threads && launch->warp_threads != gpu->warp_threads)
    gc_assume(&parameters->assumptions, NULL, "warps",
              "they have %u threads, as in the trace; this GPU has warps of %u",
              launch->warp_threads, gpu->warp_threads);
  gpu->shared_per_sm = parameters->shared_bytes;
  if (gpu->loads_in_l1)
    status = set_l1(parameters, launch, changes, seed, gpu, err);
  else
    gc_geometry_fit(&gpu->l1, gpu->l1.line_bytes, 0);
  if (status)
    return status;
  gc_geometry_fit(&gpu->l2, (uint64_t)draw(&parameters->l2_bytes, seed, 1),
                  (uint64_t)parameters->l2_bytes.value);
  gpu->l1_cycles = draw(&parameters->l1_cycles, seed, 2);
  gpu->l2_near_cycles = draw(&parameters->l2_near_cycles, seed, 3);
  gpu->l2_far_cycles = draw(&parameters->l2_far_cycles, seed, 4);
  gpu->memory_cycles = draw(&parameters->memory_cycles, seed, 5);
  for (unsigned i = 0; i < GC_TLB_LEVELS; i++)
    gpu->tlb[i].miss_cycles = draw(&parameters->tlb_cycles[i], seed, 6 + i);
  if (changes->half_blocks)
    halve_blocks(launch, gpu);
  return set_outstanding(parameters, changes, gpu, err);
}
