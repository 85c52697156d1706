/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open NVIDIA GPU: what cuda_open.c makes and cuda.c works with.
 */
#ifndef GC_DEVICE_CUDA_DEVICE_H
#define GC_DEVICE_CUDA_DEVICE_H

#include "device/cuda_driver.h"
#include "device/device.h"

/* The kernels once more, for the constant bank that comes with them. */
struct gc_cuda_copy {
  CUmodule module;
  CUfunction turn, census; /* turn_constant; turn_census, NULL until it is needed */
  CUdeviceptr constant;
};

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
  CUmodule stretch;                /* the second image; NULL: not needed yet, nor is its function */
  struct gc_cuda_copy copies[GC_COPIES_MAX]; /* from 1 on; their module is NULL until they are needed */
  CUstream streams[GC_TOGETHER_MAX];         /* NULL until they are needed */
  uint32_t compute_major;
  enum gc_kernel launched;         /* the last one, for the sentence when it failed */
};

/* Calls a function of the driver: 0, or the status of its error and "cannot <what was being done>: …". */
#define CUDA_CALL(cuda, err, call, ...) gc_cuda_status(&(cuda)->driver, (cuda)->driver.call, err, __VA_ARGS__)

int gc_cuda_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);
void gc_cuda_close(struct gc_device *device);

/* cuda_together.c: these members of the table, and the end of what they made. */
int gc_cuda_upload_constant_copy(struct gc_device *device, uint32_t copy, const void *from, struct gc_error *err);
int gc_cuda_launch_together(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                            size_t n, struct gc_error *err);
void gc_cuda_together_fini(struct gc_cuda_device *cuda);

/* A module's constant bank. */
int gc_cuda_find_constant(const struct gc_cuda_device *cuda, CUmodule module, CUdeviceptr *constant,
                          struct gc_error *err);

/* Queues a launch of `function`, which is the kernel of *launch in some module. */
int gc_cuda_launch(struct gc_cuda_device *cuda, const struct gc_launch *launch, CUfunction function, CUstream stream,
                   struct gc_error *err);

/* An attribute of the device; 0 where this driver does not know it. */
int gc_cuda_attribute(const struct gc_cuda_device *cuda, CUdevice_attribute attribute, int *value,
                      struct gc_error *err);

#endif
