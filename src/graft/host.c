/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host and of other GPUs, and a GPU's own memory that is a NUMA node, as the GPU
 * reaches it, in hwloc's own structures.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "graft/graft.h"

#include "graft/compat.h"
#include "record/lists.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB_PER_GB (1e9 / (1 << 20))

/* hwloc has these attributes since 2.8; earlier ones do not know the names, and get none. */
static const struct host_value {
  const char *key, *own_key; /* of host memory, by node; of the GPU's own memory */
  const char *peer_key;      /* of other GPUs' memory, by UUID */
  const char *attribute, *distances;
  unsigned long kind;
  double attribute_unit, distance_unit; /* of what hwloc gets, in the unit of the key */
} host_values[] = {
    {HWLOC_GPUCACHE_HOST_READ_GBPS, HWLOC_GPUCACHE_READ_GBPS,
     HWLOC_GPUCACHE_PEER_READ_GBPS, "ReadBandwidth", "GPUCacheReadBandwidth",
     GC_HWLOC_VALUE_BANDWIDTH, MIB_PER_GB, 1e3},
    {HWLOC_GPUCACHE_HOST_WRITE_GBPS, HWLOC_GPUCACHE_WRITE_GBPS,
     HWLOC_GPUCACHE_PEER_WRITE_GBPS, "WriteBandwidth", "GPUCacheWriteBandwidth",
     GC_HWLOC_VALUE_BANDWIDTH, MIB_PER_GB, 1e3},
    {HWLOC_GPUCACHE_HOST_LATENCY_NS, HWLOC_GPUCACHE_LATENCY_NS,
     HWLOC_GPUCACHE_PEER_LATENCY_NS, "ReadLatency", "GPUCacheLatency",
     GC_HWLOC_VALUE_LATENCY, 1, 1},
};

hwloc_obj_t gc_graft_find(hwloc_obj_t parent, const char *gpu)
{
  const size_t length = strlen(gpu);
  hwloc_obj_t child = parent->io_first_child;

  while (child && !(child->type == HWLOC_OBJ_OS_DEVICE && child->name &&
                    !strncmp(child->name, gpu, length) && child->name[length] == '-'))
    child = child->next_sibling;
  return child;
}

/* The nodes that have a value of a GPU: its own one, then those of the list. */
struct values {
  const struct gc_grafted *gpu;
  const char *own, *list;
};

static const struct gc_infos *infos_of(const struct gc_grafted *gpu)
{
  return gpu->record->count ? &gpu->record->elements[0].infos : &gpu->record->infos;
}

static struct values values_of(const struct gc_grafted *gpu, const struct host_value *of)
{
  const struct gc_infos *infos = infos_of(gpu);

  return (struct values){.gpu = gpu,
                         .own = gpu->node ? gc_infos_get(infos, of->own_key) : NULL,
                         .list = gc_infos_get(infos, of->key)};
}

/* The next node that the topology has, or NULL. An earlier measurement may have taken the GPU's own
 * node for one of the host: what was measured of DeviceMemory counts. */
static hwloc_obj_t next_node(hwloc_topology_t topology, struct values *values, double *value)
{
  const char *own = values->own;
  uint64_t number;

  values->own = NULL;
  if (own && gc_number_read(own, value))
    return values->gpu->node;
  while (gc_node_value_next(&values->list, &number, value)) {
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE, node)))
      if (node->os_index == number && node != values->gpu->node)
        return node;
  }
  return NULL;
}

/* What the list of a GPU says of another one. */
static bool find_peer(const struct gc_grafted *gpu, const struct gc_grafted *other, const char *key,
                      double *value)
{
  struct gc_peer_entry entry;

  return gc_peer_find(gc_infos_get(infos_of(gpu), key), other->record->identity.id, &entry) &&
         gc_number_read(entry.text, value);
}

/* Both objects of a memory that is a NUMA node name the other one. */
static int link_node(const struct gc_grafted *gpu)
{
  char number[16];

  if (!gpu->node)
    return 0;
  snprintf(number, sizeof(number), "%u", gpu->node->os_index);
  return hwloc_obj_add_info(gpu->node, HWLOC_GPUCACHE_UUID, gpu->record->identity.id) ||
                 hwloc_obj_add_info(gpu->memory, HWLOC_GPUCACHE_NUMA_NODE, number)
             ? -ENOMEM
             : 0;
}

/* --- memory attributes ----------------------------------------------------------------------- */

static int set(hwloc_topology_t topology, hwloc_memattr_id_t id, hwloc_obj_t node,
               hwloc_obj_t initiator, double value)
{
  struct hwloc_location from = {.type = HWLOC_LOCATION_TYPE_OBJECT, .location.object = initiator};

  return hwloc_memattr_set_value(topology, id, node, &from, 0, (hwloc_uint64_t)(value + 0.5))
             ? -ENOMEM
             : 0;
}

/* All objects of the GPU reach the node in the same way. */
static int set_all(hwloc_topology_t topology, hwloc_memattr_id_t id, hwloc_obj_t node,
                   const struct gc_grafted *gpu, double value)
{
  int status = set(topology, id, node, gpu->memory, value);

  if (!status && gpu->device)
    status = set(topology, id, node, gpu->device, value);
  for (hwloc_obj_t child = gpu->device ? gpu->device->io_first_child : NULL; !status && child;
       child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && child != gpu->memory)
      status = set(topology, id, node, child, value);
  return status;
}

static int set_attribute(hwloc_topology_t topology, const struct gc_grafted *gpu,
                         const struct host_value *of)
{
  struct values from = values_of(gpu, of);
  hwloc_memattr_id_t id;
  hwloc_obj_t node;
  double value;
  int status = 0;

  if (!hwloc_memattr_get_by_name(topology, of->attribute, &id))
    while (!status && (node = next_node(topology, &from, &value)))
      status = set_all(topology, id, node, gpu, value * of->attribute_unit);
  return status;
}

/* --- distances ------------------------------------------------------------------------------- */

/* The object of a GPU is its PCI device, not our outermost element: lstopo --distances of many
 * versions of hwloc (2.9 is one) crashes at names of OS devices with more than 16 characters. GPUs
 * without a PCI device in the topology are left out. */

#ifdef GC_HWLOC_DISTANCES
/* Whether the matrix has GPU i: it reaches a node or another GPU, or is reached. */
static bool has_row(hwloc_topology_t topology, const struct gc_grafted *gpus, size_t count,
                    size_t i, const struct host_value *of)
{
  struct values from = values_of(&gpus[i], of);
  double value;
  bool has = gpus[i].device && next_node(topology, &from, &value);

  for (size_t k = 0; k < count && gpus[i].device && !has; k++)
    has = gpus[k].device && (find_peer(&gpus[i], &gpus[k], of->peer_key, &value) ||
                             find_peer(&gpus[k], &gpus[i], of->peer_key, &value));
  return has;
}

/* objs: space for all GPUs and NUMA nodes. Returns how many have a value: GPUs, then nodes. */
static unsigned find_objects(hwloc_topology_t topology, const struct gc_grafted *gpus, size_t count,
                             const struct host_value *of, hwloc_obj_t *objs)
{
  unsigned n = 0, first;
  double value;

  for (size_t i = 0; i < count; i++)
    if (has_row(topology, gpus, count, i, of))
      objs[n++] = gpus[i].device;
  first = n;
  for (size_t i = 0; i < count; i++) {
    struct values from = values_of(&gpus[i], of);
    hwloc_obj_t node;

    while (gpus[i].device && (node = next_node(topology, &from, &value))) {
      unsigned k = first;

      while (k < n && objs[k] != node)
        k++;
      if (k == n)
        objs[n++] = node;
    }
  }
  return n;
}

static unsigned index_of(hwloc_obj_t obj, hwloc_obj_t const *objs)
{
  unsigned i = 0;

  while (objs[i] != obj)
    i++;
  return i;
}

/* hwloc takes over both arrays, or frees nothing. */
static int add_distances(hwloc_topology_t topology, const struct gc_grafted *gpus, size_t count,
                         const struct host_value *of)
{
  const unsigned nodes = (unsigned)hwloc_get_nbobjs_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE);
  hwloc_obj_t *objs = calloc(count + nodes, sizeof(*objs));
  const unsigned n = objs ? find_objects(topology, gpus, count, of, objs) : 0;
  hwloc_uint64_t *values = n > 1 ? calloc((size_t)n * n, sizeof(*values)) : NULL;
  hwloc_backend_distances_add_handle_t handle;

  if (!values) {
    free(objs);
    return !objs || n > 1 ? -ENOMEM : 0; /* hwloc wants two objects */
  }
  for (size_t i = 0; i < count; i++) {
    struct values from = values_of(&gpus[i], of);
    hwloc_obj_t node;
    double value;

    while (gpus[i].device && (node = next_node(topology, &from, &value)))
      values[index_of(gpus[i].device, objs) * n + index_of(node, objs)] =
          (hwloc_uint64_t)(value * of->distance_unit + 0.5);
    for (size_t k = 0; k < count && gpus[i].device; k++)
      if (gpus[k].device && find_peer(&gpus[i], &gpus[k], of->peer_key, &value))
        values[index_of(gpus[i].device, objs) * n + index_of(gpus[k].device, objs)] =
            (hwloc_uint64_t)(value * of->distance_unit + 0.5);
  }
  handle = hwloc_backend_distances_add_create(topology, of->distances,
                                              of->kind | HWLOC_DISTANCES_KIND_FROM_USER, 0);
  if (!handle || hwloc_backend_distances_add_values(topology, handle, n, objs, values, 0)) {
    free(values);
    free(objs);
    return -ENOMEM;
  }
  return hwloc_backend_distances_add_commit(topology, handle, 0) ? -ENOMEM : 0;
}
#endif

int gc_graft_host(hwloc_topology_t topology, const struct gc_grafted *gpus, size_t count)
{
  const bool no_memattrs = gc_hwloc_wants_no_memattrs(topology);
  int status = 0;

  for (size_t i = 0; i < count && !status; i++)
    status = link_node(&gpus[i]);
  for (size_t v = 0; v < sizeof(host_values) / sizeof(*host_values); v++) {
    for (size_t i = 0; i < count && !status && !no_memattrs; i++)
      status = set_attribute(topology, &gpus[i], &host_values[v]);
#ifdef GC_HWLOC_DISTANCES
    if (!status && count && hwloc_backend_distances_add_create &&
        !gc_hwloc_wants_no_distances(topology))
      status = add_distances(topology, gpus, count, &host_values[v]);
#endif
  }
  return status;
}
