/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Before and after calls of the driver. For a sample of the launches, our functions are in the
 * kernels only during a recorded call of the driver. They are put in and taken out in the callbacks
 * before and after the call: in the callback at the begin of a launch, the driver holds a lock for
 * which the API would wait. What is allowed when was found by trial on an H200
 * (doc/results/trace.md).
 */
#ifndef GC_TRACE_PATCHING_H
#define GC_TRACE_PATCHING_H

#include "trace/sanitizer.h"

/* Before and after each call of the driver. With all launches, it only notes after a call that its
 * launch has failed. */
void gc_patching_on_call(const Sanitizer_CallbackData *data);

#endif
