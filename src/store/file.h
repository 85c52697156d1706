/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files in a directory of records: how they are read without trust, and written completely or not
 * at all. For the files of the store.
 */
#ifndef GC_STORE_FILE_H
#define GC_STORE_FILE_H

#include "store/hold.h"
#include "util/error.h"
#include "util/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The note of a failed measurement is called ID and this. */
#define GC_STORE_FAILED ".failed"

/* A text that was read; bytes is malloc'ed and ends with a NUL that length does not count. */
struct gc_store_text {
  char *bytes;
  size_t length;
};

/* Reads a file that can be trusted: regular, owned by the caller or root, writable by nobody
 * else, at most `most` bytes. 0, and the caller frees text->bytes, or a negative errno. */
int gc_store_load(int dir_fd, const char *dir, const char *name, size_t most,
                  struct gc_store_text *text, struct gc_error *err);

/* Creates a file with this text that survives a power cut, and locks it, which keeps
 * gc_store_tidy_unfinished from removing it. Writes its name to temporary. Returns a descriptor
 * or a negative errno. */
int gc_store_write_temporary(int dir_fd, const char *id, const char *text, size_t length,
                             char temporary[GC_FILE_NAME]);

/* Reserves `bytes` bytes in a file that nobody sees, and frees them. 0, or a negative errno: the
 * file system does not have them, or cannot be written. */
int gc_store_reserve(int dir_fd, const char *id, size_t bytes);

/* Removes the file ID + ending from the directory for new records. 0, -ENOENT, or another negative
 * errno. */
int gc_store_unlink(const char *id, const char *ending, struct gc_error *err);

/* Whether this name in the directory still means this file. */
bool gc_store_same_file(int dir_fd, const char *name, const struct stat *file);

#endif
