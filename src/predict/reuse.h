/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reuse distances of the lines that the SMs of a kernel load: each L1 is a stack of its own.
 */
#ifndef GC_PREDICT_REUSE_H
#define GC_PREDICT_REUSE_H

#include "predict/distance/distance.h"

struct gc_reuse;

/* NULL: no memory. */
struct gc_reuse *gc_reuse_new(unsigned sms);
void gc_reuse_free(struct gc_reuse *reuse); /* NULL is fine */

/* For gc_model_options.observe; data is the struct gc_reuse. */
int gc_reuse_observe(void *data, unsigned sm, uint64_t line);

/* The histogram of all accesses since the last call, of all SMs together; the caller frees it.
 * NULL: no memory. */
struct gc_reuse_histogram *gc_reuse_take(struct gc_reuse *reuse);

#endif
