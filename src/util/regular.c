/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/regular.h"

#include "util/file.h"
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OVERLAP 4096u
#define PIECE (256u << 10)

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int check(int fd, uint64_t *size)
{
  struct stat st;

  if (fstat(fd, &st))
    return -errno;
  *size = (uint64_t)st.st_size;
  return S_ISREG(st.st_mode)   ? 0
         : S_ISDIR(st.st_mode) ? -EISDIR
         : S_ISLNK(st.st_mode) ? -ELOOP
                               : -EBADMSG;
}

/* Examines the file before it opens it. follow: 0 or O_NOFOLLOW. */
static int open_at(int dir, const char *name, int follow, uint64_t *size)
{
  const int file = openat(dir, name, O_PATH | O_CLOEXEC | follow);
  int status = file < 0 ? -errno : check(file, size), fd;
  char self[40];

  if (!status) {
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    fd = open(self, OPEN_FLAGS);
    if (fd < 0 && errno == ENOENT) /* without /proc */
      fd = openat(dir, name, OPEN_FLAGS | follow);
    status = fd < 0 ? -errno : check(fd, size);
    if (!status)
      status = fd;
    else if (fd >= 0)
      close(fd);
  }
  if (file >= 0)
    close(file);
  return status;
}

int gc_regular_open_any(const char *path, uint64_t *size)
{
  return open_at(AT_FDCWD, path, 0, size);
}

int gc_regular_open_in(int dir, const char *name, uint64_t *size)
{
  return open_at(dir, name, O_NOFOLLOW, size);
}

int gc_regular_open(const char *path, uint64_t *size, struct gc_error *why)
{
  char last[GC_WALK_COMPONENT];
  const int way = gc_walk_file(path, last, why);
  int fd;

  if (way < 0)
    return way;
  fd = open_at(way, last, gc_walk_is_descriptor(path) ? 0 : O_NOFOLLOW, size);
  close(way);
  if (fd >= 0 && path[strlen(path) - 1] == '/') {
    close(fd);
    fd = -ENOTDIR;
  }
  return fd == -EBADMSG ? gc_fail(why, fd, "not a regular file")
         : fd < 0       ? gc_fail(why, fd, "%s", strerror(-fd))
                        : fd;
}

int gc_regular_read(int fd, size_t most, char **text, size_t *length)
{
  struct stat st;
  ssize_t got;

  if (fstat(fd, &st))
    return -errno;
  if (!S_ISREG(st.st_mode))
    return -EBADMSG;
  if ((uintmax_t)st.st_size > most)
    return -EFBIG;
  if (!(*text = malloc((size_t)st.st_size + 1)))
    return -ENOMEM;
  got = gc_file_read(fd, *text, (size_t)st.st_size);
  if (got < 0) {
    free(*text);
    *text = NULL;
    return (int)got;
  }
  *length = (size_t)got;
  (*text)[*length] = '\0';
  return 0;
}

int gc_regular_load(const char *path, size_t most, char **text, size_t *length,
                    struct gc_error *err)
{
  struct gc_error why = {""};
  uint64_t size;
  int fd = gc_regular_open(path, &size, &why), status = fd;

  if (fd >= 0) {
    status = gc_regular_read(fd, most, text, length);
    close(fd);
    if (status == -EFBIG)
      gc_fail(&why, status, "more than %zu KiB", most >> 10);
    else if (status)
      gc_fail(&why, status, "%s", strerror(-status));
  }
  return status ? gc_fail(err, status, "%.200s: %.300s", path, why.text) : 0;
}

int gc_regular_contains(int fd, const void *bytes, size_t size)
{
  char *piece = malloc(OVERLAP + PIECE);
  size_t kept = 0;
  ssize_t got;
  int found = 0;

  if (!piece)
    return -ENOMEM;
  while ((got = gc_file_read(fd, piece + kept, PIECE)) > 0) {
    const size_t length = kept + (size_t)got;

    if (memmem(piece, length, bytes, size)) {
      found = 1;
      break;
    }
    kept = length < size ? length : size - 1;
    memmove(piece, piece + length - kept, kept);
  }
  free(piece);
  return got < 0 ? (int)got : found;
}
