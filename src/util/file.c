/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/file.h"

#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NAMES 100

/* Creates a file that is not complete yet, and writes its name to `name`. A name from the process id
 * would not do: processes of two containers that write to one directory may have the same id. */
static int create(int dir, char name[64])
{
  uint64_t random;
  int file;

  for (int i = 0; i < MOST_NAMES; i++) {
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = (uint64_t)(1e6 * gc_now_ms()); /* O_EXCL finds names that are in use */
    snprintf(name, 64, ".hwloc-gpucache-%016" PRIx64 ".tmp", random);
    file = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
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
