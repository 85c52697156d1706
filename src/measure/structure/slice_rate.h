/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many bytes a slice of L2 delivers in a cycle. doc/methods.md, "L2 slices and sides".
 */
#ifndef GC_MEASURE_STRUCTURE_SLICE_RATE_H
#define GC_MEASURE_STRUCTURE_SLICE_RATE_H

#include "measure/structure/slice_probe.h"

#define GC_SLICE_RATES 2 /* slices that are measured, at most */

/* A slice, as the search for slices knows it. */
struct gc_slice_seed {
  uint64_t line;  /* one of its lines */
  uint32_t side;  /* where it is at home */
  double waiting; /* while this line is busy, an operation on another line of its slice takes so
                     many raw cycles or more */
};

/* Atomic operations of the SMs of side 0: lines that take `far` raw cycles or more are at home in
 * side 1. HUGE_VAL: there is one side. */
struct gc_slice_seeds {
  struct gc_slice_seed seed[GC_SLICE_RATES];
  uint32_t count;
  double far;
};

/* Sets GC_SLICE_READ of the element. -EAGAIN: blocks met. */
int gc_slice_rate(struct gc_slice_probe *probe, struct gc_measurement *m,
                  struct gc_measured *element, const struct gc_slice_seeds *seeds);

#endif
