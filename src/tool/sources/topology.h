/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records from the XML of a topology, which may come from anybody. libhwloc does not parse it,
 * because its import trusts a topology and recurses once for each level. Each GPU is read by the
 * code that reads records, and is checked like a record.
 */
#ifndef GC_TOOL_SOURCES_TOPOLOGY_H
#define GC_TOOL_SOURCES_TOPOLOGY_H

#include "record/record.h"
#include "util/error.h"

/* Receives a GPU and owns its record from now on, also if it returns a negative errno, which ends
 * the visit. gpu: "gpu0"; "" in the file of a single record. */
typedef int gc_topology_visitor(const char *gpu, struct gc_record *record, void *data);

/* Visits the DeviceMemory objects in the order of the text, which is changed; there must be a NUL
 * at text[length]. Objects of unknown kinds in a GPU (of a later version) are left out; elements in
 * them are read. 0; -ENODATA if there is no GPU; -EBADMSG: as gc_xml_parse and gc_record_read_xml;
 * -ENOMEM; each with a sentence. */
int gc_topology_visit(char *text, size_t length, gc_topology_visitor *visit, void *data,
                      struct gc_error *err);

#endif
