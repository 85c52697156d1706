/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the NUMA node whose memory each GPU reads fastest: the place for its host buffers. It uses
 * hwloc's memory attributes only. hwloc has this attribute since 2.8.
 *
 *   cc -o best-node best-node.c $(pkg-config --cflags --libs hwloc)
 */
#include <hwloc.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
  hwloc_topology_t topology;
  hwloc_memattr_id_t read_bandwidth;
  hwloc_obj_t gpu = NULL;

  hwloc_topology_init(&topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_load(topology);
  if (hwloc_memattr_get_by_name(topology, "ReadBandwidth", &read_bandwidth)) {
    fprintf(stderr, "best-node: this hwloc has no attribute ReadBandwidth\n");
    hwloc_topology_destroy(topology);
    return 1;
  }
  while ((gpu = hwloc_get_next_pcidev(topology, gpu))) {
    struct hwloc_location from = {.type = HWLOC_LOCATION_TYPE_OBJECT, .location.object = gpu};
    hwloc_uint64_t mibps;
    hwloc_obj_t node;

    if (!hwloc_memattr_get_best_target(topology, read_bandwidth, &from, 0, &node, &mibps))
      printf("%04x:%02x:%02x.%x: NUMA node %u, %" PRIu64 " MiB/s\n", gpu->attr->pcidev.domain,
             gpu->attr->pcidev.bus, gpu->attr->pcidev.dev, gpu->attr->pcidev.func, node->os_index,
             (uint64_t)mibps);
  }
  hwloc_topology_destroy(topology);
  return 0;
}
