/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The back end for AMD GPUs, over HIP.
 */
#ifndef GC_DEVICE_HIP_H
#define GC_DEVICE_HIP_H

#include "device/device.h"

extern const struct gc_device_ops gc_device_hip;

#endif
