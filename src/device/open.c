/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the back end for a GPU.
 */
#include "device/open.h"

#include "device/cuda.h"
#include "device/cuda_open.h"
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

int gc_device_open_several(const struct gc_gpu *const *gpus, size_t n, struct gc_device **devices,
                           struct gc_error *err)
{
  int status = n && gpus[0]->vendor == GC_VENDOR_NVIDIA ? gc_cuda_show(gpus, n, err) : 0;
  size_t i = 0;

  for (; i < n && !status; i++) {
    struct gc_gpu gpu = *gpus[i];

    gpu.visibility = GC_UNDECIDED; /* the list of visible GPUs stays */
    status = gc_device_open(&gpu, &devices[i], err);
  }
  while (status && i-- > 0) {
    if (devices[i])
      gc_ops(devices[i])->close(devices[i]);
    devices[i] = NULL;
  }
  return status;
}
