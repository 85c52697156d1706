/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of one GPU's node below /sys/class/kfd/kfd/topology/nodes, as kfd_topology.c of Linux
 * writes them: lines with a word and an unsigned decimal number. A missing or wrong number is read
 * as 0, which means "unknown" everywhere.
 */
#ifndef GC_GPUS_KFD_H
#define GC_GPUS_KFD_H

#include <stdbool.h>
#include <stdint.h>

#define GC_KFD_NODES "/sys/class/kfd/kfd/topology/nodes"

/* nodes/N/properties */
struct gc_kfd_node {
  uint64_t simds, simds_per_cu;  /* simds: 0 for a node that is not a GPU */
  uint64_t waves_per_simd, wave_threads;
  uint64_t lds_kib;
  uint64_t caches, banks;        /* how many files there should be */
  uint64_t xccs;                 /* dies with CUs (XCDs); missing in old kernels */
  uint64_t gfx;                  /* 90402: gfx942; missing in old kernels */
  uint64_t vendor, device;       /* PCI ids */
  uint64_t domain, location;     /* PCI bus, device and function as 16 bits */
  uint64_t clock_mhz;
  uint64_t render_minor;         /* of /dev/dri/renderD* */
  uint64_t unique_id;
};

/* Bits of a cache's type. */
#define GC_KFD_DATA 1u
#define GC_KFD_INSTRUCTION 2u
#define GC_KFD_CU 8u /* cache of CUs; an APU lists the caches of CPU cores (4), too */
#define GC_KFD_TYPES 16u

/* nodes/N/caches/I/properties */
struct gc_kfd_cache {
  uint64_t processor; /* the first CU that uses it; disabled CUs keep their numbers */
  uint64_t level, kib, line_bytes, type;
  unsigned cus;       /* that share it: bits set in sibling_map; 0: unknown */
};

/* nodes/N/mem_banks/I/properties */
#define GC_KFD_HEAP_PUBLIC 1u  /* device memory, all of it or a part visible to the host */
#define GC_KFD_HEAP_PRIVATE 2u /* device memory, invisible to the host */
struct gc_kfd_bank {
  uint64_t heap, bytes, bus_bits, clock_mhz;
};

/* Read one file each. dir is a descriptor of the directory of all nodes (gc_kfd_read_node), or
 * of the directory of one node (the others). False: the file is missing or cannot be read. */
bool gc_kfd_read_node(int dir, unsigned number, struct gc_kfd_node *node);
bool gc_kfd_read_cache(int dir, unsigned index, struct gc_kfd_cache *cache);
bool gc_kfd_read_bank(int dir, unsigned index, struct gc_kfd_bank *bank);

#endif
