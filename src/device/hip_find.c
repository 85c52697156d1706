/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the HIP device of a GPU. Partitions of a GPU differ in the function of their bus id (HIP of
 * ROCm 6.2 and newer; older versions report function 0), or in their UUIDs (newer kernels), or in
 * nothing but their order, which is that of the kernel.
 */
#include "device/hip_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UUID_PREFIX "GPU-"
#define UUID_DIGITS 16

/* The devices of HIP that may be the GPU. */
struct candidates {
  int near;              /* number of devices at the GPU's PCI bus and device number */
  int there;             /* number of these that have its function, too */
  int named;             /* number of devices that have its UUID */
  bool functions;        /* HIP reports functions other than 0 there */
  hipDevice_t at_place;  /* the last one that is there */
  hipDevice_t with_uuid; /* the last one that has its UUID */
  hipDevice_t in_order;  /* the one before which as many devices are near as the kernel lists */
};

static int look_at_place(const struct gc_hip_device *hip, hipDevice_t device,
                         const struct gc_gpu *gpu, struct candidates *found, struct gc_error *err)
{
  unsigned domain, bus, dev, func;
  char id[32] = "";
  int status = HIP_CALL(hip, err, hipDeviceGetPCIBusId(id, sizeof(id), device),
                        "ask HIP for the bus id of %s", gpu->name);

  if (status || !gpu->has_pci || sscanf(id, "%x:%x:%x.%x", &domain, &bus, &dev, &func) != 4 ||
      domain != gpu->domain || bus != gpu->bus || dev != gpu->dev)
    return status;
  if ((unsigned)found->near++ == gpu->amd.before)
    found->in_order = device;
  found->functions |= func != 0;
  if (func == gpu->func) {
    found->there++;
    found->at_place = device;
  }
  return 0;
}

/* The 16 bytes are hexadecimal digits as text. */
static int look_at_uuid(const struct gc_hip_device *hip, hipDevice_t device,
                        const struct gc_gpu *gpu, struct candidates *found, struct gc_error *err)
{
  hipUUID uuid = {{0}};
  int status =
      HIP_CALL(hip, err, hipDeviceGetUuid(&uuid, device), "ask HIP for the UUID of %s", gpu->name);

  if (!status && !memcmp(uuid.bytes, gpu->amd.uuid + strlen(UUID_PREFIX), UUID_DIGITS)) {
    found->named++;
    found->with_uuid = device;
  }
  return status;
}

typedef int look(const struct gc_hip_device *hip, hipDevice_t device, const struct gc_gpu *gpu,
                 struct candidates *found, struct gc_error *err);

static int look_at_all(const struct gc_hip_device *hip, const struct gc_gpu *gpu, int count,
                       look *look, struct candidates *found, struct gc_error *err)
{
  hipDevice_t device;
  int status = 0;

  for (int i = 0; !status && i < count; i++) {
    status = HIP_CALL(hip, err, hipDeviceGet(&device, i), "open HIP device %d", i);
    if (!status)
      status = look(hip, device, gpu, found, err);
  }
  return status;
}

static int refuse(const struct gc_gpu *gpu, int count, const struct candidates *found,
                  struct gc_error *err)
{
  if (!found->near)
    return gc_fail(err, -ENODEV, "HIP shows %d device%s, none of which is %s (%s)", count,
                   count == 1 ? "" : "s", gpu->name, gpu->identity.id);
  if (found->functions)
    return gc_fail(err, -ENODEV,
                   "HIP shows %d device%s in the place of %s (%s), none of which is %s",
                   found->near, found->near == 1 ? "" : "s", gpu->name, gpu->identity.id,
                   gpu->name);
  return gc_fail(err, -ENOTUNIQ,
                 "HIP shows %d device%s in the place of %s (%s), where the kernel lists %u, and "
                 "does not report which is which; try a newer ROCm (6.2 reports the number of a "
                 "partition)",
                 found->near, found->near == 1 ? "" : "s", gpu->name, gpu->identity.id,
                 gpu->amd.parts);
}

int gc_hip_find(struct gc_hip_device *hip, const struct gc_gpu *gpu, int count, bool all,
                struct gc_error *err)
{
  const struct gc_amd *amd = &gpu->amd;
  struct candidates found = {0};
  int status = look_at_all(hip, gpu, count, look_at_place, &found, err);

  hip->device = found.at_place;
  if (status || (found.there == 1 && amd->own_bus_id))
    return status;
  hip->device = found.with_uuid;
  if (amd->own_uuid && (status = look_at_all(hip, gpu, count, look_at_uuid, &found, err)))
    return status;
  hip->device = found.with_uuid;
  if (found.named == 1)
    return 0;
  hip->device = found.in_order;
  if (all && !found.functions && found.near > 0 && (unsigned)found.near == amd->parts)
    return 0;
  return refuse(gpu, count, &found, err);
}
