/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on stderr.
 */
#ifndef GC_TOOL_PRINT_MESSAGES_H
#define GC_TOOL_PRINT_MESSAGES_H

/* Writes "hwloc-gpucache: gpu0: sentence" to stderr in one call, so that lines of parallel
 * processes do not mix; gpu may be NULL. Erases the progress line first, and wraps the sentence on
 * a terminal. Safe from threads. */
void gc_say(const char *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that memory ran out. GC_EXIT_FAILED. */
int gc_no_memory(void);

#endif
