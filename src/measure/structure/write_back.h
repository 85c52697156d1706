/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether L2 writes back: do reads from memory that evict lines take longer if these lines were
 * stored before? doc/methods.md, "Write policy".
 */
#ifndef GC_MEASURE_STRUCTURE_WRITE_BACK_H
#define GC_MEASURE_STRUCTURE_WRITE_BACK_H

#include "measure/core/measurement.h"

#define GC_WRITE_BACK_ROUNDS 5
#define GC_WRITE_BACK_CONTROLS 2

/* The times of reads from memory, ns. */
struct gc_write_back_times {
  double stored[GC_WRITE_BACK_ROUNDS];    /* L2 had lines that were stored */
  double loaded[GC_WRITE_BACK_ROUNDS];    /* it had the same lines, which were only loaded */
  double evicted[GC_WRITE_BACK_CONTROLS]; /* lines were stored, and evicted before the reads */
  double all; /* what it would take to write all of these lines to memory */
};

/* Whether these times show that L2 writes back (*back), or that it writes through. Returns why they
 * show neither; NULL: they do, with this confidence. */
const char *gc_write_back_judge(const struct gc_write_back_times *times, bool *back,
                                double *confidence);

/* Measures the times. *why: why it is not possible; NULL: it is. */
int gc_write_back_measure(struct gc_measurement *m, struct gc_write_back_times *times,
                          const char **why);

/* The memory that this needs. */
uint64_t gc_write_back_needs(const struct gc_properties *properties);

#endif
