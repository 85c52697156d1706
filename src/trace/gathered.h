/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The records of one launch as the GPU wrote them (kernels/trace.h), and the order in which a trace
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

/* Writes the records of a launch of which so many blocks were recorded, with so many warps each:
 * sorted by block and warp, as chunks of version 2 of the trace format (doc/traces.md). 0, or a
 * negative errno with a sentence: -ENOMEM, -EIO, -EBADMSG (records that no such launch can have).
 */
int gc_gathered_write(const struct gc_gathered *gathered, uint64_t blocks, unsigned warps,
                      FILE *file, struct gc_error *err);

#endif
