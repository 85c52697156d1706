/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/files.h"

#include "util/regular.h"
#include "tool/sources/topology.h"

#include <errno.h>
#include <stdlib.h>

/* The XML of a node with eight GPUs has 2 MB. */
#define MOST_BYTES (64u << 20)

/* A file with one GPU is usually a record. */
static int visit_text(char *text, size_t length, gc_files_visitor *visit, void *data,
                      struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_record_read_xml(text, length, &record, err);

  if (status == -EBADMSG)
    return gc_topology_visit(text, length, visit, data, err);
  return status ? gc_fail(err, status, "out of memory") : visit("", record, data);
}

int gc_files_visit(const char *path, gc_files_visitor *visit, void *data, struct gc_error *err)
{
  size_t length = 0;
  char *text = NULL;
  int status = gc_regular_load(path, MOST_BYTES, &text, &length, err);

  if (status)
    return status;
  status = visit_text(text, length, visit, data, err);
  if (status)
    gc_fail_in(err, status, path);
  free(text);
  return status;
}
