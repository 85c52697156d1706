/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into a program: calls that concern paths with $BLOCK_PATH in them never return, as when
 * the server of a file system is down. $BLOCK_CALLS: letters of the calls that block: r opening for
 * reading, w opening for writing and making directories, x starting a program. With k, whatever the
 * path, no process can be killed, as in uninterruptible sleep. A call of the command that
 * blocks makes the file $BLOCK_MARK.
 *
 * Opening a path with $BLOCK_WAITS waits until a path with $BLOCK_UNTIL is opened, which must be in
 * another thread. After ten seconds the process ends with status 99.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void block(char call, const char *path)
{
  const char *blocked = getenv("BLOCK_PATH"), *calls = getenv("BLOCK_CALLS");

  const char *mark = getenv("BLOCK_MARK");

  if (!blocked || !calls || !strchr(calls, call) || !strstr(path, blocked))
    return;
  if (mark && strstr(program_invocation_name, "hwloc-gpucache"))
    syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600);
  for (;;)
    pause();
}

static void wait_for_other(const char *path)
{
  static _Atomic bool is_opened;
  const char *waits = getenv("BLOCK_WAITS"), *until = getenv("BLOCK_UNTIL");

  if (!waits || !until)
    return;
  is_opened = is_opened || strstr(path, until);
  for (int i = 0; !is_opened && strstr(path, waits); i++) {
    if (i == 1000)
      _exit(99);
    usleep(10000);
  }
}

static void block_open(const char *path, int flags)
{
  block(flags & (O_WRONLY | O_RDWR | O_CREAT) ? 'w' : 'r', path);
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...)                                                       \
  {                                                                                                \
    int (*real)(const char *, int, mode_t) = dlsym(RTLD_NEXT, #name);                              \
    mode_t mode;                                                                                   \
    va_list args;                                                                                  \
                                                                                                   \
    va_start(args, flags);                                                                         \
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                               \
    va_end(args);                                                                                  \
    block_open(path, flags);                                                                       \
    return real(path, flags, mode);                                                                \
  }

OPEN(open)
OPEN(open64)

/* The whole path of one that is relative to a directory. */
static const char *whole(int dir_fd, const char *path, char text[PATH_MAX])
{
  char link[64];
  ssize_t length;

  if (dir_fd == AT_FDCWD || *path == '/')
    return path;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", dir_fd);
  length = readlink(link, text, PATH_MAX - 1);
  if (length < 0)
    return path;
  snprintf(text + length, PATH_MAX - (size_t)length, "/%s", path);
  return text;
}

#define OPEN_AT(name)                                                                              \
  int name(int dir_fd, const char *path, int flags, ...)                                           \
  {                                                                                                \
    int (*real)(int, const char *, int, mode_t) = dlsym(RTLD_NEXT, #name);                         \
    char text[PATH_MAX];                                                                           \
    mode_t mode;                                                                                   \
    va_list args;                                                                                  \
                                                                                                   \
    va_start(args, flags);                                                                         \
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                               \
    va_end(args);                                                                                  \
    wait_for_other(whole(dir_fd, path, text));                                                     \
    /* hwloc, which never sets O_NOFOLLOW, reads /proc and /sys relative to a directory */          \
    if (dir_fd == AT_FDCWD || flags & (O_WRONLY | O_RDWR | O_CREAT | O_NOFOLLOW))                  \
      block_open(whole(dir_fd, path, text), flags);                                                \
    return real(dir_fd, path, flags, mode);                                                        \
  }

OPEN_AT(openat)
OPEN_AT(openat64)

int mkdirat(int dir_fd, const char *path, mode_t mode)
{
  int (*real)(int, const char *, mode_t) = dlsym(RTLD_NEXT, "mkdirat");
  char text[PATH_MAX];

  block('w', whole(dir_fd, path, text));
  return real(dir_fd, path, mode);
}

int mkdir(const char *path, mode_t mode)
{
  int (*real)(const char *, mode_t) = dlsym(RTLD_NEXT, "mkdir");

  block('w', path);
  return real(path, mode);
}

static int can_kill(void)
{
  const char *calls = getenv("BLOCK_CALLS");

  return !calls || !strchr(calls, 'k');
}

int kill(pid_t pid, int number)
{
  int (*real)(pid_t, int) = dlsym(RTLD_NEXT, "kill");

  return can_kill() ? real(pid, number) : 0;
}

long syscall(long number, ...)
{
  long (*real)(long, long, long, long, long, long, long) = dlsym(RTLD_NEXT, "syscall");
  long arguments[6];
  va_list args;

  va_start(args, number);
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg(args, long);
  va_end(args);
#ifdef SYS_pidfd_send_signal
  if (number == SYS_pidfd_send_signal && !can_kill())
    return 0;
#endif
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
  int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
              char *const[], char *const[]) = dlsym(RTLD_NEXT, "posix_spawn");

  block('x', path);
  return real(pid, path, actions, attributes, argv, environment);
}
