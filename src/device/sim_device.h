/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open simulated GPU, and its memory.
 */
#ifndef GC_DEVICE_SIM_DEVICE_H
#define GC_DEVICE_SIM_DEVICE_H

#include "device/sim_block.h"

struct gc_sim_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  char name[16];                   /* "gpu0", for sentences */
  struct gc_model *model;
  const struct gc_model_facts *facts;
  uint64_t next_address;
  struct gc_sim_region *regions;   /* a released one has no host */
  size_t region_count;
  struct gc_sim_texture *textures;
  size_t texture_count;
  unsigned char constants[GC_COPIES_MAX][GPU_CONSTANT_BYTES];
  int carveouts[GC_KERNEL_COUNT];
  uint32_t lone_blocks;            /* launches of one block so far, where these take turns at SMs */
  uint64_t *clocks;                /* of each SM */
  struct gc_error failure;         /* not empty: a kernel went astray, nothing works any more */
};

/* sim_memory.c: these members of the table, and the beginning and end of all memory. */
void gc_sim_memory_init(struct gc_sim_device *sim);
int gc_sim_memory(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                  struct gc_error *err);
int gc_sim_alloc(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err);
void gc_sim_release(struct gc_device *device, uint64_t address);
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
int gc_sim_wide_texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture,
                        struct gc_error *err);
void gc_sim_release_texture(struct gc_device *device, uint64_t texture);
void gc_sim_memory_fini(struct gc_sim_device *sim);

/* The simulated GPU's own failure, if a kernel went astray before; else 0. */
int gc_sim_failed(const struct gc_sim_device *sim, struct gc_error *err);

#endif
