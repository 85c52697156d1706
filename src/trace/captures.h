/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The streams of this process that are being captured. The caller serializes the calls.
 */
#ifndef GC_TRACE_CAPTURES_H
#define GC_TRACE_CAPTURES_H

#include <stdbool.h>

/* context: the one of the calling thread. False: out of memory; the capture is not in the list. */
bool gc_captures_begin(const void *stream, const void *context);

/* The capture ends, or its stream is destroyed. Returns whether the stream was being captured. */
bool gc_captures_end(const void *stream, const void *context);

/* A context is destroyed, and its streams with it. */
void gc_captures_end_all(const void *context);

bool gc_captures_any(void);

#endif
