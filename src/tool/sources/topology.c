/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/topology.h"

#include "record/reader.h"
#include "record/xml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A node has at most some hundred GPUs, also with MIG instances and partitions. */
#define MOST_GPUS 4096

/* An open XML element. */
enum what {
  ENCLOSING, /* the topology, or an object that is not part of a GPU; it may contain GPUs */
  PART,      /* an object or info of the present GPU */
  IGNORED    /* something else, with all that is inside */
};

struct topology {
  gc_topology_visitor *visit;
  void *data;
  struct gc_error *err;
  enum what open[GC_RECORD_MAX_DEPTH];
  unsigned depth;          /* open elements */
  unsigned gpu;            /* the depth of the DeviceMemory that is open; 0: none */
  unsigned count;          /* GPUs */
  char name[16];           /* of the present GPU */
  struct gc_reader reader; /* of the present GPU; its record is NULL between GPUs */
};

static int check_root(const struct topology *topology, const char *name, char *const *attributes)
{
  const char *version = gc_reader_attribute(attributes, "version");

  if (strcmp(name, "topology") || !version ||
      (strncmp(version, "2.", 2) && strncmp(version, "3.", 2)))
    return gc_fail(topology->err, -EBADMSG, "not a topology in the XML format of hwloc 2 or 3");
  return 0;
}

/* "gpu0" from the object name "gpu0-Memory 141GiB". */
static void name_gpu(struct topology *topology, const char *object)
{
  const char *dash = object ? strchr(object, '-') : NULL;

  if (dash && (size_t)(dash - object) < sizeof topology->name)
    snprintf(topology->name, sizeof topology->name, "%.*s", (int)(dash - object), object);
  if (!dash || !gc_id_ok(topology->name))
    snprintf(topology->name, sizeof topology->name, "gpu%u", topology->count);
  topology->count++;
}

static int start_gpu(struct topology *topology, char *const *attributes)
{
  static char *const version[] = {"version", "2.0", NULL};
  int status;

  if (topology->count == MOST_GPUS)
    return gc_fail(topology->err, -EBADMSG, "more than %u GPUs", MOST_GPUS);
  topology->gpu = topology->depth + 1;
  *topology->name = '\0';
  name_gpu(topology, gc_reader_attribute(attributes, "name"));
  status = gc_reader_new(&topology->reader, topology->err);
  topology->reader.any_order = true;
  return status ? status : gc_reader_start(&topology->reader, "topology", version);
}

/* Hands the record to the visitor. */
static int end_gpu(struct topology *topology)
{
  struct gc_record *record = topology->reader.record;
  int status = gc_reader_check(&topology->reader);

  topology->gpu = 0;
  if (!status)
    status = gc_infos_own(&record->infos);
  for (size_t i = 0; !status && i < record->count; i++)
    status = gc_infos_own(&record->elements[i].infos);
  if (status)
    return status;
  topology->reader.record = NULL;
  return topology->visit(topology->name, record, topology->data);
}

static enum what judge(const struct topology *topology, const char *name, char *const *attributes)
{
  const enum what outer = topology->open[topology->depth - 1];
  enum gc_kind kind;

  if (outer == IGNORED)
    return IGNORED;
  if (!strcmp(name, "info"))
    return outer == PART ? PART : IGNORED;
  if (strcmp(name, "object"))
    return IGNORED;
  kind = gc_reader_kind(attributes);
  return kind == GC_DEVICE_MEMORY || (topology->gpu && kind != GC_KIND_COUNT) ? PART : ENCLOSING;
}

static int start(void *data, const char *name, char *const *attributes)
{
  struct topology *topology = data;
  enum what what = ENCLOSING;
  int status = 0;

  if (!topology->depth)
    status = check_root(topology, name, attributes);
  else if ((what = judge(topology, name, attributes)) == PART && !topology->gpu)
    status = start_gpu(topology, attributes);
  if (!status && what == PART)
    status = gc_reader_start(&topology->reader, name, attributes);
  topology->open[topology->depth++] = what;
  return status;
}

static int end(void *data)
{
  struct topology *topology = data;
  const unsigned depth = topology->depth--;
  int status = 0;

  if (topology->open[depth - 1] == PART)
    status = gc_reader_end(&topology->reader);
  return status || depth != topology->gpu ? status : end_gpu(topology);
}

static int content(void *data, bool is_blank)
{
  (void)data;
  (void)is_blank;
  return 0;
}

int gc_topology_visit(char *text, size_t length, gc_topology_visitor *visit, void *data,
                      struct gc_error *err)
{
  static const struct gc_xml_receiver receiver = {start, end, content};
  struct topology topology = {.visit = visit, .data = data, .err = err};
  int status = gc_xml_parse(text, length, &receiver, &topology, err);

  gc_record_free(topology.reader.record);
  if (status == -ENOMEM)
    return gc_fail(err, status, "out of memory");
  return status || topology.count ? status
                                  : gc_fail(err, -ENODATA, "no values of hwloc-gpucache");
}
