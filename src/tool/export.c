/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as XML, written by hwloc itself, so that lstopo -i draws it: the record's objects under
 * a machine with one PU.
 */
#include "tool/tool.h"

#include "graft/compat.h"
#include "graft/graft.h"

#include <hwloc.h>
#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hwloc in this process belongs to us: no plugin is loaded (those of vendors open devices, and ours
 * would start us again), and no variable gives it another topology. */
static void take_hwloc(void)
{
  static const char *const others[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT",
                                       "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS", "HWLOC_THISSYSTEM"};

  setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1); /* a path that is no directory: nothing is found */
  setenv(HWLOC_GPUCACHE_ENV, "off", 1);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    unsetenv(others[i]);
}

/* A loaded topology with nothing in it but one PU. */
static int make_topology(hwloc_topology_t *topology)
{
  if (hwloc_topology_init(topology))
    return -1;
  if (!hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL) &&
      !hwloc_topology_set_synthetic(*topology, "pu:1") && !hwloc_topology_load(*topology))
    return 0;
  hwloc_topology_destroy(*topology);
  return -1;
}

int gc_export(const struct gc_record *record, const char *gpu, char **xml, size_t *length,
              struct gc_error *err)
{
  hwloc_topology_t topology;
  char *buffer;
  int bytes, status;

  take_hwloc();
  if (make_topology(&topology))
    return gc_fail(err, -EIO, "hwloc cannot make a topology for the record: %s", strerror(errno));
  status = gc_graft_record(topology, hwloc_get_root_obj(topology), NULL, gpu, record,
                           GC_STATUS_MEASURED);
  if (status || hwloc_topology_reconnect(topology, 0) ||
      hwloc_topology_export_xmlbuffer(topology, &buffer, &bytes, GC_HWLOC_EXPORT_XML_V2)) {
    status = gc_fail(err, status ? status : -EIO, "hwloc cannot export the record: %s",
                     strerror(status ? -status : errno));
  } else {
    *length = strlen(buffer); /* bytes counts the NUL */
    *xml = strdup(buffer);
    if (!*xml)
      status = gc_fail(err, -ENOMEM, "out of memory");
    hwloc_free_xmlbuffer(topology, buffer);
  }
  hwloc_topology_destroy(topology);
  return status;
}

int gc_report_xml(const struct gc_result *results, size_t count)
{
  int worst = GC_EXIT_DONE;

  for (size_t i = 0; i < count; i++) {
    struct gc_error err = {""};
    char *xml = NULL;
    size_t length;

    if (!results[i].record)
      continue;
    if (gc_export(results[i].record, results[i].gpu->name, &xml, &length, &err)) {
      gc_say(results[i].gpu->name, "%s", err.text);
      worst = GC_EXIT_FAILED;
    } else {
      fwrite(xml, 1, length, stdout);
    }
    free(xml);
  }
  return worst;
}
