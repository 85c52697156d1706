/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program and records the memory accesses of its CUDA kernels in a trace.
 */
#ifndef GC_TOOL_TRACE_RECORD_H
#define GC_TOOL_TRACE_RECORD_H

#include "tool/tool.h"

#include <stdbool.h>

struct gc_recorded {
  char *const *program; /* with its arguments, ended by NULL; or the directory of a trace that could
                         * not be written */
  const char *output;   /* the file for the trace, which is replaced */
  bool to_stderr;       /* what the program writes to its stdout */
  bool verbose;         /* say how long each kernel ran while it was recorded */
};

/* How a program ended. */
struct gc_ended {
  int status; /* as a shell has it: 128 and the number of the signal; 126 or 127: not started */
  int signal; /* that ended it; 0: none, also if the program is a shell whose child was ended */
  bool started; /* the program was found and could be executed */
};

/* Runs the program and writes the trace. Says on stderr what was left out, and without to_stderr
 * also what was traced. The kernels that were complete are in the file, however the program ended.
 * GC_EXIT_DONE: there is a trace; or GC_EXIT_FAILED, with a message. */
int gc_record_trace(const struct gc_tool *tool, const struct gc_recorded *recorded,
                    struct gc_ended *ended);

#endif
