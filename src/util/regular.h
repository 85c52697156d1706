/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that others may have made. They are read and never mapped: if another process shortens a
 * mapped file, the process that reads it ends (SIGBUS).
 */
#ifndef GC_UTIL_REGULAR_H
#define GC_UTIL_REGULAR_H

#include "util/error.h"

#include <stddef.h>
#include <stdint.h>

/* Opens a file that the user named for reading, if it is a regular one. Other files are not even
 * opened, because that can start a watchdog, rewind a tape, or wait for the other end of a FIFO.
 * Symbolic links, on the way or in place of the file, are followed only if the effective user or
 * root owns them (util/walk.h). Returns a descriptor that the caller closes, or a negative errno
 * with the reason, which is not a whole sentence: -EISDIR for a directory, -EBADMSG for another file
 * that is not regular. why may be NULL. */
int gc_regular_open(const char *path, uint64_t *size, struct gc_error *why);

/* The same, but follows links of all users, as programs do that use this file anyway. */
int gc_regular_open_any(const char *path, uint64_t *size);

/* The same for a name in the directory dir, where a link is not followed: -ELOOP. */
int gc_regular_open_in(int dir, const char *name, uint64_t *size);

/* Reads the whole file of this descriptor if it is a regular one. *text ends with a NUL that *length
 * does not count; the caller frees it. 0 or a negative errno: -EBADMSG if it
 * is another file, -EFBIG if it has more than `most` bytes. */
int gc_regular_read(int fd, size_t most, char **text, size_t *length);

/* Opens a file like gc_regular_open and reads it like gc_regular_read, with a sentence that begins
 * with the path. */
int gc_regular_load(const char *path, size_t most, char **text, size_t *length,
                    struct gc_error *err);

/* Whether these bytes are anywhere in the file, which is read in pieces: 1 or 0; or a negative
 * errno. size: at most 4096. */
int gc_regular_contains(int fd, const void *bytes, size_t size);

#endif
