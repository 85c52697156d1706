/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs launches on a simulated GPU.
 */
#include "device/sim_launch.h"

#include "device/common.h"
#include "device/sim_kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIM(device) ((struct gc_sim_device *)(device))

/* A launch starts on all SMs after the launch before it has ended on all. */
static void align_clocks(struct gc_sim_device *sim)
{
  uint64_t now = 0;

  for (uint32_t sm = 0; sm < sim->facts->sms; sm++)
    if (sim->clocks[sm] - gc_sim_clock_origin(sm) > now)
      now = sim->clocks[sm] - gc_sim_clock_origin(sm);
  for (uint32_t sm = 0; sm < sim->facts->sms; sm++)
    sim->clocks[sm] = gc_sim_clock_origin(sm) + now;
}

/* Whether the kernel is for a path that this GPU does not have. */
static bool lacks(const struct gc_model_facts *facts, enum gc_kernel kernel)
{
  const bool has[] = {
      [GC_NEED_ANY] = true,
      [GC_NEED_READ_ONLY] = facts->has_read_only,
      [GC_NEED_TEXTURE] = facts->has_texture,
      [GC_NEED_CONSTANT] = facts->has_constant,
      [GC_NEED_SCALAR] = facts->has_scalar,
      [GC_NEED_CLUSTERS] = facts->cluster_blocks > 0,
      [GC_NEED_BULK] = facts->bulk_copies,
      [GC_NEED_CODE] = facts->has_code,
  };

  return !has[gc_kernels[kernel].need];
}

static int check_launch(const struct gc_sim_device *sim, const struct gc_launch *l,
                        struct gc_error *err)
{
  const struct gc_model_facts *facts = sim->facts;
  uint32_t sms[GC_SIM_CLUSTER_MAX];

  if (gc_sim_failed(sim, err))
    return -EIO;
  if (gc_check_args(l, err))
    return -EINVAL;
  if (!l->blocks || !l->threads || l->threads > facts->threads_per_block ||
      l->shared_bytes > facts->shared_per_block)
    return gc_fail(err, -EINVAL,
                   "the simulated %s cannot launch %u blocks of %u threads with %u bytes of shared "
                   "memory each", sim->name, l->blocks, l->threads, l->shared_bytes);
  if (l->cluster && !facts->cluster_blocks)
    return gc_fail(err, -ENOTSUP, "the simulated %s has no clusters", sim->name);
  if (l->cluster && (l->cluster > facts->cluster_blocks || l->blocks % l->cluster ||
                     !gc_model_sms_of_cluster(sim->model, 0, l->cluster, sms)))
    return gc_fail(err, -EINVAL, "the simulated %s cannot launch %u blocks in clusters of %u",
                   sim->name, l->blocks, l->cluster);
  if (lacks(facts, l->kernel))
    return gc_fail(err, -ENOTSUP, "the simulated %s has no path for kernel %s", sim->name,
                   gc_kernels[l->kernel].name);
  return 0;
}

uint32_t gc_sim_occupancy(const struct gc_model_facts *facts, const struct gc_launch *l)
{
  const uint64_t threads = (l->threads + facts->warp - 1) / facts->warp * facts->warp;
  const uint64_t shared = l->shared_bytes + facts->shared_reserved;
  uint64_t blocks = facts->blocks_per_sm;

  if (blocks > facts->threads_per_sm / threads)
    blocks = facts->threads_per_sm / threads;
  if (shared && blocks > facts->shared_per_sm / shared)
    blocks = facts->shared_per_sm / shared;
  return (uint32_t)blocks;
}

uint32_t gc_sim_reserved(const struct gc_model_facts *facts, const struct gc_launch *l)
{
  const uint32_t warps = (l->threads + facts->warp - 1) / facts->warp;
  uint32_t blocks = gc_sim_occupancy(facts, l);

  for (unsigned i = 0; i < GC_FACTS_RESERVES && !l->shared_bytes; i++)
    if (warps < facts->reserves[i].warps && blocks < facts->reserves[i].blocks)
      blocks = facts->reserves[i].blocks;
  return blocks;
}

/* Whether the blocks of this kernel wait for one another, so that no two load at the same time. */
static bool takes_tickets(const struct gc_launch *l)
{
  const enum gc_kernel_work work = gc_kernels[l->kernel].work;

  return work == GC_WORK_TICKETS ||
         (work == GC_WORK_TURNS && ((const struct gpu_jumps_args *)l->args)->turns);
}

/* The blocks that read while the last ones time loads; 0: no such kernel, or they end before. */
static uint32_t readers_of(const struct gc_launch *l)
{
  const struct gpu_under_load_args *args = l->args;

  return gc_kernels[l->kernel].work == GC_WORK_LOADED && args->count > 1 ? l->blocks - args->chains
                                                                         : 0;
}

/* The index of a block for the distribution of blocks over SMs. */
static uint32_t place_of(struct gc_sim_device *sim, const struct gc_launch *l, uint32_t index)
{
  if (!sim->facts->rotates || l->blocks > 1)
    return index;
  return sim->lone_blocks++ % sim->facts->sms;
}

/* The progress of a launch whose blocks wait for tickets. */
struct progress {
  uint32_t waiting; /* blocks that exited because their ticket has not come yet */
  bool moved;       /* a block did something */
};

/* The SM that runs a block. The blocks of a cluster come one after another. */
static uint32_t sm_of(struct gc_sim_device *sim, const struct gc_launch *l,
                      struct gc_sim_block *block, uint32_t index)
{
  if (!l->cluster)
    return gc_model_sm_of_block(sim->model, place_of(sim, l, index));
  if (index % l->cluster == 0)
    gc_model_sms_of_cluster(sim->model, index / l->cluster, l->cluster, block->cluster_sms);
  return block->cluster_sms[index % l->cluster];
}

static int run_block(struct gc_sim_device *sim, const struct gc_launch *l,
                     struct gc_sim_block *block, uint32_t index, struct progress *progress)
{
  block->block = index;
  block->sm = sm_of(sim, l, block, index) % block->reached;
  block->sm_id = gc_model_sm_id(sim->model, block->sm);
  block->clock = sim->clocks[block->sm];
  block->clock_origin = gc_sim_clock_origin(block->sm);
  block->rows_to = 0;
  block->unit = index / sim->facts->sms;
  gc_model_unit(sim->model, block->unit);
  gc_sim_tell_time(block);
  block->resume_later = false;
  if (!gc_sim_run(l->kernel, l->args, block))
    return gc_fail(
      &sim->failure, -EIO,
      "simulated illegal address: block %u of kernel %s accessed %s address 0x%llx on %s", index,
      gc_kernels[l->kernel].name, block->illegal_space, (unsigned long long)block->illegal_address,
      sim->name);
  progress->waiting += block->resume_later;
  progress->moved |= block->clock != sim->clocks[block->sm];
  sim->clocks[block->sm] = block->clock;
  return 0;
}

/* One launch, with the kernels of a copy. Does not empty any cache. */
static int run(struct gc_sim_device *sim, const struct gc_launch *l, uint32_t copy,
               struct progress *progress, struct gc_error *err)
{
  struct gc_sim_block block = {
      .model = sim->model,
      .blocks = l->blocks,
      .warps = (l->threads + sim->facts->warp - 1) / sim->facts->warp,
      .clock_khz = sim->facts->running_clock_khz,
      .clock_overhead = gc_model_clock_overhead(sim->model),
      .fine_clock = gc_model_wanders(sim->model),
      .disturbance = gc_model_disturbance(sim->model),
      .noisy = gc_kernels[l->kernel].work == GC_WORK_LATENCY,
      .readers = readers_of(l),
      .regions = sim->regions,
      .region_count = sim->region_count,
      .rings = &sim->rings,
      .textures = sim->textures,
      .texture_count = sim->texture_count,
      .constant = sim->constants[copy],
      .copy = copy,
      .shared_bytes = l->shared_bytes,
  };
  int status = 0;

  if (!strcmp(gc_kernels[l->kernel].name, sim->facts->broken)) {
    gc_fail(&sim->failure, -EIO,
            "cannot finish kernel %s on %s: simulated uncorrectable memory error",
            gc_kernels[l->kernel].name, sim->name);
    return gc_sim_failed(sim, err);
  }
  struct gc_sim_held held[GC_SIM_HELD_MAX];

  block.cluster = l->cluster;
  block.held = held;
  block.shared = calloc(1, l->shared_bytes + 1);
  if (!block.shared)
    return gc_fail(err, -ENOMEM, "no memory for the shared memory of the simulated %s", sim->name);
  align_clocks(sim);
  block.clock = sim->clocks[0];
  block.clock_origin = gc_sim_clock_origin(0);
  gc_model_delay_memory(sim->model, gc_sim_clearing(&block));
  block.reached = gc_sim_has_neighbour(&block) ? (uint32_t)block.disturbance->neighbour_sms
                                               : sim->facts->sms;
  for (uint32_t i = 0; !status && i < l->blocks; i++)
    status = run_block(sim, l, &block, i, progress);
  for (uint32_t i = 0; i < block.held_count; i++)
    memcpy(gc_sim_inside(&block, held[i].address, sizeof(held[i].value)), &held[i].value,
           sizeof(held[i].value));
  free(block.shared);
  return status ? gc_sim_failed(sim, err) : 0;
}

int gc_sim_launch(struct gc_device *device, const struct gc_launch *l, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  int status = check_launch(sim, l, err);
  struct progress progress;

  if (status)
    return status;
  gc_model_launch(sim->model, sim->carveouts[l->kernel], gc_sim_reserved(sim->facts, l),
                  l->shared_bytes);
  gc_model_compete(sim->model, !takes_tickets(l));
  sim->counts.launches++;
  do {
    progress = (struct progress){0};
    status = run(sim, l, 0, &progress, err);
  } while (!status && progress.waiting && progress.moved);
  return status;
}

/* Runs the launches one after another, which is the order of their tickets. Launches whose blocks
 * wait for several tickets run again as long as some block makes progress. */
static int run_concurrent(struct gc_sim_device *sim, const struct gc_launch *launches,
                          const uint32_t *copies, size_t n, struct gc_error *err)
{
  bool finished[GC_CONCURRENT_MAX] = {false};
  bool moved;
  int status = 0;

  do {
    moved = false;
    for (size_t i = 0; i < n && !status; i++) {
      struct progress progress = {0};

      if (finished[i])
        continue;
      status = run(sim, &launches[i], copies[i], &progress, err);
      finished[i] = !progress.waiting;
      moved |= progress.moved;
    }
  } while (moved && !status);
  return status;
}

int gc_sim_launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                             const uint32_t *copies, size_t n, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  int status = 0;

  if (n > GC_CONCURRENT_MAX)
    return gc_fail(err, -EINVAL, "%zu concurrent launches: at most %d are possible", n,
                   GC_CONCURRENT_MAX);
  for (size_t i = 0; i < n && !status; i++) {
    status = check_launch(sim, &launches[i], err);
    if (!status && (copies[i] >= GC_COPIES_MAX || launches[i].blocks > sim->facts->sms))
      status = gc_fail(err, -EINVAL, "no copy %u of the kernels with %u blocks on the simulated %s",
                       copies[i], launches[i].blocks, sim->name);
  }
  if (!status && n)
    gc_model_launch(sim->model, sim->carveouts[launches->kernel],
                    gc_sim_reserved(sim->facts, launches), launches->shared_bytes);
  sim->counts.launches += status ? 0 : n;
  return status ? status : run_concurrent(sim, launches, copies, n, err);
}
