/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the back end for a GPU.
 */
#include "device/open.h"

#include "device/cuda.h"
#include "device/hip.h"
#include "device/sim.h"

#include <errno.h>

int gc_device_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  if (*gpu->problem)
    return gc_fail(err, -ENODEV, "%s", gpu->problem);
  switch (gpu->vendor) {
  case GC_VENDOR_NVIDIA:
    return gc_device_cuda.open(gpu, device, err);
  case GC_VENDOR_SIM:
    return gc_device_sim.open(gpu, device, err);
  case GC_VENDOR_AMD:
    return gc_device_hip.open(gpu, device, err);
  }
  return gc_fail(err, -ENOTSUP, "%s (%s): no back end for its vendor", gpu->name,
                 gpu->identity.model);
}
