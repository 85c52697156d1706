/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes, kernels and the constant bank of an open NVIDIA GPU.
 */
#include "device/cuda_device.h"

#include "device/common.h"
#include "device/images.h"

#include <errno.h>

#define KERNEL(name, ...) GC_KERNEL_##name,
static const enum gc_kernel filler[] = {GPU_FILLER_KERNELS(KERNEL)};
static const enum gc_kernel cluster[] = {GPU_CLUSTER_KERNELS(KERNEL)};
static const enum gc_kernel bulk[] = {GPU_BULK_KERNELS(KERNEL)};
static const enum gc_kernel jumps[] = {GPU_JUMPS_KERNELS(KERNEL)};
static const enum gc_kernel system[] = {GPU_SYSTEM_KERNELS(KERNEL)};
#undef KERNEL

#define IMAGE(kernels)                                                                             \
  {gc_cuda_##kernels##_image, &gc_cuda_##kernels##_image_bytes, kernels,                           \
   sizeof(kernels) / sizeof(*kernels)}
static const struct {
  const unsigned char *code;
  const uint64_t *bytes;
  const enum gc_kernel *kernels;
  size_t count;
} images[GC_CUDA_IMAGES] = {IMAGE(filler), IMAGE(cluster), IMAGE(bulk), IMAGE(jumps),
                            IMAGE(system)};

/* The index of the image that has this kernel; GC_CUDA_IMAGES: none of them has it. */
static size_t image_of(enum gc_kernel kernel)
{
  for (size_t i = 0; i < GC_CUDA_IMAGES; i++)
    for (size_t k = 0; k < images[i].count; k++)
      if (images[i].kernels[k] == kernel)
        return i;
  return GC_CUDA_IMAGES;
}

int gc_cuda_load_kernel(struct gc_cuda_device *cuda, enum gc_kernel kernel, struct gc_error *err)
{
  const size_t i = image_of(kernel);
  CUmodule module = NULL;
  int status;

  if (cuda->functions[kernel])
    return 0;
  if (i == GC_CUDA_IMAGES)
    return gc_fail(err, -ENOTSUP, "%s is an NVIDIA GPU and has no path for kernel %s", cuda->name,
                   gc_kernels[kernel].name);
  if (!*images[i].bytes)
    return gc_fail(err, -ENOTSUP, "this program was built without ptxas");
  if (!cuda->images[i]) {
    status = CUDA_CALL(cuda, err, cuModuleLoadData(&module, images[i].code),
                       "load kernel %s into %s", gc_kernels[kernel].entry, cuda->name);
    if (status)
      return status;
    cuda->images[i] = module;
  }
  return gc_cuda_find_kernel(cuda, cuda->images[i], kernel, &cuda->functions[kernel], err);
}

int gc_cuda_find_kernel(const struct gc_cuda_device *cuda, CUmodule module, enum gc_kernel kernel,
                        CUfunction *function, struct gc_error *err)
{
  return CUDA_CALL(cuda, err, cuModuleGetFunction(function, module, gc_kernels[kernel].entry),
                   "find kernel %s on %s", gc_kernels[kernel].entry, cuda->name);
}

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
