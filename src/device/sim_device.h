/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An open simulated GPU.
 */
#ifndef GC_DEVICE_SIM_DEVICE_H
#define GC_DEVICE_SIM_DEVICE_H

#include "device/sim_block.h"

#include <errno.h>

struct gc_sim_device {
  const struct gc_device_ops *ops; /* first: see struct gc_device */
  struct gc_device_counts counts;
  char name[16];                   /* "gpu0", for messages */
  char profile[80];                /* the name in its id, "h200" */
  struct gc_model *model;
  const struct gc_model_facts *facts;
  uint64_t next_address;
  struct gc_sim_region *regions;   /* those that are allocated */
  size_t region_count;
  struct gc_sim_rings rings;
  uint64_t aliases;                /* the range of aliases; 0: there is none */
  uint64_t alias_bytes, alias_span;
  struct gc_sim_texture *textures;
  size_t texture_count;
  unsigned char constants[GC_COPIES_MAX][GPU_CONSTANT_BYTES];
  int carveouts[GC_KERNEL_COUNT];
  uint32_t lone_blocks;    /* launches of one block so far, if these rotate over the SMs */
  uint64_t *clocks;        /* of each SM */
  struct gc_error failure; /* not empty: a kernel made an illegal access */
};

/* After a kernel has made an illegal access every function fails with its message. 0: none has. */
static inline int gc_sim_failed(const struct gc_sim_device *sim, struct gc_error *err)
{
  return *sim->failure.text ? gc_fail(err, -EIO, "%s", sim->failure.text) : 0;
}

#endif
