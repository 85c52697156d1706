/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/probe.h"

#include "device/cuda_driver.h"
#include "device/hip_driver.h"
#include "graft/compat.h"
#include "tool/process/environment.h"
#include "tool/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int load_topology(void)
{
  hwloc_topology_t topology;
  int status = -1;

  gc_environment_give_back(); /* as in another program */
  if (hwloc_topology_init(&topology)) {
    puts("hwloc_topology_init failed");
    return GC_EXIT_FAILED;
  }
  if (!hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) &&
      !hwloc_topology_load(topology))
    status = hwloc_topology_export_xml(topology, "-", GC_HWLOC_EXPORT_XML_V2);
  if (status)
    printf("hwloc cannot load the topology: %s\n", strerror(errno));
  hwloc_topology_destroy(topology);
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static int load_cuda(void)
{
  struct gc_cuda_driver driver;
  struct gc_error err = {""};
  int status = gc_cuda_driver_load(&driver, &err);

  puts(status ? err.text : "libcuda.so.1");
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static int load_hip(void)
{
  struct gc_hip_driver driver;
  struct gc_error err = {""};
  int status = gc_hip_driver_load(&driver, &err);

  puts(status ? err.text : driver.name);
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static int load_plugin(const char *file)
{
  void *plugin = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  const struct hwloc_component *component =
      plugin ? dlsym(plugin, "hwloc_gpucache_component") : NULL;

  if (!component) {
    puts(dlerror());
    return GC_EXIT_FAILED;
  }
  printf("%u\n", component->abi);
  return GC_EXIT_DONE;
}

int gc_doctor_probe(const char *what)
{
  static const char plugin[] = "plugin:";

  if (!strcmp(what, "topology"))
    return load_topology();
  if (!strcmp(what, "cuda"))
    return load_cuda();
  if (!strcmp(what, "hip"))
    return load_hip();
  return strncmp(what, plugin, strlen(plugin)) ? GC_EXIT_USAGE : load_plugin(what + strlen(plugin));
}
