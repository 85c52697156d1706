/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * late LIBRARY local|global: loads libhwloc with dlopen, as Python's ctypes and cffi do, then a
 * topology, and prints how many L1 caches of GPUs are in it. With RTLD_LOCAL, plugins do not find
 * the functions of hwloc.
 */
#include <dlfcn.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

static int (*init)(hwloc_topology_t *topology);
static int (*filter)(hwloc_topology_t topology, enum hwloc_type_filter_e how);
static int (*load)(hwloc_topology_t topology);
static hwloc_obj_t (*by_depth)(hwloc_topology_t topology, int depth, unsigned index);
static void (*destroy)(hwloc_topology_t topology);

static int find(void *library)
{
  *(void **)&init = dlsym(library, "hwloc_topology_init");
  *(void **)&filter = dlsym(library, "hwloc_topology_set_io_types_filter");
  *(void **)&load = dlsym(library, "hwloc_topology_load");
  *(void **)&by_depth = dlsym(library, "hwloc_get_obj_by_depth");
  *(void **)&destroy = dlsym(library, "hwloc_topology_destroy");
  return init && filter && load && by_depth && destroy ? 0 : -1;
}

int main(int argc, char **argv)
{
  hwloc_topology_t topology;
  hwloc_obj_t obj;
  unsigned count = 0;
  void *library;

  if (argc != 3) {
    fputs("usage: late LIBRARY local|global\n", stderr);
    return 2;
  }
  library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") ? RTLD_LOCAL : RTLD_GLOBAL));
  if (!library || find(library)) {
    fprintf(stderr, "late: %s\n", dlerror());
    return 1;
  }
  if (init(&topology) || filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) || load(topology))
    return 1;
  for (unsigned i = 0; (obj = by_depth(topology, HWLOC_TYPE_DEPTH_OS_DEVICE, i)); i++)
    count += obj->subtype && !strcmp(obj->subtype, "L1Cache");
  printf("%u\n", count);
  destroy(topology);
  return 0;
}
