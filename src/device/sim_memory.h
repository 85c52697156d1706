/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory and textures of a simulated GPU.
 */
#ifndef GC_DEVICE_SIM_MEMORY_H
#define GC_DEVICE_SIM_MEMORY_H

#include "device/sim_device.h"

void gc_sim_memory_init(struct gc_sim_device *sim);
void gc_sim_memory_fini(struct gc_sim_device *sim); /* releases all regions and textures */

/* Members of struct gc_device_ops. */
int gc_sim_memory(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                  struct gc_error *err);
int gc_sim_alloc(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err);
int gc_sim_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                      uint32_t *count, struct gc_error *err);
int gc_sim_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node,
                         uint64_t *address, struct gc_error *err);
int gc_sim_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                struct gc_error *err);
int gc_sim_use(struct gc_device *device, struct gc_error *err);
int gc_sim_alloc_on_peer(struct gc_device *device, struct gc_device *peer, uint64_t bytes,
                         uint64_t *address, enum gc_peer_path *path, struct gc_error *err);
void gc_sim_release(struct gc_device *device, uint64_t address);
int gc_sim_alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                 struct gc_error *err);
int gc_sim_alias_until(struct gc_device *device, uint64_t end, struct gc_error *err);
void gc_sim_release_alias(struct gc_device *device);
int gc_sim_upload(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                  struct gc_error *err);
int gc_sim_download(struct gc_device *device, void *to, uint64_t address, size_t bytes,
                    struct gc_error *err);
int gc_sim_clear(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err);
int gc_sim_upload_constant(struct gc_device *device, size_t offset, const void *from, size_t bytes,
                           struct gc_error *err);
int gc_sim_upload_constant_copy(struct gc_device *device, uint32_t copy, const void *from,
                                struct gc_error *err);
int gc_sim_texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture,
                   struct gc_error *err);
int gc_sim_wide_texture(struct gc_device *device, uint64_t address, uint64_t bytes,
                        uint64_t *texture, struct gc_error *err);
void gc_sim_release_texture(struct gc_device *device, uint64_t texture);

#endif
