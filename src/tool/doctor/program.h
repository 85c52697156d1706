/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which hwloc a program uses. Neither the program nor anything that it names is run.
 */
#ifndef GC_TOOL_DOCTOR_PROGRAM_H
#define GC_TOOL_DOCTOR_PROGRAM_H

#include "tool/process/libhwloc.h"

#include <limits.h>
#include <stdbool.h>

enum gc_program_kind {
  GC_PROGRAM_UNKNOWN, /* it cannot be examined: `why` has the reason */
  GC_PROGRAM_SHARED,  /* it loads the shared library `file`, at its start */
  GC_PROGRAM_COPY,    /* `file`, itself or one of its libraries, contains a copy of hwloc */
  GC_PROGRAM_NONE     /* it loads no libhwloc at its start */
};

struct gc_program {
  enum gc_program_kind kind;
  char file[PATH_MAX];
  enum gc_libhwloc plugins; /* GC_PROGRAM_SHARED: of that library */
  char why[300];
};

/* Finds a program as a shell does: a name without '/' in $PATH. False: there is none. */
bool gc_program_find(const char *name, char path[PATH_MAX]);

/* Examines the program, with the present LD_LIBRARY_PATH and LD_PRELOAD. */
void gc_program_examine(const char *path, struct gc_program *program);

#endif
