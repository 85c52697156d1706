/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record becomes objects of a topology: the only place that makes them, whether at discovery (the
 * plugin) or for a record's file (the tool, which grafts onto a synthetic topology and exports it).
 */
#ifndef GC_GRAFT_GRAFT_H
#define GC_GRAFT_GRAFT_H

#include "record/record.h"

#include <hwloc.h>

/* The GPUCacheStatus of a GPU whose values are a fresh or a valid earlier measurement. */
#define GC_STATUS_MEASURED "measured"
/* How it begins for a GPU of which only static facts are known; ": " and the reason follow. */
#define GC_STATUS_KNOWN "facts of the kernel driver (sysfs), nothing measured"

/* Inserts one OS device per element, nested as the record nests them, the outermost under parent.
 * gpu: first word of the objects' names ("gpu0"). device: the GPU's own PCI device, or NULL when
 * the topology does not show it; it and the OS devices already under it (cuda0, nvml0 …) get all
 * attributes flat, as GPUCache<element><key>, and the facts of the whole GPU as GPUCache<key>. The
 * outermost element gets these facts in any case. status: value of GPUCacheStatus.
 *
 * Only during discovery, or on a loaded topology that is given to
 * hwloc_topology_reconnect(topology, 0) afterwards. 0 or -ENOMEM (what was inserted until then
 * stays). */
int gc_graft_record(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_t device,
                    const char *gpu, const struct gc_record *record, const char *status);

/* Says why a GPU has no values: GPUCacheStatus=why on device and the OS devices under it; without
 * device, GPUCacheStatus="who: why" on parent. 0 or -ENOMEM. */
int gc_graft_status(hwloc_obj_t parent, hwloc_obj_t device, const char *who, const char *why);

#endif
