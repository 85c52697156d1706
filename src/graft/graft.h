/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the objects of a topology from a record, for the discovery of the plugin and for record
 * files (the tool adds the objects to a synthetic topology and exports it).
 */
#ifndef GC_GRAFT_GRAFT_H
#define GC_GRAFT_GRAFT_H

#include "record/record.h"

#include <hwloc.h>

/* Beginning of GPUCacheStatus of a GPU with driver tables only; ": " and the reason follow. */
#define GC_STATUS_TABLES "facts of the kernel driver (sysfs), nothing measured"

/* Inserts one OS device for each element, nested as in the record, with the outermost under parent.
 * gpu: first word of the object names ("gpu0"). device: the PCI device of the GPU, or NULL when the
 * topology does not show it. The device gets all values flat, as GPUCache<element><key>, and the
 * facts of the whole GPU as GPUCache<key>, both without sources and confidences. The OS devices
 * that are already under it (cuda0, nvml0 …) get GPUCacheUUID and GPUCacheStatus only. The
 * outermost element always gets the facts. status: value of GPUCacheStatus. hwloc copies all
 * strings.
 *
 * Call it during discovery, or on a loaded topology and then call
 * hwloc_topology_reconnect(topology, 0). 0; or -ENOMEM: a part of the objects is inserted,
 * and their GPUCacheStatus says that values are missing. */
int gc_graft_record(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_t device,
                    const char *gpu, const struct gc_record *record, const char *status);

/* A GPU whose objects are in the topology. */
struct gc_grafted {
  const struct gc_record *record;
  hwloc_obj_t memory; /* the object of its outermost element */
  hwloc_obj_t device; /* its PCI device, or NULL */
  hwloc_obj_t node;   /* the NUMA node that is its memory, or NULL */
};

/* The object of the outermost element that gc_graft_record has inserted under parent; NULL: none. */
hwloc_obj_t gc_graft_find(hwloc_obj_t parent, const char *gpu);

/* Memory of the host in hwloc's own structures, for all GPUs of a topology. Memory attributes: the
 * ReadBandwidth and WriteBandwidth (MiB/s) and ReadLatency (ns) of NUMA nodes, with each object of
 * the GPU as initiator: the PCI device, the OS devices under it, our outermost element. Distances:
 * GPUCacheReadBandwidth, GPUCacheWriteBandwidth (MB/s) and GPUCacheLatency (ns) among PCI devices
 * of GPUs and NUMA nodes: a row says how its GPU reaches the others; what is not known is 0. Nodes
 * that the topology does not have are left out. A node that is the memory of a GPU gets the values
 * of DeviceMemory, and GPUCacheUUID; and DeviceMemory gets its number. Call it during discovery. 0;
 * or -ENOMEM: a part is missing. */
int gc_graft_host(hwloc_topology_t topology, const struct gc_grafted *gpus, size_t count);

/* Sets the reason why a GPU has no values: GPUCacheStatus=why on device and the OS devices under
 * it; without device, GPUCacheStatus="gpu: why" on parent. 0 or -ENOMEM. */
int gc_graft_status(hwloc_obj_t parent, hwloc_obj_t device, const char *gpu, const char *why);

#endif
