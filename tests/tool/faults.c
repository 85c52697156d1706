/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into the tool, makes a file system with faults, as the variable FAULTS says, a list of words:
 *   flock   flock is not supported, except on directories, which sysfs locks
 *   fcntl   fcntl's locks of open files are not supported
 *   rename  no record gets its name
 * For tests/tool/locks.bats and hip.bats.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name, void *function, size_t size)
{
  void *address = dlsym(RTLD_NEXT, name);

  memcpy(function, &address, size);
  return address;
}

static int has(const char *fault)
{
  const char *faults = getenv("FAULTS");

  return faults && strstr(faults, fault);
}

static int refuse(int code)
{
  errno = code;
  return -1;
}

EXPORT int flock(int fd, int operation)
{
  int (*real)(int, int);
  struct stat st;

  return (has("flock") && !fstat(fd, &st) && S_ISREG(st.st_mode)) ||
                 !next("flock", &real, sizeof(real))
             ? refuse(ENOSYS)
             : real(fd, operation);
}

#define FCNTL(name)                                                                                \
  EXPORT int name(int fd, int command, ...)                                                        \
  {                                                                                                \
    int (*real)(int, int, ...);                                                                    \
    void *argument;                                                                                \
    va_list rest;                                                                                  \
                                                                                                   \
    va_start(rest, command);                                                                       \
    argument = va_arg(rest, void *);                                                               \
    va_end(rest);                                                                                  \
    if ((command == F_OFD_SETLK && has("fcntl")) || !next(#name, &real, sizeof(real)))             \
      return refuse(ENOLCK);                                                                       \
    return real(fd, command, argument);                                                            \
  }

FCNTL(fcntl)
FCNTL(fcntl64)

EXPORT int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
  const size_t length = strlen(to);
  int (*real)(int, const char *, int, const char *);

  if ((has("rename") && length > 4 && !strcmp(to + length - 4, ".xml")) ||
      !next("renameat", &real, sizeof(real)))
    return refuse(EBUSY);
  return real(from_fd, from, to_fd, to);
}
