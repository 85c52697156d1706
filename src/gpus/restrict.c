/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs this process may measure: applies the rules of visible.h to the list of GPUs, and
 * tries the device nodes.
 */
#include "gpus/gpus.h"
#include "gpus/mig.h"
#include "gpus/nodes.h"
#include "gpus/visible.h"
#include "util/env.h"
#include "util/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 256 /* GPUs of one vendor; those beyond stay undecided */
#define DEV_NVIDIA "/dev/nvidia"
#define DEV_RENDER "/dev/dri/renderD"

/* The GPUs of one vendor, and their numbers in the list of all GPUs. */
struct vendor {
  struct gc_seen seen[MOST];
  size_t numbers[MOST];
  size_t count;
  bool uncertain; /* AMD: which of them ROCr counts */
};

static struct gc_seen_list seen_list(const struct vendor *vendor)
{
  return (struct gc_seen_list){vendor->seen, vendor->count};
}

static void hide(struct gc_gpu *gpu, const struct gc_decision *decision)
{
  gpu->visibility = GC_HIDDEN;
  if (gpu->problem[0])
    return;
  if (*decision->value)
    snprintf(gpu->problem, sizeof(gpu->problem),
             "%s is '%.80s', which hides this GPU; measure it in a job that may use it",
             decision->variable, decision->value);
  else
    snprintf(gpu->problem, sizeof(gpu->problem),
             "%s is empty, which hides this GPU; measure it in a job that may use it",
             decision->variable);
  gc_make_printable(gpu->problem); /* a variable may have any bytes */
}

/* 0 or the errno of the node of an NVIDIA GPU. */
static int try_nvidia(const char *root, const struct gc_gpu *gpu)
{
  char path[40];

  snprintf(path, sizeof(path), DEV_NVIDIA "%.11s", gpu->minor);
  return gpu->minor[0] ? gc_nodes_try(root, path, true) : ENOENT;
}

/* Whether CUDA counts an NVIDIA GPU. some: there is a node of another GPU. A container may have the
 * nodes of some GPUs only. If there is no node, CUDA creates all of them. */
static enum gc_counted count_nvidia(const struct gc_gpu *gpu, int error, bool some)
{
  if (error == EACCES || error == EPERM || (!gpu->minor[0] && gpu->problem[0]))
    return GC_NOT_COUNTED;
  if (gpu->problem[0] || gc_mig_is_on(gpu) || (error && some))
    return GC_PERHAPS_COUNTED;
  return GC_COUNTED;
}

static void see_nvidia(const char *root, const struct gc_gpus *gpus, struct vendor *vendor)
{
  int errors[MOST];
  bool some = false;

  vendor->count = 0;
  for (size_t i = 0; i < gpus->count && vendor->count < MOST; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];

    if (gpu->vendor != GC_VENDOR_NVIDIA || gpu->instance)
      continue;
    errors[vendor->count] = try_nvidia(root, gpu);
    some |= !errors[vendor->count];
    vendor->numbers[vendor->count++] = i;
  }
  for (size_t k = 0; k < vendor->count; k++) {
    const struct gc_gpu *gpu = &gpus->array[vendor->numbers[k]];

    vendor->seen[k] = (struct gc_seen){
        .uuid = strncmp(gpu->identity.id, "GPU-", 4) ? "" : gpu->identity.id,
        .target = "",
        .counted = count_nvidia(gpu, errors[k], some),
    };
  }
}

/* Whether this process may not open a node that CUDA needs. */
static bool refuses_nvidia(const char *root, struct gc_gpu *gpu)
{
  char path[40];

  snprintf(path, sizeof(path), DEV_NVIDIA "%.11s", gpu->minor);
  return gc_nodes_refuse(root, DEV_NVIDIA "ctl", gpu->problem, sizeof(gpu->problem)) ||
         gc_nodes_refuse(root, DEV_NVIDIA "-uvm", gpu->problem, sizeof(gpu->problem)) ||
         (gpu->minor[0] && gc_nodes_refuse(root, path, gpu->problem, sizeof(gpu->problem)));
}

static void restrict_nvidia(const char *root, const struct gc_variables *variables,
                            struct gc_gpus *gpus, struct vendor *vendor)
{
  see_nvidia(root, gpus, vendor);
  for (size_t k = 0; k < vendor->count; k++) {
    struct gc_gpu *gpu = &gpus->array[vendor->numbers[k]];
    const struct gc_decision decision = gc_visible_cuda(variables, seen_list(vendor), k);

    gpu->visibility = decision.visibility;
    if (!gpu->problem[0] && refuses_nvidia(root, gpu))
      gpu->visibility = GC_HIDDEN;
    else if (decision.visibility == GC_HIDDEN)
      hide(gpu, &decision);
  }
}

/* An instance that CUDA_VISIBLE_DEVICES names is visible. Any other instance is hidden if the
 * variable hides its GPU. Otherwise it is undecided, because only CUDA knows what it shows. */
static void restrict_instances(const char *root, const struct gc_variables *variables,
                               struct gc_gpus *gpus, const struct vendor *vendor)
{
  for (size_t i = 0; i < gpus->count; i++) {
    struct gc_gpu *gpu = &gpus->array[i];
    const struct gc_gpu *whole = gpu->instance ? gc_mig_whole(gpus, gpu) : NULL;

    if (!gpu->instance)
      continue;
    gpu->visibility = gpu->shown_as[0] ? GC_VISIBLE : GC_UNDECIDED;
    if (!gpu->problem[0] && refuses_nvidia(root, gpu))
      gpu->visibility = GC_HIDDEN;
    for (size_t k = 0; k < vendor->count && !gpu->shown_as[0]; k++) {
      const struct gc_decision decision = gc_visible_cuda(variables, seen_list(vendor), k);

      if (&gpus->array[vendor->numbers[k]] == whole && decision.visibility == GC_HIDDEN)
        hide(gpu, &decision);
    }
  }
}

/* 0 or the errno of the render node of an AMD GPU. */
static int try_render(const char *root, const struct gc_gpu *gpu)
{
  char path[40];

  snprintf(path, sizeof(path), DEV_RENDER "%u", gpu->render_minor);
  return gpu->render_minor ? gc_nodes_try(root, path, true) : 0;
}

/* The AMD GPUs in the order of their KFD nodes. ROCr (topology.c of libhsakmt) omits a GPU whose
 * render node is missing; a container may have some of them only. */
static void see_amd(const char *root, const struct gc_gpus *gpus, struct vendor *vendor)
{
  int errors[MOST];
  bool some = false;

  vendor->count = 0;
  for (size_t i = 0; i < gpus->count && vendor->count < MOST; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];
    size_t k = vendor->count;

    if (gpu->vendor != GC_VENDOR_AMD || gpu->kfd_node == GC_NO_KFD_NODE)
      continue;
    for (; k > 0 && gpus->array[vendor->numbers[k - 1]].kfd_node > gpu->kfd_node; k--)
      vendor->numbers[k] = vendor->numbers[k - 1];
    vendor->numbers[k] = i;
    vendor->count++;
  }
  for (size_t k = 0; k < vendor->count; k++) {
    errors[k] = try_render(root, &gpus->array[vendor->numbers[k]]);
    some |= !errors[k] && gpus->array[vendor->numbers[k]].render_minor;
  }
  vendor->uncertain = vendor->count == MOST;
  for (size_t k = 0; k < vendor->count; k++) {
    const struct gc_gpu *gpu = &gpus->array[vendor->numbers[k]];

    vendor->seen[k] = (struct gc_seen){
        .uuid = gpu->amd.uuid,
        .target = gpu->gfx,
        .counted = errors[k] == EACCES || errors[k] == EPERM ? GC_PERHAPS_COUNTED
                   : errors[k] == ENOENT && some             ? GC_NOT_COUNTED
                                                             : GC_COUNTED,
    };
    vendor->uncertain |= vendor->seen[k].counted == GC_PERHAPS_COUNTED;
  }
}

/* The value of ROCR_VISIBLE_DEVICES that shows only the GPU that ROCr counts as number `index`. Its
 * own UUID is safer than its index, which depends on the GPUs that ROCr counts. */
static void choose_rocr(struct gc_amd *amd, size_t index, bool uncertain)
{
  if (amd->own_uuid)
    snprintf(amd->rocr, sizeof(amd->rocr), "%s", amd->uuid);
  else if (!uncertain)
    snprintf(amd->rocr, sizeof(amd->rocr), "%zu", index);
}

static void hide_missing(struct gc_gpu *gpu)
{
  gpu->visibility = GC_HIDDEN;
  if (!gpu->problem[0])
    snprintf(gpu->problem, sizeof(gpu->problem),
             "there is no " DEV_RENDER "%u here, so the container or batch job excludes this GPU; "
             "measure it in a job that may use it",
             gpu->render_minor);
}

static void restrict_amd(const char *root, const struct gc_variables *variables,
                         struct gc_gpus *gpus, struct vendor *vendor)
{
  size_t index = 0;

  see_amd(root, gpus, vendor);
  for (size_t k = 0; k < vendor->count; k++) {
    struct gc_gpu *gpu = &gpus->array[vendor->numbers[k]];
    const struct gc_decision decision = gc_visible_rocm(variables, seen_list(vendor), k);
    char path[40];

    snprintf(path, sizeof(path), DEV_RENDER "%u", gpu->render_minor);
    gpu->visibility = decision.visibility;
    if (vendor->seen[k].counted == GC_NOT_COUNTED) {
      hide_missing(gpu);
      continue;
    }
    choose_rocr(&gpu->amd, index++, vendor->uncertain);
    if (!gpu->problem[0] && gpu->render_minor &&
        gc_nodes_refuse(root, path, gpu->problem, sizeof(gpu->problem)))
      gpu->visibility = GC_HIDDEN;
    else if (decision.visibility == GC_HIDDEN)
      hide(gpu, &decision);
  }
}

void gc_gpus_restrict(const char *root, struct gc_gpus *gpus)
{
  const struct gc_variables variables = {
      .cuda = gc_env_get(GC_ENV_CUDA_VISIBLE_DEVICES),
      .cuda_order = gc_env_get(GC_ENV_CUDA_DEVICE_ORDER),
      .rocr = gc_env_get(GC_ENV_ROCR_VISIBLE_DEVICES),
      .hip = gc_env_get(GC_ENV_HIP_VISIBLE_DEVICES),
      .ordinal = gc_env_get(GC_ENV_GPU_DEVICE_ORDINAL),
  };
  struct vendor vendor;

  restrict_nvidia(root, &variables, gpus, &vendor);
  restrict_instances(root, &variables, gpus, &vendor);
  restrict_amd(root, &variables, gpus, &vendor);
}
