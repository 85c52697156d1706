/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The settings that the command `trace` passes to the library in the programs: the file "settings"
 * of the directory that $HWLOC_GPUCACHE_TRACE names. Each process that uses CUDA writes its files
 * into the same directory (part.h).
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
  uint64_t first, last; /* launches of a process, from 1; first 0: a sample; last 0: no limit */
  uint64_t blocks;      /* of a launch, about; 0: a sample; or GC_TRACE_ALL_BLOCKS */
  uint64_t limit;       /* bytes of launches of a process after which no further one is recorded */
};

/* Writes or reads the file. 0, or a negative errno with a sentence. No text may have a newline. */
int gc_trace_settings_write(const char *directory, const struct gc_trace_settings *settings,
                            struct gc_error *err);
int gc_trace_settings_read(const char *directory, struct gc_trace_settings *settings,
                           struct gc_error *err);

#endif
