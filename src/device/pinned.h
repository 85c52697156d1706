/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a NUMA node that a vendor's driver has pinned, and timed copies between it and the GPU:
 * what the back ends of real GPUs have in common.
 */
#ifndef GC_DEVICE_PINNED_H
#define GC_DEVICE_PINNED_H

#include "device/device.h"

struct gc_pinned {
  unsigned char *memory; /* NULL: there is none */
  uint64_t bytes;
  uint64_t address; /* for kernels */
};

#define GC_PINNED_EVENTS (1 + GC_COPIES_AT_ONCE)

/* The calls of a vendor's library. Streams and events have numbers, below GC_COPIES_AT_ONCE and
 * GC_PINNED_EVENTS. They are made at the first use, and end with the device. */
struct gc_pinned_calls {
  /* Pins pinned->memory. *address: where kernels find it. */
  int (*pin)(struct gc_device *device, const struct gc_pinned *pinned, uint32_t node,
             uint64_t *address, struct gc_error *err);
  void (*unpin)(struct gc_device *device, void *memory);
  /* The event happens when the stream is done with what was queued so far. */
  int (*mark)(struct gc_device *device, uint32_t event, uint32_t stream, struct gc_error *err);
  /* The stream waits for the event. */
  int (*follow)(struct gc_device *device, uint32_t stream, uint32_t event, struct gc_error *err);
  int (*queue)(struct gc_device *device, const struct gc_copy *copy, uint32_t stream,
               struct gc_error *err);
  int (*finish)(struct gc_device *device, struct gc_error *err);
  int (*elapsed)(struct gc_device *device, uint32_t from, uint32_t to, float *ms,
                 struct gc_error *err);
};

/* As alloc_on_node in struct gc_device_ops. pinned: bytes is set, and the rest 0. */
int gc_pinned_alloc(struct gc_device *device, const struct gc_pinned_calls *calls,
                    struct gc_pinned *pinned, uint32_t node, struct gc_error *err);
/* Nothing if there is none. */
void gc_pinned_release(struct gc_device *device, const struct gc_pinned_calls *calls,
                       struct gc_pinned *pinned);
/* The host's bytes behind an address; NULL: it is on the device. */
void *gc_pinned_at(const struct gc_pinned *pinned, uint64_t address);
/* As copy in struct gc_device_ops. */
int gc_pinned_copy(struct gc_device *device, const struct gc_pinned_calls *calls,
                   const struct gc_copy *copies, uint32_t n, double *ns, struct gc_error *err);

#endif
