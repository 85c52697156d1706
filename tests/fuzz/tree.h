/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file system in memory for the fuzz targets of src/gpus. The files of src/gpus are compiled with
 * "-include tree.h", so that they open these files in place of those of /proc and /sys.
 */
#ifndef TESTS_FUZZ_TREE_H
#define TESTS_FUZZ_TREE_H

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Forgets all files. Returns how many descriptors and directories are still open. */
unsigned tree_clear(void);

/* Adds a file; its directories exist by that. The text must live until tree_clear. False: no more
 * fit, or the path is too long or does not begin with a slash. */
int tree_add(const char *path, size_t path_length, const char *text, size_t length);

typedef struct tree_dir tree_dir;
int tree_openat(int at, const char *path, int flags, ...);
int tree_close(int fd);
ssize_t tree_read(int fd, void *bytes, size_t size);
int tree_fstat(int fd, struct stat *status);
int tree_access(const char *path);
tree_dir *tree_opendir(const char *path);
tree_dir *tree_fdopendir(int fd);
struct dirent *tree_readdir(tree_dir *dir);
void tree_rewinddir(tree_dir *dir);
int tree_dirfd(tree_dir *dir);
int tree_closedir(tree_dir *dir);

#ifdef TREE_REPLACES_FILES
#define DIR tree_dir
#define open(path, ...) tree_openat(AT_FDCWD, path, __VA_ARGS__)
#define openat tree_openat
#define close tree_close
#define read tree_read
#define fstat tree_fstat
#define access(path, mode) ((void)(mode), tree_access(path))
#define faccessat(at, path, mode, flags) ((void)(mode), tree_access(path))
#define opendir tree_opendir
#define fdopendir tree_fdopendir
#define readdir tree_readdir
#define rewinddir tree_rewinddir
#define dirfd tree_dirfd
#define closedir tree_closedir
#endif

#endif
