/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUDA contexts of this process, with memory for records. The caller serializes the calls,
 * except where noted.
 */
#ifndef GC_TRACE_CONTEXTS_H
#define GC_TRACE_CONTEXTS_H

#include "kernels/trace.h"
#include "predict/trace/touched.h"
#include "trace/part.h"
#include "trace/sanitizer.h"
#include "trace/settings.h"
#include "util/error.h"

#define GC_TRACE_MOST_SMS 1024 /* no GPU has more */

/* Memory for records: addresses on the GPU. */
struct gc_context_memory {
  uint32_t sms;
  uint64_t of_gpu;                 /* bytes that the GPU has */
  struct gpu_trace *launches;      /* [GPU_TRACE_MOST_LAUNCHES]. NULL: no memory yet */
  struct gpu_trace_region *places; /* [sms] */
  uint64_t *words;                 /* [sms][region_words] */
  uint64_t region_words;
};

/* Notes a new context, and loads our functions into it. A failure is noted, too. */
void gc_contexts_add(const Sanitizer_ResourceContextData *data,
                     const struct gc_trace_settings *settings, const struct gc_part *part);
void gc_contexts_remove(void *handle);

/* The memory of a context, which may not have any yet. 0, or a negative errno with the reason why
 * no launch in it can be recorded. */
int gc_contexts_find(void *handle, struct gc_context_memory *memory, struct gc_error *err);

/* Takes memory; needs no serialization. Then the context keeps it, if it still exists. */
int gc_contexts_allocate(void *handle, struct gc_context_memory *memory, struct gc_error *err);
void gc_contexts_keep(void *handle, const struct gc_context_memory *memory);

/* What the driver has touched in the memory of a context since its last recorded launch. NULL: the
 * context is not known. If the driver does not name it (handle is NULL), it is the newest one. */
struct gc_trace_touched *gc_contexts_touched(void *handle);

/* The percentage of shared memory that the program prefers for a kernel (CUfunction); negative:
 * none. */
int gc_contexts_carveout(void *function);

/* Waits until all kernels and graphs of the thread's context have ended. Only callbacks of calls of
 * the driver may do this, and only if no stream is being captured. */
void gc_contexts_wait(void);

#endif
