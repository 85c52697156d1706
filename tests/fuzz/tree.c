/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <errno.h>
#include <string.h>

#define MOST_FILES 1024
#define MOST_OPEN 32
#define PATH_BYTES 160
/* Real descriptors have smaller numbers. */
#define FIRST_FD 1000000

static struct file {
  char path[PATH_BYTES];
  size_t path_length, length;
  const char *text;
} files[MOST_FILES];
static size_t file_count;

struct tree_dir {
  char path[PATH_BYTES]; /* empty: this descriptor is closed */
  const struct file *file; /* NULL: a directory */
  size_t at;               /* bytes that were read, or files that were listed */
  struct dirent entry;
};
static struct tree_dir opened[MOST_OPEN];

unsigned tree_clear(void)
{
  unsigned count = 0;

  for (size_t i = 0; i < MOST_OPEN; i++) {
    count += opened[i].path[0] != '\0';
    opened[i].path[0] = '\0';
  }
  file_count = 0;
  return count;
}

int tree_add(const char *path, size_t path_length, const char *text, size_t length)
{
  struct file *file = &files[file_count];

  if (file_count == MOST_FILES || path_length >= PATH_BYTES || !path_length || path[0] != '/' ||
      memchr(path, '\0', path_length) || path[path_length - 1] == '/')
    return 0;
  memcpy(file->path, path, path_length);
  file->path[path_length] = '\0';
  file->path_length = path_length;
  file->text = text;
  file->length = length;
  file_count++;
  return 1;
}

/* The first file with this path; *is_dir: there is a file below this path. */
static const struct file *find(const char *path, int *is_dir)
{
  const size_t length = strlen(path);

  *is_dir = 0;
  for (size_t i = 0; i < file_count; i++) {
    if (files[i].path_length < length || memcmp(files[i].path, path, length))
      continue;
    if (files[i].path_length == length)
      return &files[i];
    *is_dir |= files[i].path[length] == '/';
  }
  return NULL;
}

static struct tree_dir *get(int fd)
{
  struct tree_dir *dir =
      fd >= FIRST_FD && fd < FIRST_FD + MOST_OPEN ? &opened[fd - FIRST_FD] : NULL;

  if (!dir || !dir->path[0])
    __builtin_trap(); /* a descriptor that is not open */
  return dir;
}

int tree_openat(int at, const char *path, int flags, ...)
{
  const char *base = path[0] == '/' || at == AT_FDCWD ? "" : get(at)->path;
  char full[PATH_BYTES];
  int fd = 0, is_dir;

  while (fd < MOST_OPEN && opened[fd].path[0])
    fd++;
  errno = EMFILE;
  if (fd == MOST_OPEN)
    return -1;
  errno = ENOENT;
  if ((size_t)snprintf(full, sizeof(full), "%s%s%s", base, *base ? "/" : "", path) >= sizeof(full))
    return -1;
  opened[fd].file = find(full, &is_dir);
  if (!opened[fd].file && !is_dir)
    return -1;
  errno = ENOTDIR;
  if (opened[fd].file && (flags & O_DIRECTORY))
    return -1;
  memcpy(opened[fd].path, full, sizeof(full));
  opened[fd].at = 0;
  opened[fd].entry.d_name[0] = '\0';
  return FIRST_FD + fd;
}

int tree_close(int fd)
{
  get(fd)->path[0] = '\0';
  return 0;
}

ssize_t tree_read(int fd, void *bytes, size_t size)
{
  struct tree_dir *dir = get(fd);
  size_t left = dir->file ? dir->file->length - dir->at : 0;

  if (size > left)
    size = left;
  if (size)
    memcpy(bytes, dir->file->text + dir->at, size);
  dir->at += size;
  return (ssize_t)size;
}

int tree_fstat(int fd, struct stat *status)
{
  memset(status, 0, sizeof(*status));
  status->st_mode = get(fd)->file ? S_IFREG | 0444 : S_IFDIR | 0555;
  return 0;
}

int tree_access(const char *path)
{
  int is_dir;

  return find(path, &is_dir) || is_dir ? 0 : -1;
}

tree_dir *tree_fdopendir(int fd)
{
  return get(fd);
}

tree_dir *tree_opendir(const char *path)
{
  int fd = tree_openat(AT_FDCWD, path, O_DIRECTORY);

  return fd < 0 ? NULL : tree_fdopendir(fd);
}

/* Lists a directory once for each run of files below it. Nobody promises that a directory that
 * changes meanwhile lists each name once. */
struct dirent *tree_readdir(tree_dir *dir)
{
  const size_t length = strlen(dir->path);

  while (dir->at < file_count) {
    const struct file *file = &files[dir->at++];
    const char *name = file->path + length + 1;
    size_t name_length;

    if (file->path_length <= length || memcmp(file->path, dir->path, length) ||
        file->path[length] != '/')
      continue;
    name_length = strcspn(name, "/");
    if (!strncmp(dir->entry.d_name, name, name_length) && !dir->entry.d_name[name_length])
      continue;
    memcpy(dir->entry.d_name, name, name_length);
    dir->entry.d_name[name_length] = '\0';
    dir->entry.d_type = DT_UNKNOWN;
    return &dir->entry;
  }
  return NULL;
}

void tree_rewinddir(tree_dir *dir)
{
  dir->at = 0;
  dir->entry.d_name[0] = '\0';
}

int tree_dirfd(tree_dir *dir)
{
  return FIRST_FD + (int)(dir - opened);
}

int tree_closedir(tree_dir *dir)
{
  return tree_close(tree_dirfd(dir));
}
