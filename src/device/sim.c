/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The device table for simulated GPUs, over the model. A launch runs at once, block after block,
 * each on the next SM (of the next XCD).
 */
#include "device/sim_device.h"

#include "device/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIM(device) ((struct gc_sim_device *)(device))
#define PROFILE_MAX_BYTES (1 << 20)

/* The whole file, from malloc. */
static int read_profile(const char *path, char **text, size_t *length, struct gc_error *err)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  ssize_t n = 0;
  int status = 0;

  *text = NULL;
  *length = 0;
  if (fd < 0 || fstat(fd, &st))
    status = gc_fail(err, -EINVAL, "cannot read the profile %.200s: %s", path, strerror(errno));
  else if (!S_ISREG(st.st_mode) || st.st_size > PROFILE_MAX_BYTES)
    status = gc_fail(err, -EINVAL, "the profile %.200s is not a file of at most %d bytes", path,
                     PROFILE_MAX_BYTES);
  else if (!(*text = malloc((size_t)st.st_size + 1)))
    status = gc_fail(err, -ENOMEM, "no memory for the profile %.200s", path);
  while (!status && *length < (size_t)st.st_size &&
         (n = read(fd, *text + *length, (size_t)st.st_size - *length)) > 0)
    *length += (size_t)n;
  if (!status && n < 0)
    status = gc_fail(err, -EINVAL, "cannot read the profile %.200s: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return status;
}

static void sim_close(struct gc_device *device)
{
  struct gc_sim_device *sim = SIM(device);

  gc_sim_memory_fini(sim);
  gc_model_free(sim->model);
  free(sim->clocks);
  free(sim);
}

/* No two SMs count from the same moment. */
static uint64_t origin_of(uint32_t sm)
{
  return 1000003ull * (sm + 1);
}

/* A launch starts on all SMs when the one before it has ended on all. */
static void align_clocks(struct gc_sim_device *sim)
{
  uint64_t now = 0;

  for (uint32_t sm = 0; sm < sim->facts->sms; sm++)
    if (sim->clocks[sm] - origin_of(sm) > now)
      now = sim->clocks[sm] - origin_of(sm);
  for (uint32_t sm = 0; sm < sim->facts->sms; sm++)
    sim->clocks[sm] = origin_of(sm) + now;
}

/* Is the kernel that fails on this GPU, if any, one that there is? */
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
  status = read_profile(gpu->profile, &text, &length, err);
  if (!status)
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
    sim->clocks[sm] = origin_of(sm);
  for (int kernel = 0; kernel < GC_KERNEL_COUNT; kernel++)
    sim->carveouts[kernel] = -1;
  *device = (struct gc_device *)sim;
  return 0;
}

static int properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err)
{
  const struct gc_model_facts *facts = SIM(device)->facts;

  *out = (struct gc_properties){
    .sms = facts->sms, .warp = facts->warp, .clock_khz = facts->clock_khz,
    .memory_clock_khz = facts->memory_clock_khz, .memory_bus_bits = facts->memory_bus_bits,
    .compute_major = facts->compute_major, .compute_minor = facts->compute_minor,
    .threads_per_block = facts->threads_per_block, .threads_per_sm = facts->threads_per_sm,
    .blocks_per_sm = facts->blocks_per_sm, .registers_per_block = facts->registers_per_block,
    .registers_per_sm = facts->registers_per_sm, .memory_bytes = facts->memory_bytes,
    .l2_bytes = facts->l2_bytes, .shared_per_sm = facts->shared_per_sm,
    .shared_per_block = facts->shared_per_block, .shared_reserved = facts->shared_reserved,
    .constant_bytes = facts->has_constant ? GPU_CONSTANT_BYTES : 0,
    .texture_texels = facts->texture_texels, .global_l1 = facts->global_l1,
    .has_texture = facts->has_texture, .has_constant = facts->has_constant,
    .has_read_only = facts->has_read_only, .has_scalar = facts->has_scalar, .ecc = facts->ecc, .simulated = true,
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

/* A path of the kernel that this GPU does not have. */
static bool lacks(const struct gc_model_facts *facts, enum gc_kernel kernel)
{
  switch (kernel) {
  case GC_KERNEL_chase_nc:
  case GC_KERNEL_latency_nc:
  case GC_KERNEL_read_nc:
  case GC_KERNEL_census_nc:
    return !facts->has_read_only;
  case GC_KERNEL_chase_texture:
  case GC_KERNEL_latency_texture:
  case GC_KERNEL_read_texture:
  case GC_KERNEL_census_texture:
    return !facts->has_texture;
  case GC_KERNEL_chase_constant:
  case GC_KERNEL_latency_constant:
  case GC_KERNEL_read_constant:
  case GC_KERNEL_census_constant:
  case GC_KERNEL_constant_base:
  case GC_KERNEL_turn_constant:
  case GC_KERNEL_turn_census:
  case GC_KERNEL_stretch:
    return !facts->has_constant;
  case GC_KERNEL_chase_scalar:
  case GC_KERNEL_latency_scalar:
  case GC_KERNEL_read_scalar:
  case GC_KERNEL_census_scalar:
  case GC_KERNEL_mates:
    return !facts->has_scalar;
  default:
    return false;
  }
}

static int check_launch(const struct gc_sim_device *sim, const struct gc_launch *l,
                        struct gc_error *err)
{
  const struct gc_model_facts *facts = sim->facts;

  if (gc_sim_failed(sim, err))
    return -EIO;
  if (gc_check_args(l, err))
    return -EINVAL;
  if (!l->blocks || !l->threads || l->threads > facts->threads_per_block ||
      l->shared_bytes > facts->shared_per_block)
    return gc_fail(err, -EINVAL,
                   "the simulated %s cannot launch %u blocks of %u threads with %u bytes of shared "
                   "memory each", sim->name, l->blocks, l->threads, l->shared_bytes);
  if (lacks(facts, l->kernel))
    return gc_fail(err, -ENOTSUP, "the simulated %s has no path for kernel %s", sim->name,
                   gc_kernels[l->kernel].name);
  return 0;
}

/* Registers never limit: the kernels use few. */
static uint32_t occupancy(const struct gc_model_facts *facts, const struct gc_launch *l)
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

static int resident(struct gc_device *device, const struct gc_launch *l, uint32_t *blocks,
                    struct gc_error *err)
{
  const int status = check_launch(SIM(device), l, err);

  *blocks = status ? 0 : occupancy(SIM(device)->facts, l);
  return status;
}

/* Kernels that time many loads together, so that the noise belongs into each of them. */
static bool times_untimed_loads(enum gc_kernel kernel)
{
  switch (kernel) {
  case GC_KERNEL_latency_ca:
  case GC_KERNEL_latency_cg:
  case GC_KERNEL_latency_nc:
  case GC_KERNEL_latency_texture:
  case GC_KERNEL_latency_constant:
  case GC_KERNEL_latency_shared:
  case GC_KERNEL_latency_scalar:
    return true;
  default:
    return false;
  }
}

/* Which place in the deal of blocks to SMs this one gets. */
static uint32_t turn_of(struct gc_sim_device *sim, const struct gc_launch *l, uint32_t index)
{
  if (!sim->facts->rotates || l->blocks > 1)
    return index;
  return sim->lone_blocks++ % sim->facts->sms;
}

/* What becomes of a launch whose blocks take turns with others. */
struct again {
  uint32_t blocks; /* left because their turn is still to come */
  bool moved;      /* some did something */
};

static int run_block(struct gc_sim_device *sim, const struct gc_launch *l,
                     struct gc_sim_block *block, uint32_t index, struct again *again)
{
  block->block = index;
  block->sm = gc_model_sm_of_block(sim->model, turn_of(sim, l, index));
  block->sm_id = gc_model_sm_id(sim->model, block->sm);
  block->clock = sim->clocks[block->sm];
  block->clock_origin = origin_of(block->sm);
  block->rows_to = 0;
  block->unit = index / sim->facts->sms;
  gc_model_unit(sim->model, block->unit);
  block->come_again = false;
  if (!gc_sim_run(l->kernel, l->args, block))
    return gc_fail(
      &sim->failure, -EIO,
      "simulated illegal address: block %u of kernel %s accessed %s address 0x%llx on %s", index,
      gc_kernels[l->kernel].name, block->illegal_space, (unsigned long long)block->illegal_address,
      sim->name);
  again->blocks += block->come_again;
  again->moved |= block->clock != sim->clocks[block->sm];
  sim->clocks[block->sm] = block->clock;
  return 0;
}

/* One launch, by the kernels of a copy, in caches that are as they are. */
static int run(struct gc_sim_device *sim, const struct gc_launch *l, uint32_t copy,
               struct again *again, struct gc_error *err)
{
  struct gc_sim_block block = {
    .model = sim->model, .blocks = l->blocks,
    .warps = (l->threads + sim->facts->warp - 1) / sim->facts->warp,
    .clock_khz = sim->facts->running_clock_khz,
    .clock_overhead = gc_model_clock_overhead(sim->model),
    .disturbance = gc_model_disturbance(sim->model), .noisy = times_untimed_loads(l->kernel),
    .regions = sim->regions, .region_count = sim->region_count, .textures = sim->textures,
    .texture_count = sim->texture_count, .constant = sim->constants[copy], .copy = copy,
    .shared_bytes = l->shared_bytes,
  };
  int status = 0;

  if (!strcmp(gc_kernels[l->kernel].name, sim->facts->broken)) {
    gc_fail(&sim->failure, -EIO, "cannot finish kernel %s on %s: simulated uncorrectable memory error",
            gc_kernels[l->kernel].name, sim->name);
    return gc_sim_failed(sim, err);
  }
  block.shared = calloc(1, l->shared_bytes + 1);
  if (!block.shared)
    return gc_fail(err, -ENOMEM, "no memory for the shared memory of the simulated %s", sim->name);
  align_clocks(sim);
  for (uint32_t i = 0; !status && i < l->blocks; i++)
    status = run_block(sim, l, &block, i, again);
  free(block.shared);
  return status ? gc_sim_failed(sim, err) : 0;
}

static int launch(struct gc_device *device, const struct gc_launch *l, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  const int status = check_launch(sim, l, err);
  struct again again = {0};

  if (status)
    return status;
  gc_model_launch(sim->model, sim->carveouts[l->kernel], occupancy(sim->facts, l), l->shared_bytes);
  sim->counts.launches++;
  return run(sim, l, 0, &again, err);
}

/* One after another: they take their turns in this order anyway. Those that have more turns than one go on as
 * long as somebody does something. */
static int run_together(struct gc_sim_device *sim, const struct gc_launch *launches, const uint32_t *copies,
                        size_t n, struct gc_error *err)
{
  bool finished[GC_TOGETHER_MAX] = {false};
  bool moved;
  int status = 0;

  do {
    moved = false;
    for (size_t i = 0; i < n && !status; i++) {
      struct again again = {0};

      if (finished[i])
        continue;
      status = run(sim, &launches[i], copies[i], &again, err);
      finished[i] = !again.blocks;
      moved |= again.moved;
    }
  } while (moved && !status);
  return status;
}

static int launch_together(struct gc_device *device, const struct gc_launch *launches,
                           const uint32_t *copies, size_t n, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  int status = 0;

  if (n > GC_TOGETHER_MAX)
    return gc_fail(err, -EINVAL, "%zu launches together: more than %d", n, GC_TOGETHER_MAX);
  for (size_t i = 0; i < n && !status; i++) {
    status = check_launch(sim, &launches[i], err);
    if (!status && (copies[i] >= GC_COPIES_MAX || launches[i].blocks > sim->facts->sms))
      status = gc_fail(err, -EINVAL, "no copy %u of the kernels with %u blocks on the simulated %s",
                       copies[i], launches[i].blocks, sim->name);
  }
  if (!status && n)
    gc_model_launch(sim->model, sim->carveouts[launches->kernel], occupancy(sim->facts, launches),
                    launches->shared_bytes);
  sim->counts.launches += status ? 0 : n;
  return status ? status : run_together(sim, launches, copies, n, err);
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
  .upload = gc_sim_upload,
  .download = gc_sim_download,
  .clear = gc_sim_clear,
  .upload_constant = gc_sim_upload_constant,
  .texture = gc_sim_texture,
  .wide_texture = gc_sim_wide_texture,
  .release_texture = gc_sim_release_texture,
  .carveout = carveout,
  .resident = resident,
  .launch = launch,
  .upload_constant_copy = gc_sim_upload_constant_copy,
  .launch_together = launch_together,
  .wait = wait,
  .counts = counts,
};
