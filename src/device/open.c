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

static const struct gc_device_ops *ops_of(enum gc_vendor vendor)
{
  switch (vendor) {
  case GC_VENDOR_NVIDIA:
    return &gc_device_cuda;
  case GC_VENDOR_SIM:
    return &gc_device_sim;
  case GC_VENDOR_AMD:
    return &gc_device_hip;
  }
  return NULL;
}

int gc_device_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  const struct gc_device_ops *ops = ops_of(gpu->vendor);

  if (*gpu->problem)
    return gc_fail(err, -ENODEV, "%s", gpu->problem);
  return ops ? ops->open(gpu, device, err)
             : gc_fail(err, -ENOTSUP, "%s (%s): no back end for its vendor", gpu->name,
                       gpu->identity.model);
}

int gc_device_open_several(const struct gc_gpu *const *gpus, size_t n, struct gc_device **devices,
                           struct gc_error *err)
{
  const struct gc_device_ops *ops = n ? ops_of(gpus[0]->vendor) : NULL;
  size_t i = 0;
  int status;

  if (!ops || !ops->alloc_on_peer)
    return gc_fail(err, -ENOTSUP, "this program cannot measure that with %s",
                   ops ? ops->name : "this vendor's library");
  status = ops == &gc_device_cuda ? gc_cuda_show(gpus, n, err) : 0;

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
