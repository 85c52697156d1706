/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which HIP device is this GPU?
 */
#ifndef GC_DEVICE_HIP_FIND_H
#define GC_DEVICE_HIP_FIND_H

#include "device/hip_device.h"

/* Sets hip->device to the one of HIP's `count` devices that is this GPU. It is the only device at
 * the GPU's place on the PCI bus, if the kernel lists no other GPU there. If the place does not
 * tell it from others, or virtual machines and old versions of HIP show another place, it is the
 * only device with the GPU's UUID, if the kernel lists no other GPU with it. Partitions that have
 * neither are counted, if `all`: HIP shows all GPUs of the kernel, in its order. -ENODEV if there
 * is none, -ENOTUNIQ if it is not certain which device it is. */
int gc_hip_find(struct gc_hip_device *hip, const struct gc_gpu *gpu, int count, bool all,
                struct gc_error *err);

#endif
