/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUDA modules of this process, and our functions in their kernels. The caller serializes the
 * calls, except where noted.
 */
#ifndef GC_TRACE_MODULES_H
#define GC_TRACE_MODULES_H

#include "trace/part.h"
#include "trace/sanitizer.h"
#include "util/error.h"

#include <stdbool.h>

struct gc_traced_module {
  struct gc_traced_module *next;
  void *context, *handle;
  bool patched;        /* our functions are in its kernels */
  struct gc_error why; /* why they cannot be; "": they can */
  int code; /* number of its machine code in the part; or a negative errno, why it was not saved */
};

/* Notes a new module. NULL: no memory. */
struct gc_traced_module *gc_modules_add(const Sanitizer_ResourceModuleData *data,
                                        const struct gc_part *part);
void gc_modules_remove(void *handle);
void gc_modules_remove_all(const void *context);

/* A reason for a person. code: of a module whose machine code was not saved. */
const char *gc_module_why_not_saved(int code);

/* The begin of the list, for gc_module_put_in and gc_module_take_out. Modules that are added later
 * come before it. */
struct gc_traced_module *gc_modules_first(void);

/* Puts our functions into its kernels, or takes them out; a failure is noted. Nothing may be
 * launched or run meanwhile, and no stream be captured. The caller serializes these calls only, and
 * holds no lock that a callback at the begin of a launch takes: the API waits for launches that
 * have begun. */
void gc_module_put_in(struct gc_traced_module *module);
void gc_module_take_out(struct gc_traced_module *module);

/* 0, or a negative errno with the reason why no launch of it can be recorded. */
int gc_modules_find(void *handle, const struct gc_traced_module **module, struct gc_error *err);

#endif
