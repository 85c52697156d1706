/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a GPU with the back end for its vendor.
 */
#ifndef GC_DEVICE_OPEN_H
#define GC_DEVICE_OPEN_H

#include "device/device.h"

/* Opens the GPU. gc_ops(*device)->close releases *device, which is NULL on failure. Errors as in
 * device.h. The back ends change environment variables before they load the vendor's library, so no
 * other thread may run. */
int gc_device_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);

/* Opens n GPUs of one vendor, so that they see each other (struct gc_peer). On failure none is
 * open, and all devices[i] are NULL; -ENOTSUP if the back end cannot measure other GPUs. This
 * thread works with the last one; see `use`. */
int gc_device_open_several(const struct gc_gpu *const *gpus, size_t n, struct gc_device **devices,
                           struct gc_error *err);

#endif
