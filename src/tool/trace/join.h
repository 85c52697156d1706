/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One trace from what the processes of a program wrote (src/trace/part.h).
 */
#ifndef GC_TOOL_TRACE_JOIN_H
#define GC_TOOL_TRACE_JOIN_H

#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gc_joined {
  bool verbose;              /* set by the caller: say how long each kernel ran */
  uint64_t processes;        /* that used CUDA */
  uint64_t failed, early;    /* of them: nothing could be traced, or it did not reach its end */
  uint64_t kernels, sampled; /* in the trace; of these, without some of their blocks */
  uint64_t launches;         /* for which they stand */
  uint64_t left_out, in_graphs, without_code;
  bool has_nvdisasm;
  bool can_launch; /* kernels in the trace belong to modules whose kernels can launch others */
  struct gc_error why, why_failed; /* of the first launch that was left out, the first process */
};

/* What can_launch means for the trace. */
extern const char gc_joined_can_launch[];

/* Writes the launches of all processes that are complete. 0, or a negative errno with a sentence;
 * joined is filled in any case. */
int gc_trace_join(const char *directory, const char *nvdisasm, FILE *trace,
                  struct gc_joined *joined, struct gc_error *err);

#endif
