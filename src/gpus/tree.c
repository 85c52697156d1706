/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/tree.h"

#include "util/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

DIR *gc_gpus_open_dir(const char *root, const char *path)
{
  char full[PATH_MAX];
  DIR *dir;
  int fd;

  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
    return NULL;
  fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  dir = fdopendir(fd);
  if (!dir)
    close(fd);
  return dir;
}

long gc_gpus_read(int at, const char *path, char *text, size_t size)
{
  struct stat status;
  long result;
  const int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                                    (at == AT_FDCWD ? 0 : O_NOFOLLOW));

  if (fd < 0)
    return -errno;
  if (fstat(fd, &status) < 0) {
    result = -errno;
    goto out;
  }
  if (!S_ISREG(status.st_mode)) {
    result = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    goto out;
  }
  result = gc_file_read(fd, text, size - 1);
  if (result >= 0)
    text[result] = '\0';
out:
  close(fd);
  return result;
}

void gc_gpus_read_line(const char *root, const char *path, char *line, size_t size)
{
  char full[PATH_MAX], text[256];
  const char *start = text;
  size_t length;

  line[0] = '\0';
  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full) ||
      gc_gpus_read(AT_FDCWD, full, text, sizeof(text)) <= 0)
    return;
  text[strcspn(text, "\n")] = '\0';
  start += strspn(start, " \t");
  length = strlen(start);
  while (length > 0 && isspace((unsigned char)start[length - 1]))
    length--;
  if (length >= size)
    length = size - 1;
  for (size_t i = 0; i < length; i++)
    line[i] = start[i] >= ' ' && start[i] <= '~' ? start[i] : '?';
  line[length] = '\0';
}
