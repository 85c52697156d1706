/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The device table for simulated GPUs, over the model of src/model.
 */
#include "device/sim.h"

#include "device/common.h"
#include "device/sim_launch.h"
#include "device/sim_memory.h"
#include "record/cores.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM(device) ((struct gc_sim_device *)(device))
#define PROFILE_MAX_BYTES (1 << 20)

static void sim_close(struct gc_device *device)
{
  struct gc_sim_device *sim = SIM(device);

  gc_sim_memory_fini(sim);
  gc_model_free(sim->model);
  free(sim->clocks);
  free(sim);
}

/* -EINVAL if the profile names a broken kernel that does not exist. */
static int check_broken(const char *broken, struct gc_error *err)
{
  int kernel = 0;

  while (*broken && kernel < GC_KERNEL_COUNT && strcmp(gc_kernels[kernel].name, broken))
    kernel++;
  return kernel < GC_KERNEL_COUNT
           ? 0
           : gc_fail(err, -EINVAL, "there is no kernel %s that could be broken", broken);
}

static int sim_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  struct gc_sim_device *sim = calloc(1, sizeof(*sim));
  size_t length = 0;
  char *text = NULL;
  int status;

  *device = NULL;
  if (!sim)
    return gc_fail(err, -ENOMEM, "no memory for the simulated %s", gpu->name);
  sim->ops = &gc_device_sim;
  gc_sim_memory_init(sim);
  snprintf(sim->name, sizeof(sim->name), "%s", gpu->name);
  snprintf(sim->profile, sizeof(sim->profile), "%s", gpu->identity.id + strlen("sim-"));
  status = gc_regular_load(gpu->profile, PROFILE_MAX_BYTES, &text, &length, err);
  if (status)
    gc_fail_in(err, status, "cannot read the profile");
  else
    status = gc_model_new(gpu->profile, text, length, &sim->model, err);
  free(text);
  if (!status)
    status = check_broken(gc_model_facts(sim->model)->broken, err);
  if (!status) {
    sim->facts = gc_model_facts(sim->model);
    sim->clocks = calloc(sim->facts->sms, sizeof(*sim->clocks));
    if (!sim->clocks)
      status = gc_fail(err, -ENOMEM, "no memory for the simulated %s", gpu->name);
  }
  if (status) {
    sim_close((struct gc_device *)sim);
    return status;
  }
  for (uint32_t sm = 0; sm < sim->facts->sms; sm++)
    sim->clocks[sm] = gc_sim_clock_origin(sm);
  for (int kernel = 0; kernel < GC_KERNEL_COUNT; kernel++)
    sim->carveouts[kernel] = -1;
  *device = (struct gc_device *)sim;
  return 0;
}

static struct gc_statement statement(uint64_t value)
{
  return value == UINT64_MAX ? (struct gc_statement){false, 0}
                             : (struct gc_statement){true, value};
}

/* All NUMA nodes have them, or none. */
static bool has_host_atomics(const struct gc_model_facts *facts)
{
  for (unsigned i = 0; i < facts->host_count; i++)
    if (facts->hosts[i].atomic_ns)
      return true;
  return false;
}

static int properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err)
{
  const struct gc_model_facts *facts = SIM(device)->facts;

  *out = (struct gc_properties){
      .sms = facts->sms,
      .warp = facts->warp,
      .clock_khz = facts->clock_khz,
      .memory_clock_khz = facts->memory_clock_khz,
      .memory_bus_bits = facts->memory_bus_bits,
      .compute_major = facts->compute_major,
      .compute_minor = facts->compute_minor,
      .threads_per_block = facts->threads_per_block,
      .threads_per_sm = facts->threads_per_sm,
      .blocks_per_sm = facts->blocks_per_sm,
      .registers_per_block = facts->registers_per_block,
      .registers_per_sm = facts->registers_per_sm,
      .memory_bytes = facts->memory_bytes,
      .l2_bytes = facts->l2_bytes,
      .shared_per_sm = facts->shared_per_sm,
      .shared_per_block = facts->shared_per_block,
      .shared_reserved = facts->shared_reserved,
      .constant_bytes = facts->has_constant ? facts->constant_bytes : 0,
      .texture_texels = facts->texture_texels,
      .cluster_blocks = facts->cluster_blocks,
      .global_l1 = facts->global_l1,
      .local_l1 = facts->local_l1,
      .has_texture = facts->has_texture,
      .has_constant = facts->has_constant,
      .has_read_only = facts->has_read_only,
      .has_scalar = facts->has_scalar,
      .has_code = facts->has_code && !facts->amd,
      .bulk_copies = facts->bulk_copies,
      .ecc = facts->ecc,
      .integrated = facts->integrated,
      .host_atomics = has_host_atomics(facts),
      .l2_fetch_limit = statement(facts->l2_fetch_limit),
      .l2_persisting = statement(facts->l2_persisting),
      .l2_compression = statement(facts->l2_compression),
      .simulated = true,
      .transfers_per_clock = facts->amd ? 0 : 2,
      .cores_per_sm = facts->amd
                          ? GC_CORES_PER_CU
                          : gc_cores_of_capability(facts->compute_major, facts->compute_minor),
      .local_l1_from_table = facts->amd,
      .has_lds = facts->amd,
      .has_gpcs = !facts->amd,
      .l2_per_xcd = facts->amd,
      .ramps_late = facts->amd,
  };
  memcpy(out->model, facts->model, sizeof(out->model));
  return gc_sim_failed(SIM(device), err);
}

static int carveout(struct gc_device *device, enum gc_kernel kernel, int percent,
                    struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);

  if (gc_check_carveout(percent, err))
    return -EINVAL;
  if (!sim->facts->has_carveout)
    return gc_fail(err, -ENOTSUP, "the simulated %s has no shared-memory carve-out", sim->name);
  sim->carveouts[kernel] = percent;
  return gc_sim_failed(sim, err);
}

static int wait(struct gc_device *device, struct gc_error *err)
{
  return gc_sim_failed(SIM(device), err);
}

static const struct gc_device_counts *counts(const struct gc_device *device)
{
  return &((const struct gc_sim_device *)device)->counts;
}

const struct gc_device_ops gc_device_sim = {
  .name = "simulator",
  .open = sim_open,
  .close = sim_close,
  .properties = properties,
  .memory = gc_sim_memory,
  .alloc = gc_sim_alloc,
  .release = gc_sim_release,
  .host_nodes = gc_sim_host_nodes,
  .alloc_on_node = gc_sim_alloc_on_node,
  .copy = gc_sim_copy,
  .use = gc_sim_use,
  .alloc_on_peer = gc_sim_alloc_on_peer,
  .alias = gc_sim_alias,
  .alias_until = gc_sim_alias_until,
  .release_alias = gc_sim_release_alias,
  .upload = gc_sim_upload,
  .download = gc_sim_download,
  .clear = gc_sim_clear,
  .upload_constant = gc_sim_upload_constant,
  .texture = gc_sim_texture,
  .wide_texture = gc_sim_wide_texture,
  .release_texture = gc_sim_release_texture,
  .carveout = carveout,
  .launch = gc_sim_launch,
  .upload_constant_copy = gc_sim_upload_constant_copy,
  .launch_concurrent = gc_sim_launch_concurrent,
  .wait = wait,
  .counts = counts,
};
