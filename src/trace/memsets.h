/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What memsets and copies of the driver touched in the memory of a GPU before a launch. Copies from
 * and to the host leave nothing in L2 (doc/results/predict.md) and are left out.
 */
#ifndef GC_TRACE_MEMSETS_H
#define GC_TRACE_MEMSETS_H

#include "predict/trace/touched.h"
#include "trace/sanitizer.h"

#include <stdio.h>

/* Adds what the driver is about to do; of more than fit, the last ones stay. */
void gc_touched_by_memset(struct gc_trace_touched *touched, const Sanitizer_MemsetData *data);
void gc_touched_by_copy(struct gc_trace_touched *touched, const Sanitizer_MemcpyData *data);

/* Writes them as lines of a header (doc/traces.md). */
void gc_touched_write(const struct gc_trace_touched *touched, FILE *file);

#endif
