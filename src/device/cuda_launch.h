/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One launch of a kernel on an NVIDIA GPU.
 */
#ifndef GC_DEVICE_CUDA_LAUNCH_H
#define GC_DEVICE_CUDA_LAUNCH_H

#include "device/cuda_device.h"

/* Allows the launch's kernel the dynamic shared memory that the launch needs. */
int gc_cuda_allow_shared(struct gc_cuda_device *cuda, const struct gc_launch *launch,
                         struct gc_error *err);

/* Queues a launch of `function`, which is the kernel of *launch in some module. stream NULL: the
 * default stream. */
int gc_cuda_launch(struct gc_cuda_device *cuda, const struct gc_launch *launch, CUfunction function,
                   CUstream stream, struct gc_error *err);

/* The blocks of the largest cluster on a GPU with so many SMs. 0: the GPU or its driver has no
 * clusters. */
int gc_cuda_find_cluster_blocks(struct gc_cuda_device *cuda, uint32_t sms, uint32_t *blocks,
                                struct gc_error *err);

#endif
