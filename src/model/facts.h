/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The static facts of a simulated GPU: the spaces that loads go through, and what the simulated
 * driver reports.
 */
#ifndef GC_MODEL_FACTS_H
#define GC_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gc_space {
  GC_SPACE_CA, /* global load, cached in L1 */
  GC_SPACE_CG, /* global load, cached in L2 only */
  GC_SPACE_NC, /* read-only path */
  GC_SPACE_TEXTURE,
  GC_SPACE_CONSTANT,
  GC_SPACE_SHARED,
  GC_SPACE_SCALAR,      /* global load by the scalar unit (AMD) */
  GC_SPACE_INSTRUCTION, /* code: only in profiles that state where it is cached */
  GC_SPACE_COUNT
};

#define GC_FACTS_RESERVES 4
#define GC_MODEL_HOSTS 32

/* A NUMA node of the host, or another GPU: memory that is reached from this GPU, and not a part of
 * it. The operating system shows the number of a node, its distance from the GPU, and whether it
 * has free memory. */
struct gc_model_host {
  char peer[64];   /* another GPU: the name of its profile, or "*" for all others; a node: empty */
  uint32_t path;   /* to it: 0 through the host, 1 PCIe, 2 NVLink */
  uint32_t node, distance;
  bool full; /* no memory is free */
  uint32_t latency_ns;
  uint32_t atomic_ns; /* of atomic operations; 0: the GPU has none that are native there */
  double read_gbps, write_gbps;                        /* by the SMs */
  double copy_to_gbps, copy_from_gbps, copy_both_gbps; /* by the copy engines; both: in all */
};

/* What the simulated driver reports. The other contents of a profile stay inside the model. */
struct gc_model_facts {
  char model[96];
  char broken[32]; /* a kernel that fails and takes the device with it; empty: none */
  uint32_t xcds;   /* parts with SMs and an L2 of their own; they get blocks alternately */
  uint32_t sms, warp, clock_khz, memory_clock_khz, memory_bus_bits;
  uint32_t running_clock_khz; /* the actual SM clock; clock_khz is the highest possible one */
  uint32_t compute_major, compute_minor;
  uint32_t threads_per_block, threads_per_sm, blocks_per_sm, registers_per_block, registers_per_sm;
  uint32_t cluster_blocks; /* of the largest cluster; 0: there are none */
  uint64_t memory_bytes, memory_used; /* in all; by other programs */
  uint64_t l2_bytes, shared_per_sm, shared_per_block, shared_reserved, texture_texels;
  uint64_t constant_bytes; /* constant memory of a module, as the driver states it */
  /* The driver reserves shared memory for at least `blocks` blocks of fewer than `warps` warps. */
  struct {
    uint32_t warps, blocks;
  } reserves[GC_FACTS_RESERVES];
  unsigned host_count; /* NUMA nodes of the host, and other GPUs */
  struct gc_model_host hosts[GC_MODEL_HOSTS];
  /* What the driver states about the L2; UINT64_MAX: it refuses. */
  uint64_t l2_fetch_limit, l2_persisting, l2_compression;
  bool amd;     /* the profile names a gfx target */
  bool aliases; /* the driver can map memory more than once */
  bool no_aliases; /* the profile says that it cannot */
  bool bulk_copies; /* from global to shared memory */
  bool rotates; /* a launch of one block runs on another SM each time */
  bool global_l1, local_l1, has_texture, has_constant, has_read_only, has_scalar, has_code, has_carveout, ecc;
  bool integrated; /* it uses the memory of the host */
};

#endif
