/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The back end for NVIDIA GPUs, over the CUDA driver API.
 */
#ifndef GC_DEVICE_CUDA_H
#define GC_DEVICE_CUDA_H

#include "device/device.h"

extern const struct gc_device_ops gc_device_cuda;

#endif
