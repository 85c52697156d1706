/* SPDX-License-Identifier: BSD-3-Clause */
/* One process at a time measures a GPU. The lock file stays until gc_store_tidy removes it, with its lock
 * held; so a lock counts only if its file still has the name then: else two processes could hold
 * locks on two files of the same name. */
#define _GNU_SOURCE
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Polled: flock has no time limit, and a signal to end it would be the application's business. */
static int wait_until(int fd, double end)
{
  const struct timespec pause = { 0, 20 * 1000 * 1000 };

  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return -errno;
    if (!(now() < end))
      return -ETIMEDOUT;
    nanosleep(&pause, NULL);
  }
  return 0;
}

/* The process that took the lock on this file; 0: not known here, as with a network file system, in another
 * container, or when it is gone and a child of its has the lock. F_GETLK does not know locks of flock. */
static long find_holder(const struct stat *file)
{
  FILE *locks = fopen("/proc/locks", "re");
  char line[256];
  long holder = 0;

  while (locks && !holder && fgets(line, sizeof(line), locks)) {
    unsigned long long inode;
    unsigned major, minor;
    long pid;

    if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &major, &minor, &inode) == 4 &&
        inode == file->st_ino && makedev(major, minor) == file->st_dev && pid > 0 &&
        (!kill((pid_t)pid, 0) || errno == EPERM))
      holder = pid;
  }
  if (locks)
    fclose(locks);
  return holder;
}

static int say_held(int status, const struct stat *file, struct gc_error *err)
{
  const long holder = find_holder(file);

  return holder ? gc_fail(err, status, "another process (%ld) is measuring this GPU", holder)
                : gc_fail(err, status, "another process is measuring this GPU");
}

bool gc_store_same_file(int dir_fd, const char *name, const struct stat *file)
{
  struct stat st;

  return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == file->st_dev &&
         st.st_ino == file->st_ino;
}

/* Opens and locks the file. -ESTALE: it was removed meanwhile. */
static int try_lock(int dir_fd, const char *dir, const char *name, double end, struct gc_error *err)
{
  int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  struct stat st;
  int status;

  if (fd < 0)
    return gc_store_unwritable(err, errno, dir_fd, dir, "cannot open", name);
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
    status = gc_fail(err, -EACCES, "%s/%s is not a file of ours", dir, name);
  else if ((status = wait_until(fd, end)) == -ETIMEDOUT)
    say_held(status, &st, err);
  else if (status)
    gc_store_failed(err, -status, "cannot lock", dir, name);
  else if (!gc_store_same_file(dir_fd, name, &st))
    status = -ESTALE;
  if (!status)
    return fd;
  close(fd);
  return status;
}

int gc_store_lock(const char *id, double seconds, struct gc_error *err)
{
  const double end = now() + seconds;
  char dir[PATH_MAX], name[GC_STORE_NAME];
  int dir_fd, lock = gc_store_check_id(id, err);

  if (lock)
    return lock;
  dir_fd = gc_store_open(dir, true, err);
  if (dir_fd < 0)
    return dir_fd;
  snprintf(name, sizeof(name), "%s.lock", id);
  do
    lock = try_lock(dir_fd, dir, name, end, err);
  while (lock == -ESTALE);
  close(dir_fd);
  return lock;
}

void gc_store_unlock(int lock)
{
  /* Said, too: a child that was forked meanwhile may still have the descriptor. */
  flock(lock, LOCK_UN);
  close(lock);
}
