/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one NVIDIA GPU and loads the kernels.
 */
#ifndef GC_DEVICE_CUDA_OPEN_H
#define GC_DEVICE_CUDA_OPEN_H

#include "device/cuda_device.h"

/* Opens the GPU. The caller sets `ops` of *device and closes it; *device is NULL on failure.
 * Changes CUDA's environment variables, so no other thread may run. */
int gc_cuda_open(const struct gc_gpu *gpu, struct gc_cuda_device **device, struct gc_error *err);
/* Sets the list of visible GPUs to these, if all of them are known to be visible. Later calls of
 * gc_cuda_open leave it if their GPU is GC_UNDECIDED. */
int gc_cuda_show(const struct gc_gpu *const *gpus, size_t n, struct gc_error *err);

void gc_cuda_close(struct gc_cuda_device *cuda); /* NULL is fine */

#endif
