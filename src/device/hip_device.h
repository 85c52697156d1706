/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open AMD GPU. hip_open.c makes it; the other files of the back end work with it.
 */
#ifndef GC_DEVICE_HIP_DEVICE_H
#define GC_DEVICE_HIP_DEVICE_H

#include "device/device.h"
#include "device/hip_driver.h"
#include "device/pinned.h"

struct gc_hip_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  struct gc_hip_driver driver;
  bool started;                    /* hipInit was called */
  char name[16];                   /* "gpu0", for messages */
  char model[96];                  /* the name that the kernel driver reports */
  hipDevice_t device;
  bool chosen;                     /* hipSetDevice was called */
  hipModule_t module;
  hipFunction_t functions[GC_KERNEL_COUNT]; /* NULL: of a path that AMD GPUs do not have */
  uint32_t cus;                    /* as the kernel driver counts them; 0: unknown */
  uint32_t threads_per_cu;         /* as the kernel driver states it; 0: unknown */
  uint32_t blocks_alone;           /* launches of at most so many blocks get a CU for each block */
  uint32_t lds_bytes;              /* the most that a block can have */
  enum gc_kernel launched;         /* the last one, for the message if it fails */
  char bus_id[24];                 /* "0000:3b:00.0" */
  struct gc_pinned on_node;        /* memory of a NUMA node */
  hipStream_t streams[GC_COPIES_AT_ONCE]; /* for copies; NULL until first use */
  hipEvent_t events[GC_PINNED_EVENTS];    /* the same */
};

/* Calls a function of the library. 0, or the status of its error and the message "cannot <what was
 * being done>: hipError…". */
#define HIP_CALL(hip, err, call, ...)                                                              \
  gc_hip_status(&(hip)->driver, (hip)->driver.call, err, __VA_ARGS__)

/* An attribute of the device; 0 if this version of HIP does not support it. */
int gc_hip_attribute(const struct gc_hip_device *hip, hipDeviceAttribute_t attribute, int *value,
                     struct gc_error *err);

/* What HIP reports. The kernel driver's numbers of CUs and of threads per CU replace HIP's. */
int gc_hip_properties(const struct gc_hip_device *hip, struct gc_properties *out,
                      struct gc_error *err);

#endif
