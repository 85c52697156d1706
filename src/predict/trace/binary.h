/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of a kernel in version 2 of our format: machine code as text, then records in
 * binary chunks (doc/traces.md).
 */
#ifndef GC_PREDICT_TRACE_BINARY_H
#define GC_PREDICT_TRACE_BINARY_H

#include "predict/trace/binary_record.h"

/* Reads the code after the header. launch stays as it is until the kernel ends. 0, or a negative
 * errno with a sentence. */
int gc_binary_begin_kernel(struct gc_trace *trace, struct gc_binary *binary,
                           struct gc_trace_launch *launch, struct gc_error *err);

/* As gc_trace_next_block and gc_trace_skip_kernel. */
int gc_binary_next_block(struct gc_trace *trace, struct gc_binary *binary, gc_trace_visitor *visit,
                         void *data, uint64_t *number, struct gc_error *err);
int gc_binary_skip_kernel(struct gc_trace *trace, struct gc_binary *binary);

#endif
