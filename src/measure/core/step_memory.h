/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Host memory of a step. The plan frees it when the step ends, so a step that fails has nothing to
 * release. What later steps need is kept in a memo (memo.h) instead.
 */
#ifndef GC_MEASURE_CORE_STEP_MEMORY_H
#define GC_MEASURE_CORE_STEP_MEMORY_H

#include "measure/core/bench.h"

/* Zeroed memory for `count` objects of `size` bytes. NULL if there is no memory: bench->err has the
 * sentence, and the caller returns -ENOMEM. */
void *gc_step_alloc(struct gc_bench *bench, size_t count, size_t size);

/* Frees this memory and all that was allocated after it. For functions that a step calls often. NULL
 * is fine. */
void gc_step_free(struct gc_bench *bench, const void *memory);

/* Frees all of it. The plan calls this after each step, and gc_measurement_close at the end. */
void gc_step_free_all(struct gc_bench *bench);

#endif
