/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The records of launches as the GPU wrote them (kernels/trace.h), and the order in which a trace
 * has them.
 */
#ifndef GC_TRACE_GATHERED_H
#define GC_TRACE_GATHERED_H

#include "util/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gc_gathered {
  const uint64_t *words; /* the regions of all SMs, one after the other */
  const size_t *ends;    /* [regions]: where each one ends in words */
  size_t regions;
};

/* The records of a launch. */
struct gc_gathered_launch {
  uint64_t blocks;
  unsigned warps; /* of each block */
};

/* Prepares the records of launches to be written. gathered, its words and launches must outlive the
 * result. 0, or a negative errno with a sentence: -ENOMEM, -EBADMSG (records that no such launch
 * can have). *result is NULL then. */
struct gc_sorted;
int gc_gathered_sort(const struct gc_gathered *gathered, const struct gc_gathered_launch *launches,
                     size_t count, struct gc_sorted **result, struct gc_error *err);
void gc_sorted_free(struct gc_sorted *sorted);

/* Sorts the records of a launch by block and warp, and writes them as chunks of version 2 of the
 * trace format (doc/traces.md). 0, or a negative errno with a sentence: -ENOMEM, -EIO. */
int gc_sorted_write(struct gc_sorted *sorted, size_t launch, FILE *file, struct gc_error *err);

#endif
