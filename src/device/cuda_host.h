/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes and of other GPUs, and copies to and from it. See device.h.
 */
#ifndef GC_DEVICE_CUDA_HOST_H
#define GC_DEVICE_CUDA_HOST_H

#include "device/cuda_device.h"

/* Members of struct gc_device_ops. */
int gc_cuda_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                       uint32_t *count, struct gc_error *err);
int gc_cuda_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node,
                          uint64_t *address, struct gc_error *err);
int gc_cuda_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                 struct gc_error *err);

int gc_cuda_use(struct gc_device *device, struct gc_error *err);
int gc_cuda_alloc_on_peer(struct gc_device *device, struct gc_device *peer, uint64_t bytes,
                          uint64_t *address, enum gc_peer_path *path, struct gc_error *err);

/* Releases the memory of gc_cuda_alloc_on_node or gc_cuda_alloc_on_peer, if there is any. */
void gc_cuda_release_outside(struct gc_cuda_device *cuda);

/* Releases all that these functions made. */
void gc_cuda_host_fini(struct gc_cuda_device *cuda);

#endif
