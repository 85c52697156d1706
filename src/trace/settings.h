/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command `trace` tells the library that it injects into programs, in the file "settings"
 * of the directory that $HWLOC_GPUCACHE_TRACE names. Each process that uses CUDA writes its
 * launches into PID.part there (part.h), and the machine code of their modules into PID-N.cubin.
 */
#ifndef GC_TRACE_SETTINGS_H
#define GC_TRACE_SETTINGS_H

#include "util/error.h"

#include <stdint.h>

#define GC_TRACE_ENV "HWLOC_GPUCACHE_TRACE"

#define GC_TRACE_ALL_BLOCKS UINT64_MAX

struct gc_trace_settings {
  char sanitizer[4096]; /* path of NVIDIA's library */
  char ptxas[4096];     /* path of a ptxas, for GPUs that this build does not know; "": none */
  char kernel[1024];    /* a regular expression for names of kernels; "": all */
  uint64_t first, last; /* launches of a process, from 1; 0: no limit */
  uint64_t blocks;      /* of a launch, about; 0: a sample; or GC_TRACE_ALL_BLOCKS */
  uint64_t limit;       /* bytes that a process writes */
};

/* Writes or reads the file. 0, or a negative errno with a sentence. No text may have a newline. */
int gc_trace_settings_write(const char *directory, const struct gc_trace_settings *settings,
                            struct gc_error *err);
int gc_trace_settings_read(const char *directory, struct gc_trace_settings *settings,
                           struct gc_error *err);

#endif
