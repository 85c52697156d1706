/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lets hwloc write the record as XML, so that lstopo -i draws it: the objects of the record under a
 * machine with one PU.
 */
#include "tool/gpus/hwloc_xml.h"

#include "graft/compat.h"
#include "graft/graft.h"
#include "tool/print/messages.h"

#include <hwloc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *lost_info(const struct gc_infos *infos, const struct gc_infos *back)
{
  for (size_t i = 0; i < infos->count; i++)
    if (!gc_infos_get(back, infos->array[i].name))
      return infos->array[i].name;
  return NULL;
}

/* What the text lacks of the record, or NULL. */
static const char *lost(const struct gc_record *record, const struct gc_record *back)
{
  const char *name = lost_info(&record->infos, &back->infos);

  for (const struct gc_identity_key *key = gc_identity_keys; !name && key->name; key++)
    if (*((const char *)record + key->offset) && !*((const char *)back + key->offset))
      name = key->name;
  if (!name && record->count != back->count)
    name = "an element";
  for (size_t i = 0; !name && i < record->count; i++)
    name = lost_info(&record->elements[i].infos, &back->elements[i].infos);
  return name;
}

/* hwloc's exporter reports no failure when it has no memory for an info: it leaves the info out. */
static int check_text(const struct gc_record *record, const char *xml, size_t length,
                      struct gc_error *err)
{
  struct gc_record *back;
  const char *name;
  int status = gc_record_read_xml(xml, length, &back, err);

  if (status)
    return gc_fail_in(err, status, "hwloc exported no valid record");
  name = lost(record, back);
  if (name)
    status = gc_fail(err, -ENOMEM,
                     "hwloc exported the record without %s; there may be too little "
                     "memory",
                     name);
  gc_record_free(back);
  return status;
}

int gc_export(const struct gc_record *record, const char *gpu, char **xml, size_t *length,
              struct gc_error *err)
{
  hwloc_topology_t topology;
  char *buffer, state[400];
  int bytes, status;

  if (make_topology(&topology))
    return gc_fail(err, -EIO, "hwloc cannot make a topology for the record: %s", strerror(errno));
  gc_record_status(record, NULL, state, sizeof state);
  status = gc_graft_record(topology, hwloc_get_root_obj(topology), NULL, gpu, record, state);
  if (status || hwloc_topology_reconnect(topology, 0) ||
      hwloc_topology_export_xmlbuffer(topology, &buffer, &bytes, GC_HWLOC_EXPORT_XML_V2)) {
    status = gc_fail(err, status ? status : -EIO, "hwloc cannot export the record: %s",
                     strerror(status ? -status : errno));
  } else {
    *length = strlen(buffer); /* bytes counts the NUL */
    status = check_text(record, buffer, *length, err);
    *xml = status ? NULL : strdup(buffer);
    if (!status && !*xml)
      status = gc_fail(err, -ENOMEM, "out of memory");
    hwloc_free_xmlbuffer(topology, buffer);
  }
  hwloc_topology_destroy(topology);
  return status;
}

int gc_show_xml(const struct gc_result *results, size_t count)
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
