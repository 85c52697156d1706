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

/* Adds what the driver is about to do, for a copy to the lists of the contexts of both sides; of
 * more than fit, the last ones stay. A list may be NULL. */
void gc_touched_by_memset(struct gc_trace_touched *touched, const Sanitizer_MemsetData *data);
void gc_touched_by_copy(struct gc_trace_touched *from, struct gc_trace_touched *to,
                        const Sanitizer_MemcpyData *data);

/* Writes them as lines of a header (doc/traces.md). */
void gc_touched_write(const struct gc_trace_touched *touched, FILE *file);

#endif
