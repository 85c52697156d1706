/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps one piece of memory again and again. A large piece takes few calls: on an H200, 128 GiB of
 * addresses in pieces of 256 MiB take 17 ms, in pieces of 2 MiB 120 ms.
 */
#include "device/cuda_alias.h"

#include "device/common.h"
#include "device/cuda_device.h"

#include <errno.h>

#define CUDA(device) ((struct gc_cuda_device *)(device))

static struct gc_cuda_allocation allocation_on(const struct gc_cuda_device *cuda)
{
  return (struct gc_cuda_allocation){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location_type = CU_MEM_LOCATION_TYPE_DEVICE,
                                     .location = cuda->device};
}

/* -ENOTSUP unless the driver can map pieces of this size. */
static int check(const struct gc_cuda_device *cuda, uint64_t bytes, struct gc_error *err)
{
  const struct gc_cuda_allocation allocation = allocation_on(cuda);
  size_t unit = 0;
  int supported = 0, status;

  if (!cuda->driver.cuMemAddressReserve)
    return gc_fail(err, -ENOTSUP, "the driver of %s cannot map memory", cuda->name);
  status = gc_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                             &supported, err);
  if (status)
    return status;
  if (!supported)
    return gc_fail(err, -ENOTSUP, "%s cannot map memory more than once", cuda->name);
  status =
      CUDA_CALL(cuda, err,
                cuMemGetAllocationGranularity(&unit, &allocation, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                "ask for the least memory that %s can map", cuda->name);
  if (status)
    return status;
  return unit && bytes % unit == 0
             ? 0
             : gc_fail(err, -ENOTSUP, "%s maps memory in pieces of %zu bytes", cuda->name, unit);
}

int gc_cuda_alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                  struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  const struct gc_cuda_allocation allocation = allocation_on(cuda);
  struct gc_cuda_aliases *aliases = &cuda->aliases;
  int status;

  *address = 0;
  if (aliases->base)
    return gc_fail(err, -EINVAL, "%s has aliases already", cuda->name);
  if ((status = check(cuda, bytes, err)))
    return status;
  status = CUDA_CALL(cuda, err, cuMemAddressReserve(&aliases->base, span, GC_ALIAS_ALIGNMENT, 0, 0),
                     "reserve %llu addresses of %s", (unsigned long long)span, cuda->name);
  if (status) {
    aliases->base = 0;
    return status == -ENOMEM ? -ENOTSUP : status; /* addresses are missing, not memory */
  }
  aliases->span = span;
  status = CUDA_CALL(cuda, err, cuMemCreate(&aliases->memory, bytes, &allocation, 0),
                     "allocate %llu bytes on %s", (unsigned long long)bytes, cuda->name);
  if (status) {
    gc_cuda_release_alias(device);
    return status;
  }
  aliases->bytes = bytes;
  gc_count_alloc(&cuda->counts, bytes);
  *address = aliases->base;
  return 0;
}

int gc_cuda_alias_until(struct gc_device *device, uint64_t end, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_aliases *aliases = &cuda->aliases;
  const struct gc_cuda_access access = {.location_type = CU_MEM_LOCATION_TYPE_DEVICE,
                                        .location = cuda->device,
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const uint64_t from = aliases->mapped;
  int status = 0;

  if (end > aliases->span || end % aliases->bytes)
    return gc_fail(err, -EINVAL, "%s has no %llu aliased addresses", cuda->name,
                   (unsigned long long)end);
  while (!status && aliases->mapped < end) {
    status = CUDA_CALL(
        cuda, err, cuMemMap(aliases->base + aliases->mapped, aliases->bytes, 0, aliases->memory, 0),
        "map memory of %s", cuda->name);
    aliases->mapped += status ? 0 : aliases->bytes;
  }
  if (status || end <= from)
    return status;
  return CUDA_CALL(cuda, err, cuMemSetAccess(aliases->base + from, end - from, &access, 1),
                   "make %llu aliased addresses of %s usable", (unsigned long long)(end - from),
                   cuda->name);
}

void gc_cuda_release_alias(struct gc_device *device)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_aliases *aliases = &cuda->aliases;

  if (!aliases->base)
    return;
  if (aliases->mapped)
    cuda->driver.cuMemUnmap(aliases->base, aliases->mapped);
  if (aliases->bytes) {
    cuda->driver.cuMemRelease(aliases->memory);
    gc_count_release(&cuda->counts, aliases->bytes);
  }
  cuda->driver.cuMemAddressFree(aliases->base, aliases->span);
  *aliases = (struct gc_cuda_aliases){0};
}
