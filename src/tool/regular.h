/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that others may have made. They are read and never mapped: whoever shortens a mapped file
 * ends the process that reads it (SIGBUS).
 */
#ifndef GC_TOOL_REGULAR_H
#define GC_TOOL_REGULAR_H

#include <stddef.h>
#include <stdint.h>

/* Opens a file for reading if it is a regular one. Others are not even opened: that starts a
 * watchdog, rewinds a tape, and waits at a FIFO. Returns a descriptor that the caller closes, or a
 * negative errno: -EBADMSG if it is not a regular file. */
int gc_regular_open(const char *path, uint64_t *size);

/* Reads what this descriptor means, if it is a regular file: the whole file; the caller frees
 * *text, which ends with a NUL that *length does not count. 0 or a negative errno: -EBADMSG if it
 * is another file, -EFBIG if it has more than `most` bytes. */
int gc_regular_read(int fd, size_t most, char **text, size_t *length);

/* The same for a path, which is opened like gc_regular_open. */
int gc_regular_load(const char *path, size_t most, char **text, size_t *length);

/* Whether these bytes are anywhere in the file, which is read in pieces: 1 or 0; or a negative
 * errno. size: at most 4096. */
int gc_regular_contains(int fd, const void *bytes, size_t size);

#endif
