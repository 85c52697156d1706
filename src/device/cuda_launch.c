/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches a kernel on an NVIDIA GPU.
 */
#include "device/cuda_launch.h"

#include "device/common.h"

#include <errno.h>

int gc_cuda_allow_shared(struct gc_cuda_device *cuda, const struct gc_launch *launch,
                         struct gc_error *err)
{
  int status;

  if (launch->shared_bytes <= cuda->shared_allowed[launch->kernel])
    return 0;
  status = CUDA_CALL(cuda, err,
                     cuFuncSetAttribute(cuda->functions[launch->kernel],
                                        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)launch->shared_bytes),
                     "give kernel %s %u bytes of shared memory on %s",
                     gc_kernels[launch->kernel].name, launch->shared_bytes, cuda->name);
  if (!status)
    cuda->shared_allowed[launch->kernel] = launch->shared_bytes;
  return status;
}

/* Most GPUs allow clusters of more than 8 blocks only to kernels that ask for it. */
static int allow_clusters(struct gc_cuda_device *cuda, enum gc_kernel kernel, struct gc_error *err)
{
  int status = 0;

  if (!cuda->clusters_allowed[kernel])
    status = CUDA_CALL(cuda, err,
                       cuFuncSetAttribute(cuda->functions[kernel],
                                          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                       "allow kernel %s large clusters on %s", gc_kernels[kernel].name, cuda->name);
  cuda->clusters_allowed[kernel] |= !status;
  return status;
}

int gc_cuda_find_cluster_blocks(struct gc_cuda_device *cuda, uint32_t sms, uint32_t *blocks,
                                struct gc_error *err)
{
  const enum gc_kernel kernel = GC_KERNEL_read_cg;
  const struct gc_cuda_launch_config config = {
      .grid_x = sms, .grid_y = 1, .grid_z = 1, .block_x = 32, .block_y = 1, .block_z = 1};
  int supported = 0, most = 0, status;

  *blocks = 0;
  if (!cuda->driver.cuLaunchKernelEx || !cuda->driver.cuOccupancyMaxPotentialClusterSize)
    return 0;
  status = gc_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &supported, err);
  if (status || !supported)
    return status;
  /* a driver that refuses this allows the portable size */
  allow_clusters(cuda, kernel, err);
  status = CUDA_CALL(cuda, err,
                     cuOccupancyMaxPotentialClusterSize(&most, cuda->functions[kernel], &config),
                     "ask for the largest cluster on %s", cuda->name);
  /* an instance of a GPU may refuse clusters; everything else can be measured then */
  if (!status && most > 0)
    *blocks = (uint32_t)most;
  return 0;
}

static int launch_clusters(struct gc_cuda_device *cuda, const struct gc_launch *launch,
                           CUfunction function, void **parameters, struct gc_error *err)
{
  struct gc_cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                               .value.cluster = {launch->cluster, 1, 1}};
  const struct gc_cuda_launch_config config = {.grid_x = launch->blocks,
                                               .grid_y = 1,
                                               .grid_z = 1,
                                               .block_x = launch->threads,
                                               .block_y = 1,
                                               .block_z = 1,
                                               .shared_bytes = launch->shared_bytes,
                                               .attributes = &attribute,
                                               .attribute_count = 1};
  int status;

  if (!cuda->driver.cuLaunchKernelEx)
    return gc_fail(err, -ENOTSUP, "the driver of %s cannot launch clusters", cuda->name);
  status = allow_clusters(cuda, launch->kernel, err);
  return status ? status
                : CUDA_CALL(cuda, err, cuLaunchKernelEx(&config, function, parameters, NULL),
                            "launch kernel %s in clusters of %u blocks on %s",
                            gc_kernels[launch->kernel].name, launch->cluster, cuda->name);
}

int gc_cuda_launch(struct gc_cuda_device *cuda, const struct gc_launch *launch, CUfunction function,
                   CUstream stream, struct gc_error *err)
{
  void *parameters[] = {(void *)launch->args};
  int status;

  if (gc_check_args(launch, err))
    return -EINVAL;
  if (launch->cluster)
    status = launch_clusters(cuda, launch, function, parameters, err);
  else
    status =
        CUDA_CALL(cuda, err,
                  cuLaunchKernel(function, launch->blocks, 1, 1, launch->threads, 1, 1,
                                 launch->shared_bytes, stream, parameters, NULL),
                  "launch kernel %s with %u blocks of %u threads on %s",
                  gc_kernels[launch->kernel].name, launch->blocks, launch->threads, cuda->name);
  if (status)
    return status;
  cuda->launched = launch->kernel;
  cuda->counts.launches++;
  return 0;
}
