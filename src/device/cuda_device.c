/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes and the constant bank of an open NVIDIA GPU.
 */
#include "device/cuda_device.h"

#include <errno.h>

int gc_cuda_attribute(const struct gc_cuda_device *cuda, CUdevice_attribute attribute, int *value,
                      struct gc_error *err)
{
  const CUresult result = cuda->driver.cuDeviceGetAttribute(value, attribute, cuda->device);

  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED) {
    *value = 0;
    return 0;
  }
  return gc_cuda_status(&cuda->driver, result, err, "ask for attribute %u of %s", attribute,
                        cuda->name);
}

int gc_cuda_find_constant(const struct gc_cuda_device *cuda, CUmodule module, CUdeviceptr *constant,
                          struct gc_error *err)
{
  size_t bytes = 0;
  int status =
      CUDA_CALL(cuda, err, cuModuleGetGlobal_v2(constant, &bytes, module, "gpu_constant_bank"),
                "find the constant bank on %s", cuda->name);

  if (!status && bytes != GPU_CONSTANT_BYTES)
    status = gc_fail(err, -EIO, "the constant bank on %s has %zu bytes, not %d", cuda->name, bytes,
                     GPU_CONSTANT_BYTES);
  return status;
}
