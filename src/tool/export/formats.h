/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The formats of "export", as a table. A new format is a file with one function, and one line here
 * and in formats.c.
 */
#ifndef GC_TOOL_EXPORT_FORMATS_H
#define GC_TOOL_EXPORT_FORMATS_H

#include "record/record.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes a record in a format into a buffer, which has a part of the text after a failure. gpu:
 * "gpu0". 0, or a negative errno with a sentence: -ENODATA if the record lacks a value that the
 * format requires; -ENOMEM. Failures of writing to out are found by the caller (ferror). */
typedef int gc_format_writer(const struct gc_record *record, const char *gpu, FILE *out,
                             struct gc_error *err);

gc_format_writer gc_format_xml;      /* hwloc XML, as a record is stored */
gc_format_writer gc_format_mt4g;     /* JSON as MT4G 1.x writes it, for sys-sage's ParseMt4g */
gc_format_writer gc_format_mt4g_csv; /* CSV of MT4G 0.1, for GPUscout-GUI and ParseMt4g_v0_1 */
gc_format_writer gc_format_accelsim; /* fragment of a gpgpusim.config of GPGPU-Sim, Accel-Sim */
gc_format_writer gc_format_inductor; /* an entry of PyTorch's table of GPUs, in Python */
gc_format_writer gc_format_roofline; /* JSON with the bandwidths of all elements */

struct gc_format {
  const char *name;
  bool nvidia_only; /* the programs that read it know no other GPUs */
  gc_format_writer *write;
};

/* The format with this name; the first one, xml, if name is NULL. NULL: there is no such format,
 * and err has a sentence with the names of all formats. */
const struct gc_format *gc_format_find(const char *name, struct gc_error *err);

/* The whole text of the export: malloc'ed, *length does not count its NUL. 0, or a negative errno
 * with a sentence. */
int gc_format_text(const struct gc_format *format, const struct gc_record *record, const char *gpu,
                   char **text, size_t *length, struct gc_error *err);

#endif
