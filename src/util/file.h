/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files for the user, in a directory that the user named: whole or not at all. (Records have stricter
 * rules, and a room of their own: store.)
 */
#ifndef GC_UTIL_FILE_H
#define GC_UTIL_FILE_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a directory in which files can be written; one was written and removed to be sure. made: if
 * there is none, makes it (but not what it is in), and says so there; NULL: does not. A descriptor, or a
 * negative errno and a sentence, with nothing left. */
int gc_file_dir(const char *path, bool *made, struct gc_error *err);

/* Puts a file with this name (no '/' in it) into the directory, in place of any other. A symbolic link of
 * that name is replaced, not followed. 0, or a negative errno and a sentence. */
int gc_file_put(int dir, const char *name, const void *data, size_t size, struct gc_error *err);

/* Closes it. Whether all that was written to it got there. */
bool gc_file_close(FILE *file);

#endif
