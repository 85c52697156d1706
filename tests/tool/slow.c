/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into the tool, makes a file system like a slow one over a network: no files without a name, and two
 * seconds before an unfinished record is removed or gets its name. For tests/tool/end.bats.
 *
 * With SLOW_UNTIL, a record gets its name only after this file exists, and nothing else is slow. So a process that
 * measures cannot end before. For tests/many/killed.bats, end.bats and locks.bats. With SLOW_REMOVE_UNTIL, an unfinished
 * record is removed only after this file exists, and nothing else is slow.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name, void *function, size_t size)
{
  void *address = dlsym(RTLD_NEXT, name);

  memcpy(function, &address, size);
  return address;
}

static void slow(const char *name, int is_rename)
{
  const char *stored = getenv("SLOW_UNTIL"), *removed = getenv("SLOW_REMOVE_UNTIL");
  const char *until = is_rename ? stored : removed;

  if (!strstr(name, ".xml.tmp-"))
    return;
  if (!stored && !removed)
    nanosleep(&(struct timespec){2, 0}, NULL); /* fast.c may replace it */
  for (int i = 0; i < 6000 && until && access(until, F_OK); i++) /* a minute at most */
    usleep(10000);
}

static int open_named(const char *function, int dir_fd, const char *path, int flags, mode_t mode)
{
  int (*open_at)(int, const char *, int, ...);

  if ((flags & O_TMPFILE) == O_TMPFILE || !next(function, &open_at, sizeof(open_at))) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return open_at(dir_fd, path, flags, mode);
}

/* Whether there is a fourth argument; O_TMPFILE is several bits, one of them O_DIRECTORY. */
static int creates(int flags)
{
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN_AT(name)                                           \
  EXPORT int name(int dir_fd, const char *path, int flags, ...) \
  {                                                             \
    mode_t mode = 0;                                            \
    va_list rest;                                               \
                                                                \
    va_start(rest, flags);                                      \
    if (creates(flags))                                         \
      mode = va_arg(rest, mode_t);                              \
    va_end(rest);                                               \
    return open_named(#name, dir_fd, path, flags, mode);        \
  }

OPEN_AT(openat)
OPEN_AT(openat64)

EXPORT int unlinkat(int dir_fd, const char *path, int flags)
{
  int (*unlink_at)(int, const char *, int);

  slow(path, 0);
  return next("unlinkat", &unlink_at, sizeof(unlink_at)) ? unlink_at(dir_fd, path, flags) : -1;
}

EXPORT int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
  int (*rename_at)(int, const char *, int, const char *);

  slow(from, 1);
  return next("renameat", &rename_at, sizeof(rename_at)) ? rename_at(from_fd, from, to_fd, to) : -1;
}
