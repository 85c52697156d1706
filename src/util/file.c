/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/file.h"

#include "util/clock.h"
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NAMES 100

/* Creates a file that is not complete yet, and writes its name to `name`. A name from the process
 * id would not do: processes of two containers that write to one directory may have the same id. */
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

/* Makes the directory where the path leads, if it is missing. */
static int make_dir(const char *path, bool *made, struct gc_error *why)
{
  char last[GC_WALK_COMPONENT];
  const int parent = gc_walk_only(path, UINT_MAX, last, why);
  int status = 0;

  if (parent < 0)
    return parent;
  *made = !mkdirat(parent, last, 0777);
  if (!*made && errno != EEXIST)
    status = gc_fail(why, -errno, "%s", strerror(errno));
  close(parent);
  return status;
}

/* Opens the directory. The walk goes to the parent of what it is given, so that it follows the last
 * link, too. */
static int open_dir(const char *path, struct gc_error *why)
{
  char inside[PATH_MAX], last[GC_WALK_COMPONENT];
  int way, dir;

  if ((size_t)snprintf(inside, sizeof(inside), "%s/.", path) >= sizeof(inside))
    return gc_fail(why, -ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
  way = *path ? gc_walk_only(inside, UINT_MAX, last, why) : -ENOENT;
  if (way < 0)
    return way;
  dir = openat(way, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0)
    dir = gc_fail(why, -errno, "%s", strerror(errno));
  close(way);
  return dir;
}

static int check_dir(int dir)
{
  char name[64];
  const int file = create(dir, name);

  if (file < 0)
    return -errno;
  close(file);
  unlinkat(dir, name, 0);
  return 0;
}

int gc_file_dir(const char *path, bool *made, struct gc_error *err)
{
  struct gc_error why = {""};
  bool is_new = false;
  int dir, status = made ? make_dir(path, &is_new, &why) : 0;

  if (made)
    *made = false;
  if (status)
    return gc_fail(err, status, "cannot make the directory %s: %s", path,
                   status == -ENOENT ? "its parent directory does not exist" : why.text);
  dir = open_dir(path, &why);
  if (dir < 0)
    status = gc_fail(err, dir, "cannot open the directory %s: %s", path,
                     dir == -ENOENT ? strerror(ENOENT) : why.text);
  else if ((status = check_dir(dir)))
    gc_fail(err, status, "cannot write in the directory %s: %s", path, strerror(-status));
  if (status && dir >= 0)
    close(dir);
  if (status && is_new)
    gc_file_remove_dir(path);
  else if (made)
    *made = is_new;
  return status ? status : dir;
}

void gc_file_remove_dir(const char *path)
{
  char last[GC_WALK_COMPONENT];
  const int parent = gc_walk_only(path, UINT_MAX, last, NULL);

  if (parent < 0)
    return;
  unlinkat(parent, last, AT_REMOVEDIR);
  close(parent);
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
