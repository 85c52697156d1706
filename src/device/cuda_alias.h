/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Aliases on NVIDIA GPUs, by the driver's functions for virtual memory. See device.h.
 */
#ifndef GC_DEVICE_CUDA_ALIAS_H
#define GC_DEVICE_CUDA_ALIAS_H

#include "device/device.h"

int gc_cuda_alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                  struct gc_error *err);
int gc_cuda_alias_until(struct gc_device *device, uint64_t end, struct gc_error *err);
void gc_cuda_release_alias(struct gc_device *device);

#endif
