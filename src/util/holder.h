/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process holds a lock of flock(), and whether that process runs. From /proc; a process in
 * another container, or of another user if /proc hides those, is unknown.
 */
#ifndef GC_UTIL_HOLDER_H
#define GC_UTIL_HOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

/* Space for gc_holder_advice. */
#define GC_HOLDER_ADVICE 120

/* The process that holds the lock on this file. 0: unknown, as on a network file system, in
 * another container, or when that process has ended and its child holds the lock. F_GETLK does not
 * find locks of flock. */
long gc_holder_of(const struct stat *file);

/* If the process is stopped: "; it is stopped: …", with the commands that continue and end it. Else
 * an empty text. pid may be 0. */
void gc_holder_advice(long pid, char text[GC_HOLDER_ADVICE]);

#endif
