/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Accesses that a program hands over, as a trace for the readers: they are read once, and the model
 * reads the trace in each of its runs.
 */
#ifndef GC_PREDICT_ACCESSES_H
#define GC_PREDICT_ACCESSES_H

#include "util/error.h"

#include <hwloc/gpucache-predict.h>

#include <stdio.h>

struct gc_accesses {
  FILE *file;    /* has no name */
  char path[32]; /* for gc_trace_open, until gc_accesses_close */
};

/* Writes all kernels of the source as text (doc/traces.md, "Our TSV") to a temporary file. 0, and
 * the caller calls gc_accesses_close; or a negative errno with a sentence, which can be that of a
 * callback. The readers check the values. */
int gc_accesses_write(struct gc_accesses *accesses, const struct hwloc_gpucache_source *source,
                      struct gc_error *err);
void gc_accesses_close(struct gc_accesses *accesses);

#endif
