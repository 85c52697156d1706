/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned memory of a NUMA node, and timed copies.
 */
#include "device/pinned.h"

#include "device/numa.h"

int gc_pinned_alloc(struct gc_device *device, const struct gc_pinned_calls *calls,
                    struct gc_pinned *pinned, uint32_t node, struct gc_error *err)
{
  void *memory;
  int status = gc_numa_map(pinned->bytes, node, &memory, err);

  if (!status) {
    pinned->memory = memory;
    status = calls->pin(device, pinned, node, &pinned->address, err);
    if (status)
      gc_numa_unmap(memory, pinned->bytes);
  }
  if (status)
    *pinned = (struct gc_pinned){0};
  return status;
}

void gc_pinned_release(struct gc_device *device, const struct gc_pinned_calls *calls,
                       struct gc_pinned *pinned)
{
  if (!pinned->memory)
    return;
  calls->unpin(device, pinned->memory);
  gc_numa_unmap(pinned->memory, pinned->bytes);
  *pinned = (struct gc_pinned){0};
}

void *gc_pinned_at(const struct gc_pinned *pinned, uint64_t address)
{
  return address - pinned->address < pinned->bytes ? pinned->memory + (address - pinned->address)
                                                   : NULL;
}

int gc_pinned_copy(struct gc_device *device, const struct gc_pinned_calls *calls,
                   const struct gc_copy *copies, uint32_t n, double *ns, struct gc_error *err)
{
  const uint32_t begin = GC_COPIES_AT_ONCE; /* event i: copy i has ended */
  int status = calls->mark(device, begin, 0, err);

  *ns = 0;
  for (uint32_t i = 1; i < n && !status; i++)
    status = calls->follow(device, i, begin, err);
  for (uint32_t i = 0; i < n && !status; i++) {
    for (uint32_t k = 0; k <= copies[i].again && !status; k++)
      status = calls->queue(device, &copies[i], i, err);
    if (!status)
      status = calls->mark(device, i, i, err);
  }
  if (!status)
    status = calls->finish(device, err);
  for (uint32_t i = 0; i < n && !status; i++) {
    float ms = 0;

    status = calls->elapsed(device, begin, i, &ms, err);
    *ns = ms * 1e6 > *ns ? ms * 1e6 : *ns;
  }
  return status;
}
