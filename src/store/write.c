/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/write.h"

#include "store/dir.h"
#include "store/file.h"
#include "store/find.h"
#include "store/tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A record that the reader refuses would be measured again at every load. */
static int check_text(const struct gc_identity *identity, const char *xml, size_t length,
                      struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_record_read_xml(xml, length, &record, err);

  if (!status) {
    status = gc_store_judge(record, identity, err);
    gc_record_free(record);
  }
  return status ? gc_fail_in(err, status, "this is not a valid record") : 0;
}

/* Whether the open directory accepts a file of GC_STORE_RESERVE_BYTES. */
static int try_directory(int dir_fd, const char *dir, const char *id, struct gc_error *err)
{
  char name[GC_STORE_NAME];
  struct rlimit limit;
  int status;

  snprintf(name, sizeof(name), "%s.xml", id);
  /* beyond that limit, SIGXFSZ would end the application */
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < GC_STORE_RESERVE_BYTES)
    return gc_store_failed(err, EFBIG, "cannot write", dir, name);
  status = gc_store_reserve(dir_fd, id, GC_STORE_RESERVE_BYTES);
  return status ? gc_store_unwritable(err, -status, dir_fd, dir, "cannot write", name) : 0;
}

/* Whether the directory for new records is missing. */
static bool is_missing(void)
{
  char dir[PATH_MAX];
  int fd = gc_store_open(dir, false, NULL);

  if (fd >= 0)
    close(fd);
  return fd == -ENOENT;
}

int gc_store_check(const char *id, struct gc_error *err)
{
  char dir[PATH_MAX];
  int status = gc_store_check_id(id, err), fd;
  bool is_new;

  if (status)
    return status;
  is_new = is_missing();
  fd = gc_store_open(dir, true, err);
  if (fd < 0)
    return fd;
  status = try_directory(fd, dir, id, err);
  close(fd);
  if (status && is_new)
    gc_store_remove_dir(); /* fails if another process has made a file in it */
  return status;
}

/* What happens to the file in the record's place. 1: it may be lost, because it is a record of this
 * GPU, valid or stale, or there is none; 0: it is another kind of file, which is renamed; or a
 * negative errno: the kind is not known (memory or descriptors run out, the disk fails). */
static int judge_present(int dir_fd, const char *dir, const struct gc_identity *identity,
                         struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_store_read(dir_fd, dir, identity, &record, err);

  if (!status)
    gc_record_free(record);
  if (status == 0 || status == -ENOENT || status == -ESTALE)
    return 1;
  return status == -EBADMSG || status == -EACCES ? 0 : status;
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

/* A measurement has succeeded: the note of an earlier failure is no longer true. */
static void forget_failure(int dir_fd, const char *id)
{
  char name[GC_STORE_NAME];

  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, id);
  unlinkat(dir_fd, name, 0);
}

int gc_store_write(const struct gc_identity *identity, const char *xml, size_t length,
                   struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME], temporary[GC_FILE_NAME];
  int dir_fd, fd, status = gc_store_check_id(identity->id, err);

  if (!status)
    status = check_text(identity, xml, length, err);
  if (status)
    return status;
  dir_fd = gc_store_open(dir, true, err);
  if (dir_fd < 0)
    return dir_fd;
  snprintf(name, sizeof(name), "%s.xml", identity->id);

  fd = gc_store_write_temporary(dir_fd, identity->id, xml, length, temporary);
  if (fd < 0) {
    status = gc_store_unwritable(err, -fd, dir_fd, dir, "cannot write", name);
    goto out;
  }
  status = judge_present(dir_fd, dir, identity, err);
  if (status < 0) {
    gc_fail_in(err, status, "the earlier record cannot be replaced");
    goto out_temporary;
  }
  if (!status) {
    status = set_aside(dir_fd, name);
    if (status) {
      gc_store_failed(err, -status, "cannot rename the bad record", dir, name);
      goto out_temporary;
    }
  }
  status = 0;
  if (renameat(dir_fd, temporary, dir_fd, name)) {
    status = gc_store_failed(err, errno, "cannot replace", dir, name);
    goto out_temporary;
  }
  forget_failure(dir_fd, identity->id);
  /* Some file systems cannot sync a directory; the record is in place nevertheless. */
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

int gc_store_remove(const char *id, struct gc_error *err)
{
  return gc_store_unlink(id, ".xml", err);
}
