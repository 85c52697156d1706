/* SPDX-License-Identifier: BSD-3-Clause */
/* One process at a time measures a GPU. The lock file stays: removing it would let two processes
 * hold locks on two files of the same name. */
#define _GNU_SOURCE
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Polled: flock has no time limit, and a signal to end it would be the application's business. */
static int wait_for(int fd, double seconds)
{
  const struct timespec pause = { 0, 20 * 1000 * 1000 };
  double end = now() + seconds;

  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return -errno;
    if (!(now() < end))
      return -ETIMEDOUT;
    nanosleep(&pause, NULL);
  }
  return 0;
}

int gc_store_lock(const char *id, double seconds, struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME];
  int dir_fd, fd, status = gc_store_check_id(id, err);
  struct stat st;

  if (status)
    return status;
  dir_fd = gc_store_open(dir, GC_STORE_MAKE, err);
  if (dir_fd < 0)
    return dir_fd;
  snprintf(name, sizeof(name), "%s.lock", id);
  fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) {
    status = gc_store_failed(err, errno, "cannot open", dir, name);
    goto out;
  }
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0)) {
    status = gc_fail(err, -EACCES, "%s/%s is not a file of ours", dir, name);
    goto out_fd;
  }
  status = wait_for(fd, seconds);
  if (status == -ETIMEDOUT)
    gc_fail(err, status, "%s is being measured by another process", id);
  else if (status)
    gc_store_failed(err, -status, "cannot lock", dir, name);
  if (!status)
    goto out;

out_fd:
  close(fd);
out:
  close(dir_fd);
  return status ? status : fd;
}

void gc_store_unlock(int lock)
{
  /* Said, too: a child that was forked meanwhile may still have the descriptor. */
  flock(lock, LOCK_UN);
  close(lock);
}
