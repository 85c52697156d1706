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

int gc_cuda_launch(struct gc_cuda_device *cuda, const struct gc_launch *launch, CUfunction function,
                   CUstream stream, struct gc_error *err)
{
  void *parameters[] = {(void *)launch->args};
  int status;

  if (gc_check_args(launch, err))
    return -EINVAL;
  status = CUDA_CALL(cuda, err,
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
