/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing: a record appears whole or not at all, and takes the place only of what it replaces. */
#define _GNU_SOURCE
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A record that its own reader refuses would be measured again at every load. */
static int check_text(const struct gc_identity *identity, const char *xml, size_t length,
                      struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_record_read_xml(xml, length, &record, err);

  if (!status) {
    status = gc_store_judge(record, identity, err);
    gc_record_free(record);
  }
  return status ? gc_fail_in(err, status, "not stored, because it is not a valid record") : 0;
}

static int write_all(int fd, const char *text, size_t length)
{
  while (length > 0) {
    ssize_t done = write(fd, text, length);

    if (done < 0 && errno != EINTR)
      return -errno;
    if (done > 0) {
      text += done;
      length -= (size_t)done;
    }
  }
  return 0;
}

/* A new file, locked until it is closed: one without a lock was left by somebody who was killed, and
 * gc_store_tidy_unfinished removes it. temporary: receives its name. */
static int create_temporary(int dir_fd, const char *id, char temporary[GC_STORE_NAME])
{
  struct stat st;
  int fd;

  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    snprintf(temporary, GC_STORE_NAME, ".%s" GC_STORE_UNFINISHED "%ld-%u", id, (long)getpid(), attempt);
    fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
      continue;
    if (fd < 0)
      return -errno;
    /* Some file systems have no locks, and nobody can tidy there. */
    if ((!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && !fstat(fd, &st) &&
        gc_store_same_file(dir_fd, temporary, &st))
      return fd;
    close(fd); /* somebody tidied before it was locked */
  }
  return -EEXIST;
}

/* A new file with this text that will survive a power cut: a descriptor that keeps it from being tidied
 * away. temporary: receives its name. */
static int write_temporary(int dir_fd, const char *id, const char *xml, size_t length,
                           char temporary[GC_STORE_NAME])
{
  int fd = create_temporary(dir_fd, id, temporary), status;

  if (fd < 0)
    return fd;
  status = write_all(fd, xml, length);
  if (!status && (fchmod(fd, 0600) || fsync(fd)))
    status = -errno;
  if (!status)
    return fd;
  unlinkat(dir_fd, temporary, 0);
  close(fd);
  return status;
}

/* A new file that nobody leaves who is ended by a signal: without a name, or, where file systems have none such,
 * with one for a moment, in which this thread takes no signals. */
static int create_nameless(int dir_fd, const char *id)
{
  char temporary[GC_STORE_NAME];
  int fd = openat(dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  sigset_t all, before;

  if (fd >= 0)
    return fd;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  fd = create_temporary(dir_fd, id, temporary);
  if (fd >= 0)
    unlinkat(dir_fd, temporary, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return fd;
}

/* Blocks for so many bytes. Not of zeros, which some file systems keep in no blocks, where they must be written. */
static int take_room(int fd, size_t bytes)
{
  char block[4096];
  uint32_t noise = 1;
  int status = 0;

  while (fallocate(fd, 0, 0, (off_t)bytes)) {
    if (errno == EINTR)
      continue;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
      return -errno;
    for (size_t at = 0; at < bytes && !status; at += sizeof(block)) {
      for (size_t i = 0; i < sizeof(block); i++)
        block[i] = (char)((noise = noise * 1664525 + 1013904223) >> 24);
      status = write_all(fd, block, sizeof(block));
    }
    /* a network file system may say only now that it has no room */
    return !status && fsync(fd) ? -errno : status;
  }
  return 0;
}

int gc_store_try(int dir_fd, const char *dir, const char *id, struct gc_error *err)
{
  char name[GC_STORE_NAME];
  struct rlimit limit;
  int fd, status;

  snprintf(name, sizeof(name), "%s.xml", id);
  /* past that limit, SIGXFSZ would end the application */
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < GC_STORE_ROOM)
    return gc_store_failed(err, EFBIG, "cannot write", dir, name);
  fd = create_nameless(dir_fd, id);
  status = fd < 0 ? fd : take_room(fd, GC_STORE_ROOM);
  if (fd >= 0)
    close(fd);
  return status ? gc_store_unwritable(err, -status, dir_fd, dir, "cannot write", name) : 0;
}

/* What is in the record's place and may be lost: nothing, or a record of this GPU, stale or not. */
static bool replaceable(int dir_fd, const char *dir, const struct gc_identity *identity)
{
  struct gc_record *record;
  int status = gc_store_read(dir_fd, dir, identity, &record, NULL);

  if (!status)
    gc_record_free(record);
  return status == 0 || status == -ENOENT || status == -ESTALE;
}

static int set_aside(int dir_fd, const char *name)
{
  char date[32], aside[GC_STORE_NAME + 64];
  time_t now = time(NULL);
  struct stat st;
  struct tm tm;

  strftime(date, sizeof(date), "%Y%m%dT%H%M%S", gmtime_r(&now, &tm));
  snprintf(aside, sizeof(aside), "%s.bad-%s", name, date);
  for (unsigned i = 1; !fstatat(dir_fd, aside, &st, AT_SYMLINK_NOFOLLOW) && i < 1000; i++)
    snprintf(aside, sizeof(aside), "%s.bad-%s-%u", name, date, i);
  return renameat(dir_fd, name, dir_fd, aside) ? -errno : 0;
}

int gc_store_put(int dir_fd, const char *dir, const char *id, const char *ending, const char *text,
                 size_t length, struct gc_error *err)
{
  char name[GC_STORE_NAME], temporary[GC_STORE_NAME];
  int fd = write_temporary(dir_fd, id, text, length, temporary), status = 0;

  snprintf(name, sizeof(name), "%s%s", id, ending);
  if (fd < 0)
    return gc_store_unwritable(err, -fd, dir_fd, dir, "cannot write", name);
  if (renameat(dir_fd, temporary, dir_fd, name)) {
    status = gc_store_failed(err, errno, "cannot replace", dir, name);
    unlinkat(dir_fd, temporary, 0);
  } else {
    /* Some file systems cannot; the file is in place nevertheless. */
    fsync(dir_fd);
  }
  close(fd);
  return status;
}

/* What a measurement that succeeded puts an end to. */
static void forget_failure(int dir_fd, const char *id)
{
  char name[GC_STORE_NAME];

  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, id);
  unlinkat(dir_fd, name, 0);
}

int gc_store_write(const struct gc_identity *identity, const char *xml, size_t length,
                   struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME], temporary[GC_STORE_NAME];
  int dir_fd, fd, status = gc_store_check_id(identity->id, err);

  if (!status)
    status = check_text(identity, xml, length, err);
  if (status)
    return status;
  dir_fd = gc_store_open(dir, true, err);
  if (dir_fd < 0)
    return dir_fd;
  snprintf(name, sizeof(name), "%s.xml", identity->id);

  fd = write_temporary(dir_fd, identity->id, xml, length, temporary);
  if (fd < 0) {
    status = gc_store_unwritable(err, -fd, dir_fd, dir, "cannot write", name);
    goto out;
  }
  if (!replaceable(dir_fd, dir, identity)) {
    status = set_aside(dir_fd, name);
    if (status) {
      gc_store_failed(err, -status, "cannot set aside the bad", dir, name);
      goto out_temporary;
    }
  }
  if (renameat(dir_fd, temporary, dir_fd, name)) {
    status = gc_store_failed(err, errno, "cannot replace", dir, name);
    goto out_temporary;
  }
  forget_failure(dir_fd, identity->id);
  /* Some file systems cannot; the record is in place nevertheless. */
  fsync(dir_fd);
  gc_store_tidy_unfinished(dir_fd, dir, identity->id);
  goto out_file;

out_temporary:
  unlinkat(dir_fd, temporary, 0);
out_file:
  close(fd);
out:
  close(dir_fd);
  return status;
}

int gc_store_unlink(const char *id, const char *ending, struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME];
  int dir_fd, status = gc_store_check_id(id, err);

  if (status)
    return status;
  dir_fd = gc_store_open(dir, false, err);
  if (dir_fd < 0)
    return dir_fd;
  snprintf(name, sizeof(name), "%s%s", id, ending);
  if (unlinkat(dir_fd, name, 0)) {
    status = errno;
    /* a file system that is read-only says so before it looks whether there is such a file */
    if (faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
      status = ENOENT;
    status = gc_store_failed(err, status, "cannot remove", dir, name);
  }
  close(dir_fd);
  return status;
}

int gc_store_remove(const char *id, struct gc_error *err)
{
  return gc_store_unlink(id, ".xml", err);
}
