/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache compare
 */
#ifndef GC_TOOL_COMPARE_COMPARE_H
#define GC_TOOL_COMPARE_COMPARE_H

#include "tool/tool.h"

/* The exit codes of compare are not those of the other subcommands (gc_exit). */
enum gc_compare_exit {
  GC_COMPARE_ALIKE = 0,
  GC_COMPARE_DIFFERENT = 1,
  GC_COMPARE_USAGE = 2,
  GC_COMPARE_FAILED = 4 /* something could not be read, whether or not the rest is alike */
};

/* Compares what the two arguments name, or the GPUs of one argument. Returns a gc_compare_exit. */
int gc_tool_compare(const struct gc_tool *tool);

#endif
