/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that the driver's memsets and copies touched before a kernel.
 */
#ifndef GC_PREDICT_TRACE_TOUCHED_H
#define GC_PREDICT_TRACE_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

#define GC_TRACE_MOST_TOUCHED 16

struct gc_trace_touched {
  unsigned count;
  struct gc_trace_range {
    uint64_t address, bytes;
    bool stored; /* else: loaded */
  } ranges[GC_TRACE_MOST_TOUCHED]; /* the earliest first */
};

#endif
