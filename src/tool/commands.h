/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommands. gc_tool_NAME is in the folder NAME, in NAME.c; the manual page says what it does.
 * Each takes the command line, prints its result or why there is none, and returns an exit code.
 */
#ifndef GC_TOOL_COMMANDS_H
#define GC_TOOL_COMMANDS_H

#include "tool/tool.h"

int gc_tool_list(const struct gc_tool *tool);
int gc_tool_measure(const struct gc_tool *tool);
int gc_tool_show(const struct gc_tool *tool);
int gc_tool_purge(const struct gc_tool *tool);
int gc_tool_plot(const struct gc_tool *tool);

/* Writes the whole text or nothing. */
int gc_tool_export(const struct gc_tool *tool);

/* The first word is the file; the others name GPUs and files of records. */
int gc_tool_report(const struct gc_tool *tool);

/* The exit codes of compare are not those of the other subcommands (gc_exit). */
enum gc_compare_exit {
  GC_COMPARE_ALIKE = 0,
  GC_COMPARE_DIFFERENT = 1,
  GC_COMPARE_USAGE = 2,
  GC_COMPARE_FAILED = 4 /* something could not be read, whether or not the rest is alike */
};

/* Compares what the two words name, or the GPUs of one. Returns a gc_compare_exit. */
int gc_tool_compare(const struct gc_tool *tool);

/* The words name traces. */
int gc_tool_predict(const struct gc_tool *tool);
int gc_tool_trace(const struct gc_tool *tool);

/* Checks all links and prints a finding for each, and what to do if it is not ok. A word may name a
 * program, which is then examined, too. GC_EXIT_DONE: lstopo will show the caches of each GPU that
 * this process may use, and that program can load plugins. Otherwise GC_EXIT_FAILED. Ends at
 * tool->timeout, or after a minute, whatever hangs. */
int gc_tool_doctor(const struct gc_tool *tool);

#endif
