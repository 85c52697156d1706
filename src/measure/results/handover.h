/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results for another process of the same program, which continues the plan after a failed launch
 * (struct gc_handover in measure.h).
 */
#ifndef GC_MEASURE_RESULTS_HANDOVER_H
#define GC_MEASURE_RESULTS_HANDOVER_H

#include "measure/results/results.h"

/* Writes the identity of the GPU and its results to an empty file, and seeks to its start. 0, or a
 * negative errno and a sentence. */
int gc_results_write(int fd, const struct gc_identity *identity, const struct gc_results *results,
                     struct gc_error *err);

/* Reads identity and results. -EBADMSG and a sentence if the file has other contents or another
 * build wrote it. The caller compares the identity. */
int gc_results_read(int fd, struct gc_identity *identity, struct gc_results *results,
                    struct gc_error *err);

#endif
