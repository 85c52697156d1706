/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open NVIDIA GPU. cuda_open.c makes it; the other files of the back end work with it.
 */
#ifndef GC_DEVICE_CUDA_DEVICE_H
#define GC_DEVICE_CUDA_DEVICE_H

#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/pinned.h"

#define GC_CUDA_IMAGES 5 /* that are loaded on first use: see cuda_device.c */

/* Another copy of the kernels, for the constant bank that comes with it. */
struct gc_cuda_copy {
  CUmodule module;
  CUfunction chase, census; /* banks_constant; banks_census, NULL until first use */
  CUdeviceptr constant;
};

/* The range of aliases: `span` addresses from `base` on; `mapped` of them are usable. */
struct gc_cuda_aliases {
  CUdeviceptr base; /* 0: there is none */
  uint64_t bytes, span, mapped;
  CUmemGenericAllocationHandle memory; /* valid unless bytes is 0 */
};

/* Host memory that kernels use under `address`. Behind it is space for small copies to and from the
 * device, which are queued. If the host waits for them, 4 KiB take 2 us more on an H200, and 256
 * KiB 40 us more. */
#define GC_CUDA_FETCH_BYTES (512 << 10)
#define GC_CUDA_STAGE_BYTES (512 << 10)
struct gc_cuda_host {
  CUdeviceptr address; /* 0: there is none */
  uint64_t bytes;
  unsigned char *memory;
  unsigned char *fetched; /* [GC_CUDA_FETCH_BYTES] */
  unsigned char *staged;  /* [GC_CUDA_STAGE_BYTES] */
  size_t in_use;          /* bytes at the begin of `staged` that queued copies use */
};

/* Memory of another GPU that kernels and copies use. */
struct gc_cuda_peer {
  struct gc_cuda_device *device; /* NULL: there is none */
  CUdeviceptr address;
  uint64_t bytes;
};

struct gc_cuda_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  struct gc_cuda_driver driver;
  char name[16];   /* "gpu0", for messages */
  char bus_id[24]; /* "0000:3b:00.0" */
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction functions[GC_KERNEL_COUNT];    /* NULL: its image is not loaded */
  bool clusters_allowed[GC_KERNEL_COUNT];   /* of more blocks than on every GPU with clusters */
  uint32_t shared_allowed[GC_KERNEL_COUNT]; /* dynamic shared memory a launch may ask for */
  CUdeviceptr constant;                     /* device address of the constant bank */
  CUmodule images[GC_CUDA_IMAGES]; /* with the other kernels; NULL until first use */
  struct gc_cuda_copy copies[GC_COPIES_MAX]; /* from 1 on; the module is NULL until first use */
  CUstream streams[GC_CONCURRENT_MAX];       /* NULL until first use */
  struct gc_cuda_aliases aliases;
  struct gc_cuda_host host;
  struct gc_pinned on_node; /* memory of a NUMA node */
  struct gc_cuda_peer on_peer;
  CUevent events[GC_PINNED_EVENTS]; /* NULL until first use */
  uint32_t compute_major;
  enum gc_kernel launched; /* the last one, for the message if it fails */
};

/* Calls a function of the driver. 0, or the status of its error and the message "cannot <what was
 * being done>: CUDA_ERROR_…". */
#define CUDA_CALL(cuda, err, call, ...)                                                            \
  gc_cuda_status(&(cuda)->driver, (cuda)->driver.call, err, __VA_ARGS__)

/* Sets functions[kernel]. Loads the image of the kernel on first use. -ENOTSUP: this program has no
 * machine code of it for NVIDIA GPUs. */
int gc_cuda_load_kernel(struct gc_cuda_device *cuda, enum gc_kernel kernel, struct gc_error *err);

/* A kernel of a module. */
int gc_cuda_find_kernel(const struct gc_cuda_device *cuda, CUmodule module, enum gc_kernel kernel,
                        CUfunction *function, struct gc_error *err);

/* The device address of a module's constant bank. */
int gc_cuda_find_constant(const struct gc_cuda_device *cuda, CUmodule module, CUdeviceptr *constant,
                          struct gc_error *err);

/* An attribute of the device; 0 if this driver does not support it. */
int gc_cuda_attribute(const struct gc_cuda_device *cuda, CUdevice_attribute attribute, int *value,
                      struct gc_error *err);

#endif
