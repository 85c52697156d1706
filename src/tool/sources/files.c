/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/files.h"

#include "tool/regular.h"
#include "tool/sources/objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The XML of a node with eight GPUs has 2 MB. */
#define MOST_BYTES (256u << 20)

static int load(const char *path, char **text, size_t *length, struct gc_error *err)
{
  const int status = gc_regular_load(path, MOST_BYTES, text, length);

  switch (status) {
  case -EBADMSG:
    return gc_fail(err, status, "%s is not a regular file", path);
  case -EFBIG:
    return gc_fail(err, status, "%s has more than %u MiB", path, MOST_BYTES >> 20);
  case -ENOMEM:
    return gc_fail(err, status, "%s: out of memory", path);
  default:
    return status ? gc_fail(err, status, "%s: %s", path, strerror(-status)) : 0;
  }
}

/* "gpu0" from the object name "gpu0-Memory 141GiB". */
static void gpu_of(hwloc_obj_t memory, unsigned number, char gpu[16])
{
  const char *dash = memory->name ? strchr(memory->name, '-') : NULL;

  if (dash && dash > memory->name && dash - memory->name < 16)
    snprintf(gpu, 16, "%.*s", (int)(dash - memory->name), memory->name);
  else
    snprintf(gpu, 16, "gpu%u", number);
}

/* Visits the GPUs of a topology. */
static int visit_topology(hwloc_topology_t topology, gc_files_visitor *visit, void *data,
                          struct gc_error *err)
{
  hwloc_obj_t obj = NULL;
  unsigned count = 0;
  int status = 0;

  while (!status && (obj = hwloc_get_next_osdev(topology, obj))) {
    struct gc_record *record;
    char gpu[16];

    if (!obj->subtype || gc_kind_by_subtype(obj->subtype) != GC_DEVICE_MEMORY)
      continue;
    gpu_of(obj, count++, gpu);
    status = gc_objects_record(obj, &record, err);
    if (!status)
      status = visit(gpu, record, data);
  }
  return status || count ? status : gc_fail(err, -ENODATA, "no GPU of hwloc-gpucache is in it");
}

/* hwloc prints nothing about XML that it cannot import, unless variables ask for it. */
static int visit_xml(const char *text, size_t length, gc_files_visitor *visit, void *data,
                     struct gc_error *err)
{
  hwloc_topology_t topology;
  int status;

  if (hwloc_topology_init(&topology))
    return gc_fail(err, -ENOMEM, "out of memory");
  if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
      hwloc_topology_set_xmlbuffer(topology, text, (int)length + 1) ||
      hwloc_topology_load(topology))
    status = gc_fail(err, -EBADMSG, "not a topology in the XML format of hwloc");
  else
    status = visit_topology(topology, visit, data, err);
  hwloc_topology_destroy(topology);
  return status;
}

/* The reader of records is faster than libhwloc, so it tries first. */
static int visit_text(const char *text, size_t length, gc_files_visitor *visit, void *data,
                      struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_record_read_xml(text, length, &record, err);

  if (status == -EBADMSG)
    return visit_xml(text, length, visit, data, err);
  return status ? gc_fail(err, status, "out of memory") : visit("", record, data);
}

int gc_files_visit(const char *path, gc_files_visitor *visit, void *data, struct gc_error *err)
{
  size_t length = 0;
  char *text = NULL;
  int status = load(path, &text, &length, err);

  if (status)
    return status;
  status = visit_text(text, length, visit, data, err);
  if (status)
    gc_fail_in(err, status, path);
  free(text);
  return status;
}
