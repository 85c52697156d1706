/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a NUMA node of this machine, for the back ends of real GPUs.
 */
#ifndef GC_DEVICE_NUMA_H
#define GC_DEVICE_NUMA_H

#include "device/device.h"

/* The nodes with memory on which this process may allocate, nearest to the PCI device first
 * ("0000:3b:00.0"), at most GC_HOST_NODES_MAX. Nodes that are the memory of a GPU are left out:
 * they are no memory of the host. A kernel without NUMA has the node 0. root: "" for this system,
 * or the root directory of a copied /proc and /sys, where the process may use all nodes. */
void gc_numa_nodes(const char *root, const char *bus_id,
                   struct gc_host_node nodes[GC_HOST_NODES_MAX], uint32_t *count);

/* Memory on that node, aligned to 2 MiB, every page of it in place. bytes: a multiple of 2 MiB.
 * -ENOMEM if the node has too little free memory: nothing is taken from other nodes. */
int gc_numa_map(uint64_t bytes, uint32_t node, void **memory, struct gc_error *err);
void gc_numa_unmap(void *memory, uint64_t bytes);

#endif
