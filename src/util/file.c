/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "util/file.h"

#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_NAMES 100

const char *gc_temporary(void)
{
  const char *const directory = secure_getenv("TMPDIR");

  return directory && *directory ? directory : "/tmp";
}

/* Gives a name to a file that has none, or with file < 0 creates one. A name from the process id
 * would not do: processes of two containers that write to one directory may have the same id.
 * Returns 0 or a descriptor, or a negative errno. */
static int take_name(int dir, int file, const struct gc_file_new *new, char name[GC_FILE_NAME])
{
  char link[32];
  uint64_t random;
  int got = -1;

  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  for (int i = 0; i < MOST_NAMES; i++) {
    /* not getrandom(), so that the plugin needs no newer libc */
    if (syscall(SYS_getrandom, &random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = (unsigned)i; /* names that are in use are noticed */
    snprintf(name, GC_FILE_NAME, "%s%016" PRIx64, new->start, random);
    got = file >= 0
              ? linkat(AT_FDCWD, link, dir, name, AT_SYMLINK_FOLLOW)
              : openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, new->mode);
    if (got >= 0 || errno != EEXIST)
      break;
  }
  return got < 0 ? -errno : got;
}

int gc_file_create(int dir, const struct gc_file_new *new, char name[GC_FILE_NAME])
{
  int file = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, new->mode), status;

  for (bool has_name = file < 0;; has_name = true) {
    if (has_name && (file = take_name(dir, -1, new, name)) < 0)
      return file;
    status = new->fill(file, new->data);
    if (!status && (has_name || !take_name(dir, file, new, name)))
      return file;
    if (has_name)
      unlinkat(dir, name, 0);
    close(file);
    if (status)
      return status;
    /* there is no /proc to give the file a name, or the file system does not allow it */
  }
}

/* Why nothing can be made in a directory. In /proc, the error is that "it" does not exist. */
static const char *refusal(int error)
{
  return error == ENOENT ? "its file system does not allow that" : strerror(error);
}

/* Makes the directory where the path leads, if it is missing. */
static int make_dir(const char *path, bool *made, struct gc_error *why)
{
  char last[GC_WALK_COMPONENT];
  const int parent = gc_walk_only(path, UINT_MAX, last, why);
  int status = 0;

  if (parent == -ENOENT)
    return gc_fail(why, parent, "its parent directory does not exist");
  if (parent < 0)
    return parent;
  *made = !mkdirat(parent, last, 0777);
  if (!*made && errno != EEXIST)
    status = gc_fail(why, -errno, "%s", refusal(errno));
  close(parent);
  return status;
}

/* The walk goes to the parent of what it is given, so that it follows the last link, too. */
int gc_file_open_dir(const char *path, struct gc_error *err)
{
  char inside[PATH_MAX], last[GC_WALK_COMPONENT];
  struct gc_error why = {""};
  int way, dir;

  if ((size_t)snprintf(inside, sizeof(inside), "%s/.", path) >= sizeof(inside))
    way = gc_fail(&why, -ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
  else
    way = *path ? gc_walk_only(inside, UINT_MAX, last, &why) : -ENOENT;
  dir = way < 0 ? way : openat(way, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (way >= 0 && dir < 0)
    dir = gc_fail(&why, -errno, "%s", strerror(errno));
  if (way >= 0)
    close(way);
  return dir < 0 ? gc_fail(err, dir, "cannot open the directory %s: %s", path,
                           dir == -ENOENT ? strerror(ENOENT) : why.text)
                 : dir;
}

/* The content of a file. */
struct content {
  const void *data;
  size_t size;
};

static int write_content(int file, void *data)
{
  const struct content *content = data;

  return gc_file_write(file, content->data, content->size);
}

/* Creates a file for the user. The umask decides who may read it. */
static int create(int dir, struct content *content, char name[GC_FILE_NAME])
{
  const struct gc_file_new new = {".hwloc-gpucache-", 0666, write_content, content};

  return gc_file_create(dir, &new, name);
}

static int check_dir(int dir)
{
  char name[GC_FILE_NAME];
  const int file = create(dir, &(struct content){"", 0}, name);

  if (file < 0)
    return file;
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
    return gc_fail(err, status, "cannot make the directory %s: %s", path, why.text);
  dir = gc_file_open_dir(path, err);
  if (dir < 0)
    status = dir;
  else if ((status = check_dir(dir)))
    gc_fail(err, status, "cannot write in the directory %s: %s", path, refusal(-status));
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

ssize_t gc_file_read(int file, void *bytes, size_t size)
{
  size_t length = 0;

  while (length < size) {
    const ssize_t n = read(file, (char *)bytes + length, size - length);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    if (!n)
      break;
    length += (size_t)n;
  }
  return (ssize_t)length;
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
  struct content content = {data, size};
  char temporary[GC_FILE_NAME];
  const int file = create(dir, &content, temporary);
  int status = file < 0 ? file : 0;

  if (file >= 0) {
    if (close(file) || renameat(dir, temporary, dir, name))
      status = -errno;
    if (status)
      unlinkat(dir, temporary, 0);
  }
  return status ? gc_fail(err, status, "cannot write %s: %s", name, strerror(-status)) : 0;
}

int gc_file_is_own(int dir, const char *name, const char *mark, bool at_end, struct gc_error *err)
{
  const size_t length = strlen(mark);
  char text[128] = "";
  struct stat st;
  int fd;

  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
    return 0; /* there is none, or writing fails with the reason */
  fd = S_ISREG(st.st_mode) && st.st_size >= (off_t)length && length < sizeof text
           ? openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
           : -1;
  if (fd >= 0) {
    (void)!pread(fd, text, length, at_end ? st.st_size - (off_t)length : 0);
    close(fd);
  }
  return strcmp(text, mark) ? gc_fail(err, -EEXIST,
                                      "%s exists and was not written by this command: move it away",
                                      name)
                            : 0;
}

bool gc_file_close(FILE *file)
{
  const bool failed = ferror(file);

  return !fclose(file) && !failed;
}
