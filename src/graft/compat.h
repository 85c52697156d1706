/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The differences between hwloc 2.x (component ABI 7, since 2.4) and 3.0 (ABI 8). No other file of
 * this project depends on the version of hwloc.
 */
#ifndef GC_GRAFT_COMPAT_H
#define GC_GRAFT_COMPAT_H

#include <hwloc.h>
#include <hwloc/plugins.h>

#include <stdbool.h>
#include <stdlib.h>

/* Distances that a backend adds: since 2.5. A plugin that was built with a newer hwloc may be loaded
 * by an older one, which lacks the functions: then they are NULL. */
#if HWLOC_API_VERSION >= 0x00020500
#define GC_HWLOC_DISTANCES 1
extern __typeof__(hwloc_backend_distances_add_create) hwloc_backend_distances_add_create
    __attribute__((weak));
extern __typeof__(hwloc_backend_distances_add_values) hwloc_backend_distances_add_values
    __attribute__((weak));
extern __typeof__(hwloc_backend_distances_add_commit) hwloc_backend_distances_add_commit
    __attribute__((weak));
#endif

/* Whether the program wants no distances, or no memory attributes: since 2.8. */
static inline bool gc_hwloc_wants_no_distances(hwloc_topology_t topology)
{
#if HWLOC_API_VERSION >= 0x00020800
  return hwloc_topology_get_flags(topology) & HWLOC_TOPOLOGY_FLAG_NO_DISTANCES;
#else
  (void)topology;
  return false;
#endif
}
static inline bool gc_hwloc_wants_no_memattrs(hwloc_topology_t topology)
{
#if HWLOC_API_VERSION >= 0x00020800
  return hwloc_topology_get_flags(topology) & HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#else
  (void)topology;
  return false;
#endif
}

#if HWLOC_COMPONENT_ABI == 7

#define GC_HWLOC_VALUE_LATENCY HWLOC_DISTANCES_KIND_MEANS_LATENCY
#define GC_HWLOC_VALUE_BANDWIDTH HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH

/* Flag of the XML export: the v2 format, which is the only one that 2.x writes. */
#define GC_HWLOC_EXPORT_XML_V2 0

/* The type of DAX memory in 2.x. Programs do not count it as an accelerator. */
static inline void gc_hwloc_set_memory_osdev(hwloc_obj_t obj)
{
  obj->attr->osdev.type = HWLOC_OBJ_OSDEV_BLOCK;
}

static inline hwloc_obj_t gc_hwloc_pci_parent(hwloc_topology_t topology, unsigned domain,
                                              unsigned bus, unsigned dev, unsigned func)
{
  return hwloc_pci_find_parent_by_busid(topology, domain, bus, dev, func);
}

static inline struct hwloc_backend *gc_hwloc_backend(hwloc_topology_t topology,
                                                     struct hwloc_disc_component *component)
{
  return hwloc_backend_alloc(topology, component);
}

/* The infos of an object. */
static inline unsigned gc_hwloc_info_count(hwloc_obj_t obj)
{
  return obj->infos_count;
}
static inline const struct hwloc_info_s *gc_hwloc_info(hwloc_obj_t obj, unsigned i)
{
  return &obj->infos[i];
}

/* A pointer of the component, in the backend. */
static inline void **gc_hwloc_own_data(struct hwloc_backend *backend)
{
  return &backend->private_data;
}

/* Whether the user or the program asks hwloc to show errors that are not critical. Before 2.5,
 * hwloc_hide_errors() is 0 even if nobody asks, so the variable must be set as well. */
static inline bool gc_hwloc_shows_errors(void)
{
  return getenv("HWLOC_HIDE_ERRORS") && hwloc_hide_errors() == 0;
}

#elif HWLOC_COMPONENT_ABI == 8

#define GC_HWLOC_VALUE_LATENCY HWLOC_DISTANCES_KIND_VALUE_LATENCY
#define GC_HWLOC_VALUE_BANDWIDTH HWLOC_DISTANCES_KIND_VALUE_BANDWIDTH

#define GC_HWLOC_EXPORT_XML_V2 HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V2

static inline void gc_hwloc_set_memory_osdev(hwloc_obj_t obj)
{
  obj->attr->osdev.types = HWLOC_OBJ_OSDEV_MEMORY;
}

static inline hwloc_obj_t gc_hwloc_pci_parent(hwloc_topology_t topology, unsigned domain,
                                              unsigned bus, unsigned dev, unsigned func)
{
  return hwloc_pci_get_parent_by_busid(topology, domain, bus, dev, func);
}

static inline struct hwloc_backend *gc_hwloc_backend(hwloc_topology_t topology,
                                                     struct hwloc_disc_component *component)
{
  return hwloc_backend_alloc(topology, component, sizeof(void *));
}

static inline unsigned gc_hwloc_info_count(hwloc_obj_t obj)
{
  return obj->infos.count;
}
static inline const struct hwloc_info_s *gc_hwloc_info(hwloc_obj_t obj, unsigned i)
{
  return &obj->infos.array[i];
}

static inline void **gc_hwloc_own_data(struct hwloc_backend *backend)
{
  return HWLOC_BACKEND_PRIVATE_DATA(backend);
}

/* As above. In 3.0, HWLOC_SHOW_ERRORS=misc or =all asks for them; HWLOC_HIDE_ERRORS is unused. */
static inline bool gc_hwloc_shows_errors(void)
{
  return HWLOC_SHOW_ERRORS(HWLOC_SHOWMSG_MISC) != 0;
}

#else
#error "hwloc's component ABI must be 7 (hwloc 2.4 to 2.x) or 8 (hwloc 3.0)"
#endif

#endif
