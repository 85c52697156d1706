/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program and records the memory accesses of its CUDA kernels in a trace.
 */
#ifndef GC_TOOL_TRACE_RECORD_H
#define GC_TOOL_TRACE_RECORD_H

#include "tool/tool.h"

/* Runs the program with its arguments (ended by NULL), and writes the trace to the file `output`,
 * which is replaced. Says on stderr what was traced, and what was left out. The kernels that were
 * complete are in the file, however the program ended. *ended is the program's exit status as a
 * shell has it: 128 and the number of the signal that ended it, 126 or 127 if it was not started.
 * GC_EXIT_DONE: there is a trace; or GC_EXIT_FAILED, with a message. */
int gc_record_trace(const struct gc_tool *tool, char *const *program, const char *output,
                    int *ended);

#endif
