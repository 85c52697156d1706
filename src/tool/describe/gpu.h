/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record for people.
 */
#ifndef GC_TOOL_DESCRIBE_GPU_H
#define GC_TOOL_DESCRIBE_GPU_H

#include "record/record.h"
#include "tool/tool.h"

/* Prints the record; gpu is the name to print. tool: which elements (--element), how much (--all),
 * and whether in colour. GC_EXIT_DONE, or GC_EXIT_FAILED without memory (printed). */
int gc_show_gpu(const struct gc_record *record, const char *gpu, const struct gc_tool *tool);

#endif
