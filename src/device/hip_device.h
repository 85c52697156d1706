/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open AMD GPU: what hip_open.c makes and hip.c works with.
 */
#ifndef GC_DEVICE_HIP_DEVICE_H
#define GC_DEVICE_HIP_DEVICE_H

#include "device/device.h"
#include "device/hip_driver.h"

struct gc_hip_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  struct gc_hip_driver driver;
  bool started;                    /* hipInit was called */
  char name[16];                   /* "gpu0", for sentences */
  char model[96];                  /* as the kernel driver calls it */
  hipDevice_t device;
  bool chosen;                     /* it is the one that HIP works with */
  hipModule_t module;
  hipFunction_t functions[GC_KERNEL_COUNT]; /* NULL: a path that AMD GPUs do not have */
  uint32_t cus;                    /* as the kernel driver counts them; 0: it does not */
  uint32_t threads_per_cu;         /* the same */
  uint32_t blocks_alone;           /* a launch of so many blocks can have a CU for each */
  uint32_t lds_bytes;              /* what a block may ask for */
  enum gc_kernel launched;         /* the last one, for the sentence when it failed */
};

/* Calls a function of the library: 0, or the status of its error and "cannot <what was being done>: …". */
#define HIP_CALL(hip, err, call, ...) gc_hip_status(&(hip)->driver, (hip)->driver.call, err, __VA_ARGS__)

int gc_hip_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);
void gc_hip_close(struct gc_device *device);
/* What a person can do when HIP shows nothing. error: errno of opening /dev/kfd, 0 when that works. */
void gc_hip_advice(int error, char *text, size_t size);

/* hip.c: what the interface says, and for the number of CUs what the kernel driver says. */
int gc_hip_properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err);

/* An attribute of the device; 0 where this version of HIP does not know it. */
int gc_hip_attribute(const struct gc_hip_device *hip, hipDeviceAttribute_t attribute, int *value,
                     struct gc_error *err);

#endif
