/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress of a measurement: one line on stderr, if stderr is a terminal. Safe from threads.
 */
#ifndef GC_TOOL_PROGRESS_H
#define GC_TOOL_PROGRESS_H

/* Draws "title  [####----] done/total what" over the earlier line. */
void gc_progress(const char *title, unsigned done, unsigned total, const char *what);

/* Erases the line, if there is one. Call it before something else is written to the terminal. */
void gc_progress_erase(void);

#endif
