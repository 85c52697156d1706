/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA's Sanitizer API, once for the process.
 */
#ifndef GC_TRACE_API_H
#define GC_TRACE_API_H

#include "trace/sanitizer.h"
#include "util/error.h"

extern struct gc_sanitizer gc_sanitizer;

/* Loads the library. 0, or a negative errno with a sentence. */
int gc_sanitizer_load(const char *path, struct gc_error *err);

/* 0 if the call succeeded, else -EIO with a sentence. */
int gc_sanitizer_status(SanitizerResult result, const char *call, struct gc_error *err);

#define GC_SANITIZER(function, arguments, err)                                                     \
  gc_sanitizer_status(gc_sanitizer.function arguments, #function, err)

#endif
