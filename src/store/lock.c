/* SPDX-License-Identifier: BSD-3-Clause */
/* Only gc_store_tidy removes a lock file, and only while it holds the lock. So a process that gets
 * the lock checks that the file still has its name: otherwise two processes could hold locks on two
 * files that had the same name. */
#define _GNU_SOURCE
#include "store/lock.h"

#include "store/dir.h"
#include "store/file.h"
#include "store/hold.h"
#include "util/clock.h"
#include "util/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The lock file of one GPU. */
struct place {
  int dir_fd;
  const char *dir, *id;
  char name[GC_STORE_NAME];
  struct stat held; /* the file that another process has locked */
};

static int say_held(long holder, struct gc_error *err)
{
  char who[32] = "", advice[GC_HOLDER_ADVICE];

  if (holder)
    snprintf(who, sizeof(who), " (%ld)", holder);
  gc_holder_advice(holder, advice);
  return gc_fail(err, -ETIMEDOUT, "another process%s is measuring this GPU%s", who, advice);
}

/* Another kind of file, or the file of another user, has the name of the lock. */
static int refuse(const struct place *at, int code, const char *name, const struct stat *st,
                  struct gc_error *err)
{
  if (!S_ISREG(st->st_mode))
    return gc_fail(err, -code, "%s/%s is not a regular file; remove it", at->dir, name);
  return gc_fail(err, -code, "%s/%s belongs to user %lu; remove it, or ask that user to do so",
                 at->dir, name, (unsigned long)st->st_uid);
}

static bool is_ours(const struct stat *st)
{
  return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0);
}

/* Why a file cannot be opened or made. */
static int cannot(const struct place *at, int code, const char *what, const char *name,
                  struct gc_error *err)
{
  struct stat st;

  if (!fstatat(at->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && !is_ours(&st))
    return refuse(at, code, name, &st, err);
  return gc_store_unwritable(err, code, at->dir_fd, at->dir, what, name);
}

/* Opens the lock file, and makes it if it is missing. Its mode does not depend on the umask,
 * because the umask could deny access to other processes of this user. */
static int open_file(const struct place *at)
{
  const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const struct timespec pause = { 0, 2 * 1000 * 1000 };
  int fd;

  for (int i = 0;; i++) {
    fd = openat(at->dir_fd, at->name, flags);
    if (fd < 0 && errno == ENOENT) {
      fd = openat(at->dir_fd, at->name, flags | O_CREAT | O_EXCL, 0600);
      if (fd >= 0)
        fchmod(fd, 0600);
      else if (errno == EEXIST)
        continue;
    }
    /* another process has made it and has not set its mode yet */
    if (fd >= 0 || errno != EACCES || i == 10)
      return fd;
    nanosleep(&pause, NULL);
  }
}

/* Locks the file, once. -EOPNOTSUPP: this file system has no locks; -ESTALE: the file was removed
 * meanwhile. */
static int try_file(struct place *at, struct gc_error *err)
{
  int fd = open_file(at), status;
  struct stat st;

  if (fd < 0)
    return cannot(at, errno, "cannot open", at->name, err);
  if (fstat(fd, &st))
    status = gc_store_failed(err, errno, "cannot examine", at->dir, at->name);
  else if (!is_ours(&st))
    status = refuse(at, EACCES, at->name, &st, err);
  else if ((status = gc_store_hold(fd)) == -EWOULDBLOCK)
    at->held = st;
  else if (status)
    gc_store_failed(err, -status, "cannot lock", at->dir, at->name);
  else if (!gc_store_same_file(at->dir_fd, at->name, &st))
    status = -ESTALE;
  if (!status)
    return fd;
  close(fd);
  return status;
}

/* Polls, because flock has no time limit, and signals belong to the application. */
static int try_until(struct place *at, double end, struct gc_error *err)
{
  const struct timespec pause = { 0, 20 * 1000 * 1000 };
  int lock;

  for (;;) {
    lock = try_file(at, err);
    if (lock == -ESTALE)
      continue;
    if (lock != -EWOULDBLOCK)
      return lock;
    if (!(gc_now_ms() < end))
      return say_held(gc_holder_of(&at->held), err);
    nanosleep(&pause, NULL);
  }
}

int gc_store_lock(const char *id, double seconds, struct gc_error *err)
{
  const double end = gc_now_ms() + 1e3 * seconds;
  char dir[PATH_MAX];
  struct place at = { .dir = dir, .id = id };
  int lock = gc_store_check_id(id, err);

  if (lock)
    return lock;
  at.dir_fd = gc_store_open(dir, true, err);
  if (at.dir_fd < 0)
    return at.dir_fd;
  snprintf(at.name, sizeof(at.name), "%s.lock", id);
  lock = try_until(&at, end, err);
  close(at.dir_fd);
  return lock;
}

bool gc_store_held(const char *id, struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME];
  struct stat file;
  long holder = 0;
  int dir_fd = gc_store_check_id(id, NULL) ? -1 : gc_store_open(dir, false, NULL);

  if (dir_fd < 0)
    return false;
  snprintf(name, sizeof(name), "%s.lock", id);
  if (!fstatat(dir_fd, name, &file, AT_SYMLINK_NOFOLLOW))
    holder = gc_holder_of(&file);
  close(dir_fd);
  if (holder)
    say_held(holder, err);
  return holder != 0;
}

void gc_store_unlock(int lock)
{
  /* Closing is not enough: a child that was forked meanwhile may still have the descriptor. */
  gc_store_release(lock);
  close(lock);
}
