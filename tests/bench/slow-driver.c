/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for a slow driver, for LD_PRELOAD: before a process opens a file "information" of a
 * GPU, it waits for a lock that all processes share, and holds it for 0.3 ms (a sleep of 0.25 ms,
 * which ends late). SLOW_DRIVER_LOCK is the file with the lock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int openat(int dir, const char *path, int flags, ...)
{
  int (*real)(int, const char *, int, ...) =
      (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  const char *lock = getenv("SLOW_DRIVER_LOCK");
  va_list args;
  mode_t mode;

  va_start(args, flags);
  mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  if (lock && strstr(path, "/information")) {
    const int fd = real(AT_FDCWD, lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    flock(fd, LOCK_EX);
    nanosleep(&(struct timespec){0, 250000}, NULL);
    close(fd);
  }
  return real(dir, path, flags, mode);
}
