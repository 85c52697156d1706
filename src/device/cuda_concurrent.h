/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches that run at the same time, each with a constant bank of its own. A kernel sees the one
 * bank of its module, which ends at 64 KiB. So the module is loaded several times, and launches of
 * the copies run in streams side by side.
 */
#ifndef GC_DEVICE_CUDA_CONCURRENT_H
#define GC_DEVICE_CUDA_CONCURRENT_H

#include "device/cuda_device.h"

/* Members of struct gc_device_ops. */
int gc_cuda_upload_constant_copy(struct gc_device *device, uint32_t copy, const void *from,
                                 struct gc_error *err);
int gc_cuda_launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                              const uint32_t *copies, size_t n, struct gc_error *err);

/* Stream i, below GC_CONCURRENT_MAX, which is made at the first use. Streams run at the same time. */
int gc_cuda_stream(struct gc_cuda_device *cuda, size_t i, CUstream *stream, struct gc_error *err);

/* Releases the streams and copies that these functions made. */
void gc_cuda_concurrent_fini(struct gc_cuda_device *cuda);

#endif
