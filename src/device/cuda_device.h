/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open NVIDIA GPU: what cuda_open.c makes and cuda.c works with.
 */
#ifndef GC_DEVICE_CUDA_DEVICE_H
#define GC_DEVICE_CUDA_DEVICE_H

#include "device/cuda_driver.h"
#include "device/device.h"

struct gc_cuda_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  struct gc_cuda_driver driver;
  char name[16];                   /* "gpu0", for sentences */
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction functions[GC_KERNEL_COUNT];
  uint32_t shared_allowed[GC_KERNEL_COUNT]; /* dynamic shared memory a launch may ask for */
  CUdeviceptr constant;            /* device address of the constant bank */
  uint64_t device_bytes;           /* allocated now */
  uint32_t compute_major;
  enum gc_kernel launched;         /* the last one, for the sentence when it failed */
};

int gc_cuda_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);
void gc_cuda_close(struct gc_device *device);

/* An attribute of the device; 0 where this driver does not know it. */
int gc_cuda_attribute(const struct gc_cuda_device *cuda, CUdevice_attribute attribute, int *value,
                      struct gc_error *err);

#endif
