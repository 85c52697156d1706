/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The launches that are recorded together: one kernel, or the kernels of a graph. They share the
 * memory for records; each record has the number of its launch. The caller serializes the calls.
 */
#ifndef GC_TRACE_LAUNCHES_H
#define GC_TRACE_LAUNCHES_H

#include "predict/trace/touched.h"
#include "trace/contexts.h"
#include "trace/modules.h"
#include "trace/sample.h"

/* More are not distinguished. */
#define GC_TRACE_MOST_STREAMS 1024

struct gc_recorded_launch {
  char *name;      /* of the kernel */
  uint64_t number; /* in the process, from 1 */
  int code;        /* of its module (modules.h) */
  size_t place;                    /* in the table */
  uint64_t grid, blocks;           /* launched and recorded */
  unsigned threads;                /* of a block */
  uint32_t shapes[3][3];           /* of the grid, a block, a cluster: x, y, z */
  size_t stream;                   /* from 1; 0: there were too many */
  int carveout;                    /* that the kernel prefers, percent; negative: none */
  struct gc_trace_touched touched; /* by the driver, before it */
  struct gc_launch_kind *kind;     /* NULL: not in a sample of the launches */
  uint64_t stands;                 /* for so many launches */
  long stands_at;                  /* place of this number in the file, once written */
};

struct gc_launches {
  struct gc_context_memory memory;
  size_t count;
  struct gc_recorded_launch launches[GPU_TRACE_MOST_LAUNCHES];
  struct gpu_trace
      table[GPU_TRACE_MOST_LAUNCHES]; /* as the GPU has it; only of a graph more than 1 */
  struct gpu_trace_region places[GC_TRACE_MOST_SMS];
  size_t stream_count; /* streams of the launches that were recorded, in the order of first use */
  Sanitizer_StreamHandle streams[GC_TRACE_MOST_STREAMS];
  uint64_t *words; /* their records: the regions of all SMs, one after the other */
  size_t ends[GC_TRACE_MOST_SMS];
};

/* Before a launch: it will be recorded. wanted: blocks, about; 0: a sample. What the GPU has to
 * know is copied in the stream, for a kernel of a graph in that of the graph. 0, or a negative
 * errno with a sentence; then it must be passed over. */
int gc_launches_add(struct gc_launches *launches, const struct gc_context_memory *memory,
                    const struct gc_traced_module *module, uint64_t number, uint64_t wanted,
                    const Sanitizer_LaunchData *data, Sanitizer_StreamHandle graph,
                    struct gc_error *err);

/* Before the launch of a kernel that is not recorded, of a graph of which others may be (launches),
 * or none is (NULL). */
void gc_launches_pass_over(const struct gc_launches *launches, const Sanitizer_LaunchData *data);

/* After they have ended: copies their records from the GPU. */
int gc_launches_fetch(struct gc_launches *launches, Sanitizer_StreamHandle stream,
                      struct gc_error *err);

/* Writes them (part.h). kernel_ms: how long a kernel without graph ran. */
int gc_launches_write(struct gc_launches *launches, double kernel_ms, FILE *file,
                      struct gc_error *err);

/* There are none any more. The streams stay. */
void gc_launches_forget(struct gc_launches *launches);

#endif
