/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines that both versions of our format have: comments, and the header of a kernel.
 */
#ifndef GC_PREDICT_TRACE_TSV_HEADER_H
#define GC_PREDICT_TRACE_TSV_HEADER_H

#include "predict/trace/format.h"

/* The next line that is no comment, and must be there: 1, or a negative errno with a sentence. */
int gc_tsv_need_line(struct gc_trace *trace, const char **line, struct gc_error *err);

/* Whether the line ends a kernel. */
bool gc_tsv_ends_kernel(const char *line);

/* Reads the header lines after "kernel NAME", up to the first line of another kind, which is the
 * next line then. version is that of the file. 0, or a negative errno with a sentence. */
int gc_tsv_read_header(struct gc_trace *trace, unsigned version, struct gc_trace_launch *launch,
                       struct gc_error *err);

#endif
