/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Our own formats (doc/traces.md). Version 1 is text for traces of any GPU: each line is a keyword
 * or a number, followed by fields; blanks separate them. Version 2 has the same lines before the
 * instructions of a kernel (tsv_header.h); the instructions are binary (binary.h).
 */
#ifndef GC_PREDICT_TRACE_TSV_H
#define GC_PREDICT_TRACE_TSV_H

#include "predict/trace/format.h"

/* The first line of a file, before a blank and the version. */
#define GC_TSV_MAGIC "hwloc-gpucache-trace"

/* The words of an instruction line, by enum gc_trace_operation and enum gc_trace_hint. */
extern const char *const gc_tsv_operations[GC_TRACE_OTHER + 1];
extern const char *const gc_tsv_hints[GC_TRACE_READ_ONLY + 1];

/* An instruction line. */
struct gc_tsv_line {
  uint64_t block, warp;
  struct gc_trace_instruction instruction; /* mask 0: nothing happens */
};

/* Reads an instruction line of a kernel with warps of this many threads. NULL, or what is wrong. */
const char *gc_tsv_read_line(const char *text, unsigned warp_threads, struct gc_tsv_line *line);

#endif
