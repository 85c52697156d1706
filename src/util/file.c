/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of a file while it is written. */
static void unfinished(char name[64])
{
  snprintf(name, 64, ".hwloc-gpucache-%ld.tmp", (long)getpid());
}

static int create(int dir, const char *name)
{
  return openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int gc_file_dir(const char *path, bool *made, struct gc_error *err)
{
  char name[64];
  int dir, file, error;

  if (made)
    *made = !mkdir(path, 0777);
  if (made && !*made && errno != EEXIST)
    return gc_fail(err, -errno, "cannot make the directory %s: %s", path,
                   errno == ENOENT ? "its parent directory does not exist" : strerror(errno));
  dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0)
    return gc_fail(err, -errno, "cannot open the directory %s: %s", path, strerror(errno));
  unfinished(name);
  file = create(dir, name);
  if (file < 0) {
    error = errno;
    close(dir);
    return gc_fail(err, -error, "cannot write in the directory %s: %s", path, strerror(error));
  }
  close(file);
  unlinkat(dir, name, 0);
  return dir;
}

int gc_file_write(int file, const void *data, size_t size)
{
  const char *at = data;

  while (size) {
    const ssize_t n = write(file, at, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    at += n;
    size -= (size_t)n;
  }
  return 0;
}

int gc_file_put(int dir, const char *name, const void *data, size_t size, struct gc_error *err)
{
  char temporary[64];
  int file, status;

  unfinished(temporary);
  if ((file = create(dir, temporary)) < 0)
    return gc_fail(err, -errno, "cannot write %s: %s", name, strerror(errno));
  status = gc_file_write(file, data, size);
  if (close(file) && !status)
    status = -errno;
  if (!status && renameat(dir, temporary, dir, name))
    status = -errno;
  if (!status)
    return 0;
  unlinkat(dir, temporary, 0);
  return gc_fail(err, status, "cannot write %s: %s", name, strerror(-status));
}

bool gc_file_close(FILE *file)
{
  const bool failed = ferror(file);

  return !fclose(file) && !failed;
}
