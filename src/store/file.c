/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "store/file.h"

#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file is trusted only if nobody but the caller and root can write it. */
static int check_file(const struct stat *st, const char *dir, const char *name, size_t most,
                      struct gc_error *err)
{
  if (!S_ISREG(st->st_mode))
    return gc_fail(err, -EACCES, "%s/%s is not a regular file", dir, name);
  if (st->st_uid != geteuid() && st->st_uid != 0)
    return gc_fail(err, -EACCES, "%s/%s belongs to user %lu", dir, name, (unsigned long)st->st_uid);
  if (st->st_mode & (S_IWGRP | S_IWOTH))
    return gc_fail(err, -EACCES, "%s/%s can be written by others than its owner", dir, name);
  if (st->st_size > (off_t)most)
    return gc_fail(err, -EBADMSG, "%s/%s is longer than %zu bytes", dir, name, most);
  return 0;
}

int gc_store_load(int dir_fd, const char *dir, const char *name, size_t most,
                  struct gc_store_text *text, struct gc_error *err)
{
  /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
  int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), status;
  struct stat st;
  ssize_t got;

  if (fd < 0) {
    if (errno == ELOOP)
      return gc_fail(err, -EACCES, "%s/%s is a symbolic link", dir, name);
    return gc_store_failed(err, errno, "cannot open", dir, name);
  }
  if (fstat(fd, &st)) {
    status = gc_store_failed(err, errno, "cannot examine", dir, name);
    goto out;
  }
  status = check_file(&st, dir, name, most, err);
  if (status)
    goto out;
  text->bytes = malloc((size_t)st.st_size + 1);
  if (!text->bytes) {
    status = gc_fail(err, -ENOMEM, "out of memory");
    goto out;
  }
  got = gc_file_read(fd, text->bytes, (size_t)st.st_size);
  if (got < 0) {
    status = gc_store_failed(err, -(int)got, "cannot read", dir, name);
    free(text->bytes);
  } else {
    text->length = (size_t)got;
    text->bytes[got] = '\0';
  }
out:
  close(fd);
  return status;
}

bool gc_store_same_file(int dir_fd, const char *name, const struct stat *file)
{
  struct stat st;

  return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == file->st_dev &&
         st.st_ino == file->st_ino;
}

/* The text of a file that is being made. */
struct content {
  const char *text;
  size_t length;
};

/* Locks the file until it is closed, and writes it. A file with a temporary name and without a lock
 * was left by a killed process, and gc_store_tidy_unfinished removes it. */
static int fill(int fd, void *data)
{
  const struct content *content = data;
  int status = gc_store_hold(fd);

  if (status == -EWOULDBLOCK) /* a process that tidies */
    return status;
  fchmod(fd, 0600); /* whatever the umask */
  status = gc_file_write(fd, content->text, content->length);
  return !status && content->length && fsync(fd) ? -errno : status;
}

int gc_store_write_temporary(int dir_fd, const char *id, const char *text, size_t length,
                             char temporary[GC_FILE_NAME])
{
  struct content content = {text, length};
  char start[GC_FILE_NAME];
  const struct gc_file_new new = {start, 0600, fill, &content};
  struct stat st;
  int fd;

  snprintf(start, sizeof(start), ".%.100s" GC_STORE_UNFINISHED, id);
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    fd = gc_file_create(dir_fd, &new, temporary);
    if (fd >= 0 ? !fstat(fd, &st) && gc_store_same_file(dir_fd, temporary, &st)
                : fd != -EWOULDBLOCK)
      return fd;
    if (fd >= 0)
      close(fd); /* another process tidied before the file was locked */
  }
  return -EEXIST;
}

/* Opens a file without a name, so that it does not stay when a signal ends the process. On a file
 * system that lacks such files, the file has a name for a moment, and this thread blocks all
 * signals meanwhile. */
static int create_nameless(int dir_fd, const char *id)
{
  char temporary[GC_FILE_NAME];
  int fd = openat(dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  sigset_t all, before;

  if (fd >= 0)
    return fd;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  fd = gc_store_write_temporary(dir_fd, id, "", 0, temporary);
  if (fd >= 0)
    unlinkat(dir_fd, temporary, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return fd;
}

/* Allocates blocks. If fallocate is missing, data must be written. Zeros are not enough: some file
 * systems allocate no blocks for them. */
static int allocate(int fd, size_t bytes)
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
      status = gc_file_write(fd, block, sizeof(block));
    }
    /* a network file system may only now report that it is full */
    return !status && fsync(fd) ? -errno : status;
  }
  return 0;
}

int gc_store_reserve(int dir_fd, const char *id, size_t bytes)
{
  const int fd = create_nameless(dir_fd, id);
  int status;

  if (fd < 0)
    return fd;
  status = allocate(fd, bytes);
  close(fd);
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
    /* a read-only file system reports that before it checks whether the file exists */
    if (faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
      status = ENOENT;
    status = gc_store_failed(err, status, "cannot remove", dir, name);
  }
  close(dir_fd);
  return status;
}
