/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The few things that hwloc 2.x (component ABI 7, since 2.4) and 3.0 (ABI 8) call by different
 * names. Nothing else in this project asks for hwloc's version.
 */
#ifndef GC_GRAFT_COMPAT_H
#define GC_GRAFT_COMPAT_H

#include <hwloc.h>
#include <hwloc/plugins.h>

#include <stdbool.h>

#if HWLOC_COMPONENT_ABI == 7

/* Flag of the XML export: the v2 format, which is the only one that 2.x writes. */
#define GC_HWLOC_EXPORT_XML_V2 0

/* The type of DAX memory in 2.x; one that nobody counts as an accelerator. */
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

/* Whether hwloc was told to show errors that are not critical. */
static inline bool gc_hwloc_shows_errors(void)
{
  return hwloc_hide_errors() == 0;
}

#elif HWLOC_COMPONENT_ABI == 8

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
  return hwloc_backend_alloc(topology, component, 0);
}

static inline bool gc_hwloc_shows_errors(void)
{
  return HWLOC_SHOW_ERRORS(HWLOC_SHOWMSG_MISC) != 0;
}

#else
#error "hwloc's component ABI must be 7 (hwloc 2.4 to 2.x) or 8 (hwloc 3.0)"
#endif

#endif
