/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OVERLAP 4096u
#define PIECE (256u << 10)

/* Opens the file of an O_PATH descriptor for reading. Without /proc, opens it by its name again. */
static int reopen(int file, int dir, const char *path)
{
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  char self[40];
  int fd;

  snprintf(self, sizeof self, "/proc/self/fd/%d", file);
  fd = open(self, flags);
  return fd < 0 && errno == ENOENT ? openat(dir, path, flags) : fd;
}

int gc_regular_open_at(int dir, const char *path, uint64_t *size)
{
  const int file = openat(dir, path, O_PATH | O_CLOEXEC);
  struct stat st;
  int fd = -1, status = 0;

  if (file < 0)
    return -errno;
  if (fstat(file, &st))
    status = -errno;
  else if (!S_ISREG(st.st_mode))
    status = -EBADMSG;
  else if ((fd = reopen(file, dir, path)) < 0 || fstat(fd, &st))
    status = -errno;
  else if (!S_ISREG(st.st_mode))
    status = -EBADMSG;
  close(file);
  if (status && fd >= 0)
    close(fd);
  if (!status)
    *size = (uint64_t)st.st_size;
  return status ? status : fd;
}

int gc_regular_open(const char *path, uint64_t *size)
{
  return gc_regular_open_at(AT_FDCWD, path, size);
}

/* Reads up to `size` bytes, fewer only at the end of the file. */
static ssize_t fill(int fd, char *at, size_t size, uint64_t offset)
{
  size_t length = 0;

  while (length < size) {
    const ssize_t got = pread(fd, at + length, size - length, (off_t)(offset + length));

    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -errno;
    if (!got)
      break;
    length += (size_t)got;
  }
  return (ssize_t)length;
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
  got = fill(fd, *text, (size_t)st.st_size, 0);
  if (got < 0) {
    free(*text);
    return (int)got;
  }
  *length = (size_t)got;
  (*text)[*length] = '\0';
  return 0;
}

int gc_regular_load(const char *path, size_t most, char **text, size_t *length)
{
  uint64_t size;
  const int fd = gc_regular_open(path, &size);
  int status;

  if (fd < 0)
    return fd;
  status = gc_regular_read(fd, most, text, length);
  close(fd);
  return status;
}

int gc_regular_contains(int fd, const void *bytes, size_t size)
{
  char *piece = malloc(OVERLAP + PIECE);
  uint64_t offset = 0;
  size_t kept = 0;
  ssize_t got;
  int found = 0;

  if (!piece)
    return -ENOMEM;
  while ((got = fill(fd, piece + kept, PIECE, offset)) > 0) {
    const size_t length = kept + (size_t)got;

    if (memmem(piece, length, bytes, size)) {
      found = 1;
      break;
    }
    offset += (size_t)got;
    kept = length < size ? length : size - 1;
    memmove(piece, piece + length - kept, kept);
  }
  free(piece);
  return got < 0 ? (int)got : found;
}
