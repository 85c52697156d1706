/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one AMD GPU and loads the kernels.
 */
#ifndef GC_DEVICE_HIP_OPEN_H
#define GC_DEVICE_HIP_OPEN_H

#include "device/hip_device.h"

/* Opens the GPU. The caller sets `ops` of *device and closes it; *device is NULL on failure.
 * Changes ROCm's environment variables, so no other thread may run. */
int gc_hip_open(const struct gc_gpu *gpu, struct gc_hip_device **device, struct gc_error *err);
void gc_hip_close(struct gc_hip_device *hip); /* NULL is fine */

/* What the user can do if HIP shows no GPU. error: errno of opening /dev/kfd, 0 if that works. text
 * receives less than size bytes. */
void gc_hip_advice(int error, char *text, size_t size);

#endif
