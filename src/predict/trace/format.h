/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What open.c and the readers of the formats share. A reader is one entry of a table in open.c.
 */
#ifndef GC_PREDICT_TRACE_FORMAT_H
#define GC_PREDICT_TRACE_FORMAT_H

#include "predict/trace/stream.h"
#include "predict/trace/trace.h"
#include "util/error.h"

#include <stdbool.h>
#include <string.h>

/* No GPU launches blocks with more threads. */
#define GC_TRACE_BLOCK_THREADS 1024

struct gc_trace_format {
  const char *name; /* for a sentence: "a trace of Accel-Sim" */
  /* Whether a file of this format can begin with this line. */
  bool (*matches)(const char *line);
  /* Sets trace->own. The first line is the next one that gc_stream_line returns. */
  int (*open)(struct gc_trace *trace, struct gc_error *err);
  void (*close)(void *own);
  /* As in trace.h. The last block of the kernel before has been read. launch is all 0. */
  int (*next_kernel)(struct gc_trace *trace, struct gc_trace_launch *launch, struct gc_error *err);
  int (*next_block)(struct gc_trace *trace, gc_trace_visitor *visit, void *data, uint64_t *number,
                    struct gc_error *err);
  int (*skip_kernel)(struct gc_trace *trace); /* as gc_trace_skip_kernel */
};

struct gc_trace {
  const struct gc_trace_format *format;
  struct gc_stream *stream;
  void *own; /* what the format needs; close() frees it, and may get NULL */
  struct gc_trace_ignored ignored;
  uint64_t kernels; /* so far */
  bool in_kernel;   /* next_block has not yet returned 0 */
  int failed;       /* 0, or the status that all calls return from now on */
};

extern const struct gc_trace_format gc_trace_accelsim, gc_trace_list, gc_trace_paper, gc_trace_tsv;


/* Whether an access of this many bytes lies in global memory. */
static inline bool gc_trace_is_global(uint64_t address, unsigned bytes)
{
  return address <= GC_TRACE_LOCAL - bytes;
}

/* Copies a text of length bytes into a field, cut to fit, and printable. */
static inline void gc_trace_copy_text(char *field, size_t size, const char *text, size_t length)
{
  if (length >= size)
    length = size - 1;
  memcpy(field, text, length);
  field[length] = '\0';
  gc_make_printable(field);
}

#endif
