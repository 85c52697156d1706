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
  /* As gc_trace_source; NULL: the format does not have it. */
  const char *(*source)(const void *own, uint32_t pc, unsigned *line);
};

struct gc_trace {
  const struct gc_trace_format *format;
  struct gc_stream *stream;
  void *own; /* what the format needs; close() frees it, and may get NULL */
  struct gc_trace_ignored ignored;
  uint64_t kernels; /* so far */
  bool in_kernel;   /* next_block has not yet returned 0 */
  bool ended;       /* the format says that no kernel follows */
  int failed;       /* 0, or the status that all calls return from now on */
};

extern const struct gc_trace_format gc_trace_accelsim, gc_trace_list, gc_trace_paper, gc_trace_tsv;

/* Whether an access of this many bytes lies in global memory. */
static inline bool gc_trace_is_global(uint64_t address, unsigned bytes)
{
  return address <= GC_TRACE_LOCAL - bytes;
}

/* Bits of the threads that a warp has in a block of so many threads. */
static inline uint64_t gc_trace_warp_mask(unsigned block_threads, unsigned lanes, unsigned warp)
{
  const unsigned left = block_threads - warp * lanes, threads = left < lanes ? left : lanes;

  return threads == 64 ? UINT64_MAX : (UINT64_C(1) << threads) - 1;
}

/* Local memory of a thread of NVIDIA's GPUs, and warps there. */
#define GC_TRACE_LOCAL_BYTES (UINT64_C(1) << 24)
#define GC_TRACE_LOCAL_LANES 32
/* The last warp of larger grids would get addresses of more than 63 bits. */
#define GC_TRACE_LOCAL_WARPS (UINT64_C(1) << 33)

/* The address of local memory. The hardware interleaves the threads of a warp, so that threads that
 * access the same offset access neighboring words. Here an access of N bytes at an offset lies at
 *   GC_TRACE_LOCAL + (number of the warp in the grid) * 32 * 16 MiB + offset * 32 + lane * N
 * so a full warp touches the same lines of a cache as in the hardware. */
static inline uint64_t gc_trace_local_address(uint64_t warp, uint64_t offset, unsigned lane,
                                              unsigned bytes)
{
  offset &= (GC_TRACE_LOCAL_BYTES - 1) & ~(uint64_t)(bytes - 1);
  return GC_TRACE_LOCAL + (warp * GC_TRACE_LOCAL_BYTES + offset) * GC_TRACE_LOCAL_LANES +
         (uint64_t)lane * bytes;
}

/* Copies a text of length bytes into a field, cut to fit, and printable. */
static inline void gc_trace_copy_text(char *field, size_t size, const char *text, size_t length)
{
  if (length >= size)
    length = gc_whole_characters(text, size - 1);
  memcpy(field, text, length);
  field[length] = '\0';
  gc_make_printable(field);
}

#endif
