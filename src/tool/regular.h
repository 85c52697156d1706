/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that others may have made. They are read and never mapped: if another process shortens a
 * mapped file, the process that reads it ends (SIGBUS).
 */
#ifndef GC_TOOL_REGULAR_H
#define GC_TOOL_REGULAR_H

#include <stddef.h>
#include <stdint.h>

/* Opens a file for reading if it is a regular one. Other files are not even opened, because
 * that can start a watchdog, rewind a tape, or wait for the other end of a FIFO. Returns a
 * descriptor that the caller closes, or a negative errno: -EBADMSG if it is not a regular file. */
int gc_regular_open(const char *path, uint64_t *size);

/* Reads the whole file of this descriptor if it is a regular one. *text ends with a NUL that
 * *length does not count; the caller frees it. 0 or a negative errno: -EBADMSG if it is another
 * file, -EFBIG if it has more than `most` bytes. */
int gc_regular_read(int fd, size_t most, char **text, size_t *length);

/* The same for a path, which is opened like gc_regular_open. */
int gc_regular_load(const char *path, size_t most, char **text, size_t *length);

/* Whether these bytes are anywhere in the file, which is read in pieces: 1 or 0; or a negative
 * errno. size: at most 4096. */
int gc_regular_contains(int fd, const void *bytes, size_t size);

#endif
