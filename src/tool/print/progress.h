/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress of a measurement on stderr, if stderr is a terminal: one line for each GPU. Safe
 * from threads.
 */
#ifndef GC_TOOL_PRINT_PROGRESS_H
#define GC_TOOL_PRINT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* In the environment of a process that measures one of several GPUs: it prints its progress as
 * lines that begin with GC_PROGRESS_MARK, and its parent draws them. */
#define GC_PROGRESS_ENV "HWLOC_GPUCACHE_PROGRESS"
#define GC_PROGRESS_MARK "\tprogress "
#define GC_PROGRESS_LINE 256

/* How many lines can be drawn: 0 if stderr is no terminal that can erase a line. */
size_t gc_progress_room(void);

/* Draws "title  [####----] done/total what" over the earlier lines. */
void gc_progress(const char *title, unsigned done, unsigned total, const char *what);

/* Draws lines, at most gc_progress_room, over the earlier ones. Line i is at lines + i * stride. */
void gc_progress_lines(const char *lines, size_t count, size_t stride);

/* Erases the lines, if there are any. Call it before something else is written to the terminal. */
void gc_progress_erase(void);

#endif
