/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The directory of --raw.
 */
#ifndef GC_TOOL_MEASURE_RAW_DIR_H
#define GC_TOOL_MEASURE_RAW_DIR_H

#include "tool/tool.h"

/* Makes sure, before anything is measured, that files can be written there; creates the
 * directory if missing and sets tool->made_raw. GC_EXIT_DONE, or GC_EXIT_FAILED after a message. */
int gc_raw_dir_check(struct gc_tool *tool);

/* Removes the directory if it was created for this run and is empty. */
void gc_raw_dir_leave(const struct gc_tool *tool);

#endif
