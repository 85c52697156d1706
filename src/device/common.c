/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers for all back ends.
 */
#include "device/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL(name, args, need, work)                                                             \
  {#name, "gpu_" #name, sizeof(struct args), GC_NEED_##need, GC_WORK_##work},
const struct gc_kernel_facts gc_kernels[GC_KERNEL_COUNT] = {GPU_KERNELS(KERNEL)};
#undef KERNEL

int gc_check_args(const struct gc_launch *launch, struct gc_error *err)
{
  const struct gc_kernel_facts *kernel = &gc_kernels[launch->kernel];

  if (launch->args_bytes == kernel->args_bytes)
    return 0;
  return gc_fail(err, -EINVAL, "kernel %s takes %zu bytes of arguments, not %zu", kernel->name,
                 kernel->args_bytes, launch->args_bytes);
}

int gc_check_carveout(int percent, struct gc_error *err)
{
  if (percent >= -1 && percent <= 100)
    return 0;
  return gc_fail(err, -EINVAL, "a shared-memory carve-out of %d percent", percent);
}

void gc_count_alloc(struct gc_device_counts *counts, uint64_t bytes)
{
  counts->device_bytes += bytes;
  if (counts->device_bytes > counts->device_bytes_peak)
    counts->device_bytes_peak = counts->device_bytes;
}

void gc_count_release(struct gc_device_counts *counts, uint64_t bytes)
{
  counts->device_bytes -= bytes < counts->device_bytes ? bytes : counts->device_bytes;
}

void gc_put_attribute(struct gc_properties *properties, const struct gc_attribute *attribute,
                      int value)
{
  const uint64_t wide = (uint64_t)value;
  const uint32_t narrow = (uint32_t)value;
  const bool flag = true;
  char *member = (char *)properties + attribute->offset;

  if (value <= 0)
    return;
  if (attribute->bytes == sizeof(wide))
    memcpy(member, &wide, sizeof(wide));
  else if (attribute->bytes == sizeof(narrow))
    memcpy(member, &narrow, sizeof(narrow));
  else
    memcpy(member, &flag, sizeof(flag));
}

int gc_status_of(unsigned int error, const struct gc_meaning *meanings, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (meanings[i].error == error)
      return meanings[i].status;
  return -EIO;
}

int gc_call_failed(struct gc_error *err, int status, const char *name, const char *doing,
                   va_list args)
{
  char what[256];

  vsnprintf(what, sizeof(what), doing, args);
  return gc_fail(err, status, "cannot %s: %s", what, name);
}

int gc_check_visible(const char *variable, bool empty_counts, const char *hides,
                     struct gc_error *err)
{
  const char *visible = getenv(variable), *first;

  if (!visible || (!*visible && !empty_counts))
    return 0;
  if (!*visible)
    return gc_fail(err, -ENODEV, "%s is empty: it hides every %s", variable, hides);
  first = visible + strspn(visible, " \t");
  if ((*first >= '0' && *first <= '9') || !strncmp(first, "GPU-", 4) || !strncmp(first, "MIG-", 4))
    return 0;
  return gc_fail(err, -ENODEV, "%s is '%s': it hides every %s", variable, visible, hides);
}
