/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: which files are believed, and which records are still true. */
#define _GNU_SOURCE
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A record is as good as who could have written it. */
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

static int read_all(int fd, char *text, size_t size, size_t *length)
{
  ssize_t got;

  for (*length = 0; *length < size; *length += (size_t)got) {
    got = read(fd, text + *length, size - *length);
    if (got < 0 && errno == EINTR)
      got = 0;
    else if (got < 0)
      return -errno;
    else if (got == 0)
      break;
  }
  return 0;
}

int gc_store_load(int dir_fd, const char *dir, const char *name, size_t most, char **text,
                  size_t *length, struct gc_error *err)
{
  /* O_NONBLOCK: a FIFO in its place must not make us wait for a writer. */
  int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), status;
  struct stat st;

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
  *text = malloc((size_t)st.st_size + 1);
  if (!*text) {
    status = gc_fail(err, -ENOMEM, "out of memory");
    goto out;
  }
  status = read_all(fd, *text, (size_t)st.st_size, length);
  if (status) {
    gc_store_failed(err, -status, "cannot read", dir, name);
    free(*text);
  } else {
    (*text)[*length] = '\0';
  }
out:
  close(fd);
  return status;
}

int gc_store_judge(const struct gc_record *record, const struct gc_identity *now,
                   struct gc_error *err)
{
  const struct gc_identity *then = &record->identity;
  /* A simulated GPU has a profile where a real one has a VBIOS (record.h). */
  const char *firmware = !strcmp(now->driver, "simulated") ? "profile" : "VBIOS";
  const struct {
    const char *what, *then, *now;
    bool asleep; /* some drivers do not tell it of a GPU that sleeps: then it cannot have changed */
  } conditions[] = {
    { "driver", then->driver, now->driver, false },
    { firmware, then->vbios, now->vbios, true },
    { "MIG or partition state", then->mig, now->mig, false },
    { "record format", record->format, GC_RECORD_FORMAT, false },
    { "measuring method", record->method, GC_RECORD_METHOD, false },
  };

  if (strcmp(then->id, now->id))
    return gc_fail(err, -EBADMSG, "is the record of %s", then->id);
  for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
    if (strcmp(conditions[i].then, conditions[i].now) &&
        !(conditions[i].asleep && (!*conditions[i].then || !*conditions[i].now)))
      return gc_fail(err, -ESTALE, "was made with %s \"%s\", now it is \"%s\"", conditions[i].what,
                     conditions[i].then, conditions[i].now);
  return 0;
}

int gc_store_read(int fd, const char *dir, const struct gc_identity *identity,
                  struct gc_record **record, struct gc_error *err)
{
  struct gc_record *found;
  struct gc_error why;
  char name[GC_STORE_NAME], *text = NULL;
  size_t length = 0;
  int status;

  snprintf(name, sizeof(name), "%s.xml", identity->id);
  status = gc_store_load(fd, dir, name, GC_RECORD_MAX_BYTES, &text, &length, err);
  if (status)
    return status;
  status = gc_record_read_xml(text, length, &found, &why);
  free(text);
  if (!status) {
    status = gc_store_judge(found, identity, &why);
    if (status)
      gc_record_free(found);
  }
  if (status)
    gc_fail(err, status, "%.200s/%s %s%.200s", dir, name,
            status == -EBADMSG ? "cannot be used: " : "", why.text);
  else
    *record = found;
  return status;
}

/* fd: of the directory, or why there is none; closed. */
static int find_in(int fd, const char *dir, const struct gc_identity *identity, struct gc_record **record,
                   struct gc_error *err)
{
  int status;

  if (fd < 0)
    return fd;
  status = gc_store_read(fd, dir, identity, record, err);
  close(fd);
  return status;
}

int gc_store_find(const struct gc_identity *identity, struct gc_record **record,
                  struct gc_error *err)
{
  struct gc_error why_not_ours, why_not_site;
  char dir[PATH_MAX];
  int ours = gc_store_check_id(identity->id, err), site;

  if (ours)
    return ours;
  ours = find_in(gc_store_open(dir, false, &why_not_ours), dir, identity, record, &why_not_ours);
  if (ours == 0)
    return 0;
  site = find_in(gc_store_open_dir(GC_SITE_DIR, &why_not_site), GC_SITE_DIR, identity, record, &why_not_site);
  if (site == 0)
    return 0;
  if (ours != -ENOENT)
    return gc_fail(err, ours, "%s", why_not_ours.text);
  if (site != -ENOENT)
    return gc_fail(err, site, "%s", why_not_site.text);
  return gc_fail(err, -ENOENT, "no record of %s", identity->id);
}

bool gc_store_has_site(const char *id)
{
  char path[PATH_MAX];

  return !gc_store_check_id(id, NULL) &&
         (size_t)snprintf(path, sizeof(path), "%s/%s.xml", GC_SITE_DIR, id) < sizeof(path) &&
         !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

int gc_store_each(int (*visit)(const char *id, const char *path, void *data), void *data,
                  struct gc_error *err)
{
  char dir[PATH_MAX], path[PATH_MAX], *end;
  DIR *stream;
  int status = gc_store_list(dir, &stream, err);
  struct dirent *entry;

  if (status)
    return status == -ENOENT ? 0 : status;
  while (!status && (entry = readdir(stream))) {
    end = strrchr(entry->d_name, '.');
    if (!end || strcmp(end, ".xml") ||
        (size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= sizeof(path))
      continue;
    *end = '\0';
    if (gc_id_ok(entry->d_name))
      status = visit(entry->d_name, path, data);
  }
  closedir(stream);
  return status;
}
