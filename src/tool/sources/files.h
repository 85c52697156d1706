/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPUs in a file of hwloc XML.
 */
#ifndef GC_TOOL_SOURCES_FILES_H
#define GC_TOOL_SOURCES_FILES_H

#include "record/record.h"
#include "util/error.h"

/* Receives a GPU and owns its record from now on, also if it returns a negative errno, which ends
 * the visit. gpu: "gpu0"; "" in a file with one GPU. */
typedef int gc_files_visitor(const char *gpu, struct gc_record *record, void *data);

/* Reads a file and visits its GPUs. 0; or a negative errno with a sentence that names the file:
 * -ENODATA if there is no GPU of ours in it; -EBADMSG if it is no topology or has bad values;
 * -EFBIG, -ENOMEM, or what open() or read() returned. */
int gc_files_visit(const char *path, gc_files_visitor *visit, void *data, struct gc_error *err);

#endif
