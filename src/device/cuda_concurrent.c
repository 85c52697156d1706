/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads copies of the kernels, and launches them at the same time.
 */
#include "device/cuda_concurrent.h"

#include "device/cuda_launch.h"
#include "device/images.h"

#include <errno.h>

#define CUDA(device) ((struct gc_cuda_device *)(device))
#define CONSTANT_KERNEL "gpu_banks_constant"
#define CENSUS_KERNEL "gpu_banks_census"
#define FILLER_KERNEL "gpu_filler"
#define CLUSTER_KERNEL "gpu_remote_shared"

static int load(struct gc_cuda_device *cuda, const unsigned char *image, const char *kernel,
                CUmodule *module, CUfunction *function, struct gc_error *err)
{
  int status = CUDA_CALL(cuda, err, cuModuleLoadData(module, image), "load kernel %s into %s",
                         kernel, cuda->name);

  if (status) {
    *module = NULL;
    return status;
  }
  return CUDA_CALL(cuda, err, cuModuleGetFunction(function, *module, kernel),
                   "find kernel %s on %s", kernel, cuda->name);
}

/* Loads the copy on first use. Copy 0 is the module that all other launches use. */
static int get_copy(struct gc_cuda_device *cuda, uint32_t number, struct gc_cuda_copy *copy,
                    struct gc_error *err)
{
  int status = 0;

  if (number >= GC_COPIES_MAX)
    return gc_fail(err, -EINVAL, "there is no copy %u of the kernels: there are %d", number,
                   GC_COPIES_MAX);
  *copy = cuda->copies[number];
  if (!number)
    *copy = (struct gc_cuda_copy){cuda->module, cuda->functions[GC_KERNEL_banks_constant],
                                  cuda->functions[GC_KERNEL_banks_census], cuda->constant};
  if (copy->module)
    return 0;
  if (!(status = load(cuda, gc_cuda_copies_image, CONSTANT_KERNEL, &copy->module, &copy->chase, err)))
    status = gc_cuda_find_constant(cuda, copy->module, &copy->constant, err);
  if (status && copy->module)
    cuda->driver.cuModuleUnload(copy->module);
  if (!status)
    cuda->copies[number] = *copy;
  return status;
}

int gc_cuda_upload_constant_copy(struct gc_device *device, uint32_t number, const void *from,
                                 struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_copy copy;
  int status = get_copy(cuda, number, &copy, err);

  return status ? status
                : CUDA_CALL(cuda, err, cuMemcpyHtoD_v2(copy.constant, from, GPU_CONSTANT_BYTES),
                            "fill constant bank %u on %s", number, cuda->name);
}

/* The census kernel of a copy, found on first use. */
static int get_census(struct gc_cuda_device *cuda, uint32_t number, CUfunction *function,
                      struct gc_error *err)
{
  struct gc_cuda_copy copy = {0};
  int status = get_copy(cuda, number, &copy, err);

  if (!status && !copy.census) {
    status = CUDA_CALL(cuda, err, cuModuleGetFunction(&copy.census, copy.module, CENSUS_KERNEL),
                       "find kernel %s on %s", CENSUS_KERNEL, cuda->name);
    if (!status)
      cuda->copies[number].census = copy.census;
  }
  *function = copy.census;
  return status;
}

static int get_stream(struct gc_cuda_device *cuda, size_t i, struct gc_error *err)
{
  if (cuda->streams[i])
    return 0;
  return CUDA_CALL(cuda, err, cuStreamCreate(&cuda->streams[i], CU_STREAM_NON_BLOCKING),
                   "create a stream on %s", cuda->name);
}

static int get_function(struct gc_cuda_device *cuda, enum gc_kernel kernel, uint32_t number,
                        CUfunction *function, struct gc_error *err)
{
  struct gc_cuda_copy copy;
  int status = 0;

  switch (kernel) {
  case GC_KERNEL_banks_constant:
    if (!(status = get_copy(cuda, number, &copy, err)))
      *function = copy.chase;
    return status;
  case GC_KERNEL_banks_census:
    return get_census(cuda, number, function, err);
  case GC_KERNEL_filler:
    if (!cuda->filler)
      status = load(cuda, gc_cuda_filler_image, FILLER_KERNEL, &cuda->filler,
                    &cuda->functions[GC_KERNEL_filler], err);
    *function = cuda->functions[GC_KERNEL_filler];
    return status;
  default:
    return gc_fail(err, -EINVAL, "only kernels that wait for tickets run concurrently");
  }
}

int gc_cuda_load_jumps(struct gc_cuda_device *cuda, struct gc_error *err)
{
  int status;

  if (cuda->jumps)
    return 0;
  if (gc_cuda_jumps_image_bytes == 0)
    return gc_fail(err, -ENOTSUP, "this program was built without ptxas");
  status = load(cuda, gc_cuda_jumps_image, "gpu_jumps_near", &cuda->jumps,
                &cuda->functions[GC_KERNEL_jumps_near], err);
  if (!status)
    status = CUDA_CALL(
        cuda, err,
        cuModuleGetFunction(&cuda->functions[GC_KERNEL_jumps_far], cuda->jumps, "gpu_jumps_far"),
        "find kernel gpu_jumps_far on %s", cuda->name);
  return status;
}

int gc_cuda_launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                              const uint32_t *copies, size_t n, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUfunction functions[GC_CONCURRENT_MAX];
  int status = 0;

  if (n > GC_CONCURRENT_MAX)
    return gc_fail(err, -EINVAL, "%zu concurrent launches: at most %d are possible", n,
                   GC_CONCURRENT_MAX);
  /* Slow steps come before the first launch, which waits for the others. */
  for (size_t i = 0; i < n && !status; i++)
    if (!(status = get_function(cuda, launches[i].kernel, copies[i], &functions[i], err)))
      status = get_stream(cuda, i, err);
  for (size_t i = 0; i < n && !status; i++)
    status = gc_cuda_launch(cuda, &launches[i], functions[i], cuda->streams[i], err);
  return status;
}

int gc_cuda_load_cluster(struct gc_cuda_device *cuda, struct gc_error *err)
{
  return cuda->cluster ? 0
                       : load(cuda, gc_cuda_cluster_image, CLUSTER_KERNEL, &cuda->cluster,
                              &cuda->functions[GC_KERNEL_remote_shared], err);
}

void gc_cuda_concurrent_fini(struct gc_cuda_device *cuda)
{
  for (size_t i = 0; i < GC_CONCURRENT_MAX; i++)
    if (cuda->streams[i])
      cuda->driver.cuStreamDestroy_v2(cuda->streams[i]);
  for (size_t i = 1; i < GC_COPIES_MAX; i++)
    if (cuda->copies[i].module)
      cuda->driver.cuModuleUnload(cuda->copies[i].module);
  if (cuda->filler)
    cuda->driver.cuModuleUnload(cuda->filler);
  if (cuda->cluster)
    cuda->driver.cuModuleUnload(cuda->cluster);
  if (cuda->jumps)
    cuda->driver.cuModuleUnload(cuda->jumps);
}
