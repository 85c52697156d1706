/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends the program at a signal or at the deadline, so that no incomplete file stays.
 */
#ifndef GC_TOOL_PROCESS_WATCH_H
#define GC_TOOL_PROCESS_WATCH_H

#include "util/error.h"

#include <signal.h>

/* From start to stop, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and the deadline (in
 * seconds; 0: none) end the process: a thread waits until nobody holds the watch, calls
 * at_end(data), and ends the process by that signal, or with a message about gpu (may be NULL) and
 * GC_EXIT_FAILED. 0 or a negative errno. */
int gc_watch_start(double seconds, const char *gpu, void (*at_end)(void *data), void *data,
                   struct gc_error *err);
void gc_watch_stop(void);

/* If the reader of our output ends ("| head"), this process ends, too, but not before the thread
 * has `before` again as its mask of signals. */
void gc_watch_hold_pipe(sigset_t *before);

/* Between hold and release the process is not ended. */
void gc_watch_hold(void);
void gc_watch_release(void);

#endif
