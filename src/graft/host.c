/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host, as the GPU reaches it, in hwloc's own structures.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "graft/graft.h"

#include "record/lists.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <string.h>

#define MIB_PER_GB (1e9 / (1 << 20))

/* Since hwloc 2.7; earlier ones do not know the names, and get nothing. */
static const struct {
  const char *key, *attribute;
  double unit; /* of the attribute in the unit of the key */
} attributes[] = {
    {HWLOC_GPUCACHE_HOST_READ_GBPS, "ReadBandwidth", MIB_PER_GB},
    {HWLOC_GPUCACHE_HOST_WRITE_GBPS, "WriteBandwidth", MIB_PER_GB},
    {HWLOC_GPUCACHE_HOST_LATENCY_NS, "ReadLatency", 1},
};

/* NULL: the topology does not have it. */
static hwloc_obj_t find_node(hwloc_topology_t topology, uint64_t number)
{
  hwloc_obj_t node = NULL;

  while ((node = hwloc_get_next_obj_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE, node)))
    if (node->os_index == number)
      return node;
  return NULL;
}

/* The object of the outermost element of the GPU. */
static hwloc_obj_t find_memory(hwloc_obj_t parent, const char *gpu)
{
  const size_t length = strlen(gpu);
  hwloc_obj_t child = parent->io_first_child;

  while (child && !(child->type == HWLOC_OBJ_OS_DEVICE && child->name &&
                    !strncmp(child->name, gpu, length) && child->name[length] == '-'))
    child = child->next_sibling;
  return child;
}

static int set(hwloc_topology_t topology, hwloc_memattr_id_t id, hwloc_obj_t node,
               hwloc_obj_t initiator, double value)
{
  struct hwloc_location from = {.type = HWLOC_LOCATION_TYPE_OBJECT, .location.object = initiator};

  return initiator && hwloc_memattr_set_value(topology, id, node, &from, 0,
                                              (hwloc_uint64_t)(value + 0.5))
             ? -ENOMEM
             : 0;
}

/* All objects of the GPU reach the node in the same way. */
static int set_all(hwloc_topology_t topology, hwloc_memattr_id_t id, hwloc_obj_t node,
                   hwloc_obj_t device, hwloc_obj_t memory, double value)
{
  int status = set(topology, id, node, memory, value);

  if (!status)
    status = set(topology, id, node, device, value);
  for (hwloc_obj_t child = device ? device->io_first_child : NULL; !status && child;
       child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && child != memory)
      status = set(topology, id, node, child, value);
  return status;
}

int gc_graft_host(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_t device, const char *gpu,
                  const struct gc_record *record)
{
  const hwloc_obj_t memory = find_memory(parent, gpu);
  int status = 0;

  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes) && record->count; i++) {
    const char *list = gc_infos_get(&record->elements[0].infos, attributes[i].key);
    hwloc_memattr_id_t id;
    uint64_t number;
    double value;

    if (!list || hwloc_memattr_get_by_name(topology, attributes[i].attribute, &id))
      continue;
    while (!status && gc_node_value_next(&list, &number, &value)) {
      const hwloc_obj_t node = find_node(topology, number);

      if (node)
        status = set_all(topology, id, node, device, memory, value * attributes[i].unit);
    }
  }
  return status;
}
