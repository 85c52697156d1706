/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files and directories of /proc and /sys, or of a copy of them below another root directory.
 */
#ifndef GC_GPUS_TREE_H
#define GC_GPUS_TREE_H

#include <dirent.h>
#include <stddef.h>

/* Opens the directory ROOT/path. NULL: it cannot be opened. The caller calls closedir. */
DIR *gc_gpus_open_dir(const char *root, const char *path);

/* Reads at most size - 1 bytes of a regular file (and drops the rest) and ends them with a NUL.
 * Never blocks on a FIFO or a device. at: a descriptor of a directory, where a symbolic link in place
 * of the file is not followed, or AT_FDCWD. Returns the length or a negative errno. */
long gc_gpus_read(int at, const char *path, char *text, size_t size);

/* Reads the first line of the file ROOT/path, printable ('?' for other characters) and without
 * blanks at its ends. Empty when there is none. */
void gc_gpus_read_line(const char *root, const char *path, char *line, size_t size);

#endif
