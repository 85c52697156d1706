/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes, and copies to and from it. See device.h.
 */
#ifndef GC_DEVICE_HIP_HOST_H
#define GC_DEVICE_HIP_HOST_H

#include "device/hip_device.h"

/* Members of struct gc_device_ops. */
int gc_hip_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                      uint32_t *count, struct gc_error *err);
int gc_hip_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node, uint64_t *address,
                         struct gc_error *err);
int gc_hip_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                struct gc_error *err);

/* Releases the memory of gc_hip_alloc_on_node, if there is any. */
void gc_hip_release_on_node(struct gc_hip_device *hip);

/* Releases all that these functions made. */
void gc_hip_host_fini(struct gc_hip_device *hip);

#endif
