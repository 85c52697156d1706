/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that appear complete or not at all, and files for the user, in a directory that the user
 * named. (Records have stricter rules and a module of their own: src/store.)
 */
#ifndef GC_UTIL_FILE_H
#define GC_UTIL_FILE_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The size of the name that gc_file_create chooses; its start has at most 140 bytes. */
#define GC_FILE_NAME 160

/* A file to be made. */
struct gc_file_new {
  const char *start; /* the name begins with this; random digits follow */
  mode_t mode;       /* before the umask */
  /* Writes the file, which is open for writing. 0 or a negative errno. Called again, with an empty
   * file, if the first one cannot get a name. */
  int (*fill)(int file, void *data);
  void *data;
};

/* Makes a file in the directory dir, under a name that no file had, which it writes to name. The
 * caller then renames the file. Where the file system allows it (O_TMPFILE), the file gets the name
 * after it was filled: if this process is killed meanwhile, nothing is left. An unfinished file is
 * left only where that is not possible, or if the process is killed between this call and the
 * renaming. Returns a descriptor that the caller closes, or a negative errno; then no file is left.
 */
int gc_file_create(int dir, const struct gc_file_new *new, char name[GC_FILE_NAME]);

/* The directory for temporary files: $TMPDIR, or /tmp. */
const char *gc_temporary(void);

/* Opens a directory for writing files, and makes sure that it can: writes and removes a file.
 * If made is not NULL, creates a missing directory (but not its parents) and sets *made to whether
 * it did. Symbolic links, on the way or in place of the directory, are followed only if the
 * effective user or root owns them (util/walk.h). Returns a descriptor that the caller closes, or a
 * negative errno with a sentence. After a failure no new file or directory is left. */
int gc_file_dir(const char *path, bool *made, struct gc_error *err);

/* Opens a directory for reading on the same way. A descriptor that the caller closes, or a negative
 * errno with a sentence. */
int gc_file_open_dir(const char *path, struct gc_error *err);

/* Removes a directory that gc_file_dir made, on the same way; fails silently, also if the directory
 * is not empty. */
void gc_file_remove_dir(const char *path);

/* Reads size bytes, fewer only at the end of the file, with as many calls of read() as necessary.
 * The number of bytes, or a negative errno. */
ssize_t gc_file_read(int file, void *bytes, size_t size);

/* Writes size bytes to an open file, with as many calls of write() as necessary. 0, or a negative
 * errno after a part of the data was written. */
int gc_file_write(int file, const void *data, size_t size);

/* Whether a file of this name in the directory dir may be replaced: 0 if there is none, or it is a
 * regular one that begins (at_end: ends) with this text, of less than 128 bytes; else a negative
 * errno and a sentence. */
int gc_file_is_own(int dir, const char *name, const char *mark, bool at_end, struct gc_error *err);

/* Puts a file with this name (without '/') into the directory dir and replaces any other file of
 * that name; a symbolic link is replaced, not followed. 0, or a negative errno and a sentence. */
int gc_file_put(int dir, const char *name, const void *data, size_t size, struct gc_error *err);

/* Closes the file. False: a part of the written data did not reach the file. */
bool gc_file_close(FILE *file);

#endif
