/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as the XML that hwloc writes.
 */
#ifndef GC_TOOL_GPUS_HWLOC_XML_H
#define GC_TOOL_GPUS_HWLOC_XML_H

#include "tool/gpus/results.h"

/* Writes the record as XML; gpu is the first word of the object names. *xml is malloc'ed and
 * *length does not count its NUL. The text has all values of the record. 0 or a negative errno with
 * a sentence. Call gc_environment_take first. */
int gc_export(const struct gc_record *record, const char *gpu, char **xml, size_t *length,
              struct gc_error *err);

/* Prints the records as XML. GC_EXIT_DONE, or GC_EXIT_FAILED after a message. */
int gc_show_xml(const struct gc_result *results, size_t count);

#endif
