/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of the driver before which our functions are put into kernels, or must not be in them.
 */
#ifndef GC_TRACE_CALLS_H
#define GC_TRACE_CALLS_H

#include "trace/sample.h"
#include "trace/sanitizer.h"

enum gc_call {
  GC_CALL_OTHER,
  GC_CALL_LAUNCH,
  GC_CALL_LAUNCH_EX,
  GC_CALL_GRAPH_LAUNCH,
  GC_CALL_GRAPH_INSTANTIATE,
  GC_CALL_GRAPH_CHANGE,  /* of an instantiated one */
  GC_CALL_CAPTURE_BEGIN, /* of a stream, which becomes a graph */
  GC_CALL_CAPTURE_END,
  GC_CALL_STREAM_DESTROY,
  GC_CALL_NOT_MEANWHILE /* what launches in another way, uploads a graph, or unloads */
};

enum gc_call gc_call_of(const char *name);

/* The sizes of the grid and of a block of a launch. */
void gc_call_sizes(enum gc_call call, const void *parameters, uint32_t sizes[GC_LAUNCH_SIZES]);

/* The graph that a call launches, changes or has instantiated. */
void *gc_call_graph(enum gc_call call, const void *parameters);

/* The stream of GC_CALL_CAPTURE_BEGIN, GC_CALL_CAPTURE_END and GC_CALL_STREAM_DESTROY. */
const void *gc_call_stream(const void *parameters);

/* Whether the stream is no longer captured after this result of GC_CALL_CAPTURE_END. */
bool gc_call_ends_capture(unsigned result);

#endif
