/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints capacity and latency of the L1 cache of each GPU in the topology of this machine.
 */
#include <hwloc.h>
#include <hwloc/gpucache.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
  hwloc_topology_t topology;
  hwloc_obj_t gpu = NULL, l1;
  uint64_t bytes;
  double cycles;

  hwloc_topology_init(&topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_load(topology);
  while ((gpu = hwloc_gpucache_get_next_gpu(topology, gpu))) {
    l1 = hwloc_gpucache_get_element(topology, gpu, HWLOC_GPUCACHE_L1);
    if (l1 && !hwloc_gpucache_get_u64(l1, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes) &&
        !hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_LATENCY_CYCLES, &cycles))
      printf("%s: %" PRIu64 " bytes, %.1f cycles\n", l1->name, bytes, cycles);
  }
  hwloc_topology_destroy(topology);
  return 0;
}
