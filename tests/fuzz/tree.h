/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file system in memory for fuzz targets. src/gpus and src/predict/trace are compiled with
 * "-include tree.h", so that they open these files. A file whose text begins with "!" may be read,
 * but access() refuses it.
 */
#ifndef TESTS_FUZZ_TREE_H
#define TESTS_FUZZ_TREE_H

#include "util/file.h"
#include "util/regular.h"
#include "util/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define TREE_WRITTEN_BYTES (32 << 10) /* the longest file that is written */
#define TREE_TIME 1700000000          /* it is always now */
#define TREE_USER 1000                /* the user of all processes and files */

/* Forgets all files. Returns how many descriptors and directories are still open. */
unsigned tree_clear(void);

/* Adds a file; its directories exist by that. The text must live until tree_clear. False: no more
 * fit, or the path is too long or is not the path of a file. */
int tree_add(const char *path, size_t path_length, const char *text, size_t length);

/* Adds several files: a line "=PATH" begins the file PATH, which ends before the next such line. */
void tree_add_files(const char *text, size_t size);

/* The text of a file, also one that was written; NULL: there is none. */
const char *tree_text(const char *path, size_t *length);

typedef struct tree_dir tree_dir;
int tree_open(const char *path, int flags, ...);
int tree_openat(int at, const char *path, int flags, ...);
int tree_walk(const char *path, char last[GC_WALK_COMPONENT]);
int tree_close(int fd);
ssize_t tree_read(int fd, void *bytes, size_t size);
int tree_write(int fd, const void *bytes, size_t size);
int tree_create(int dir, const struct gc_file_new *new, char name[GC_FILE_NAME]);
int tree_rename(int dir, const char *name);
int tree_fstat(int fd, struct stat *status);
int tree_stat(const char *path, struct stat *status);
int tree_fstatfs(int fd, struct statfs *status);
int tree_access(const char *path);
tree_dir *tree_opendir(const char *path);
tree_dir *tree_fdopendir(int fd);
struct dirent *tree_readdir(tree_dir *dir);
void tree_rewinddir(tree_dir *dir);
int tree_dirfd(tree_dir *dir);
int tree_closedir(tree_dir *dir);

#ifdef TREE_REPLACES_FILES
#define DIR tree_dir
#define open tree_open
#define openat tree_openat
#define gc_regular_open(path, size, why) ((void)(size), (void)(why), tree_open(path, O_RDONLY))
#define gc_walk_only(path, levels, last, why) tree_walk(path, last)
#define close tree_close
#define gc_file_read tree_read
#define gc_file_write tree_write
#define gc_file_create tree_create
#define renameat(from, old, to, name) tree_rename(to, name)
#define fchmod(fd, mode) (0)
#define fstat tree_fstat
#define stat(path, status) tree_stat(path, status)
#define fstatat(at, path, status, flags) tree_stat(path, status)
#define fstatfs tree_fstatfs
#define getuid() ((uid_t)TREE_USER)
#define geteuid() ((uid_t)TREE_USER)
#define time(now) ((void)(now), (time_t)TREE_TIME)
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
