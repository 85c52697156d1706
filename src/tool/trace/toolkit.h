/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the CUDA Toolkit that recording a trace needs, and our library beside them.
 */
#ifndef GC_TOOL_TRACE_TOOLKIT_H
#define GC_TOOL_TRACE_TOOLKIT_H

#include "util/error.h"

#define GC_TOOLKIT_PATH 4096 /* PATH_MAX: for realpath */

struct gc_toolkit {
  char sanitizer[GC_TOOLKIT_PATH]; /* libsanitizer-public.so */
  char ptxas[GC_TOOLKIT_PATH];     /* "": not found */
  char nvdisasm[GC_TOOLKIT_PATH];  /* "": not found; then a trace is without machine code */
  char library[GC_TOOLKIT_PATH];   /* what is loaded into the program */
};

/* 0, or -ENOENT with a sentence that says what to install. Environment: CUDA_HOME, CUDA_PATH, PATH,
 * HWLOC_GPUCACHE_TRACE_LIBRARY. */
int gc_toolkit_find(struct gc_toolkit *toolkit, struct gc_error *err);

#endif
