/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs passes in threads, one on each processor.
 */
#ifndef GC_PREDICT_THREADS_H
#define GC_PREDICT_THREADS_H

#include "predict/pass.h"

/* Runs all passes, at most `threads` at the same time (0: one for each processor of this process).
 * After a failure no further pass begins. 0, or the status and sentence of the first pass, in their
 * order, that failed. */
int gc_passes_run(struct gc_pass *passes, size_t count, unsigned threads, struct gc_error *err);

#endif
