/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The back end for simulated GPUs: the kernels over the model of src/model.
 */
#ifndef GC_DEVICE_SIM_H
#define GC_DEVICE_SIM_H

#include "device/device.h"

extern const struct gc_device_ops gc_device_sim;

#endif
