/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * best-gpu CORE: prints the GPU that reads the memory next to this core with the least latency. Of
 * GPUs with the same latency it prints the first one.
 *
 *   cc -o best-gpu best-gpu.c $(pkg-config --cflags --libs hwloc hwloc-gpucache)
 */
#include <hwloc.h>
#include <hwloc/gpucache.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  hwloc_topology_t topology;
  hwloc_obj_t core, node = NULL, gpu = NULL, best = NULL;
  double ns, least = 0;

  if (argc != 2) {
    fprintf(stderr, "usage: best-gpu CORE\n");
    return 2;
  }
  hwloc_topology_init(&topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_load(topology);
  core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)atoi(argv[1]));
  while (core && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
    if (hwloc_bitmap_isincluded(core->cpuset, node->cpuset))
      break;
  while (node && (gpu = hwloc_gpucache_get_next_gpu(topology, gpu)))
    if (!hwloc_gpucache_get_node_value(gpu, HWLOC_GPUCACHE_HOST_LATENCY_NS, node->os_index, &ns) &&
        (!best || ns < least)) {
      best = gpu;
      least = ns;
    }
  if (best)
    printf("%s, %.0f ns\n", best->name, least);
  else
    printf("no GPU is known to reach that memory\n");
  hwloc_topology_destroy(topology);
  return !best;
}
