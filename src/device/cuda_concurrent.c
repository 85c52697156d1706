/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads copies of the kernels, and launches them at the same time.
 */
#include "device/cuda_concurrent.h"

#include "device/common.h"
#include "device/cuda_launch.h"
#include "device/images.h"

#include <errno.h>

#define CUDA(device) ((struct gc_cuda_device *)(device))

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
  status = CUDA_CALL(cuda, err, cuModuleLoadData(&copy->module, gc_cuda_copies_image),
                     "load copy %u of the kernels into %s", number, cuda->name);
  if (status)
    return status;
  status = gc_cuda_find_kernel(cuda, copy->module, GC_KERNEL_banks_constant, &copy->chase, err);
  if (!status)
    status = gc_cuda_find_constant(cuda, copy->module, &copy->constant, err);
  if (status)
    cuda->driver.cuModuleUnload(copy->module);
  else
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
    status = gc_cuda_find_kernel(cuda, copy.module, GC_KERNEL_banks_census, &copy.census, err);
    if (!status)
      cuda->copies[number].census = copy.census;
  }
  *function = copy.census;
  return status;
}

int gc_cuda_stream(struct gc_cuda_device *cuda, size_t i, CUstream *stream, struct gc_error *err)
{
  int status = 0;

  if (!cuda->streams[i])
    status = CUDA_CALL(cuda, err, cuStreamCreate(&cuda->streams[i], CU_STREAM_NON_BLOCKING),
                       "create a stream on %s", cuda->name);
  *stream = cuda->streams[i];
  return status;
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
  default:
    if (gc_kernels[kernel].work != GC_WORK_TICKETS)
      return gc_fail(err, -EINVAL, "only kernels that wait for tickets run concurrently");
    status = gc_cuda_load_kernel(cuda, kernel, err);
    *function = cuda->functions[kernel];
    return status;
  }
}

int gc_cuda_launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                              const uint32_t *copies, size_t n, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUfunction functions[GC_CONCURRENT_MAX];
  CUstream streams[GC_CONCURRENT_MAX];
  int status = 0;

  if (n > GC_CONCURRENT_MAX)
    return gc_fail(err, -EINVAL, "%zu concurrent launches: at most %d are possible", n,
                   GC_CONCURRENT_MAX);
  /* these streams do not wait for copies that are queued */
  if (cuda->host.in_use)
    status = CUDA_CALL(cuda, err, cuCtxSynchronize(), "copy to %s", cuda->name);
  cuda->host.in_use = 0;
  /* Slow steps come before the first launch, which waits for the others. */
  for (size_t i = 0; i < n && !status; i++)
    if (!(status = get_function(cuda, launches[i].kernel, copies[i], &functions[i], err)))
      status = gc_cuda_stream(cuda, i, &streams[i], err);
  for (size_t i = 0; i < n && !status; i++)
    status = gc_cuda_launch(cuda, &launches[i], functions[i], streams[i], err);
  return status;
}

void gc_cuda_concurrent_fini(struct gc_cuda_device *cuda)
{
  for (size_t i = 0; i < GC_CONCURRENT_MAX; i++)
    if (cuda->streams[i])
      cuda->driver.cuStreamDestroy_v2(cuda->streams[i]);
  for (size_t i = 1; i < GC_COPIES_MAX; i++)
    if (cuda->copies[i].module)
      cuda->driver.cuModuleUnload(cuda->copies[i].module);
}
