/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "store/find.h"

#include "store/dir.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gc_store_judge(const struct gc_record *record, const struct gc_identity *now,
                   struct gc_error *err)
{
  const struct gc_identity *then = &record->identity;
  /* A simulated GPU has a hash of its profile in place of a VBIOS version. */
  const char *firmware = !strcmp(now->driver, "simulated") ? "profile" : "VBIOS";
  const struct {
    const char *what, *then, *now;
    bool asleep; /* missing with some drivers while the GPU sleeps: it cannot change then */
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
  struct gc_store_text text;
  char name[GC_STORE_NAME];
  const char *problem = "cannot be used: ";
  int status;

  snprintf(name, sizeof(name), "%s.xml", identity->id);
  status = gc_store_load(fd, dir, name, GC_RECORD_MAX_BYTES, &text, err);
  if (status)
    return status;
  status = gc_record_read_text(text.bytes, text.length, &found, &why);
  if (!status) {
    problem = "";
    status = gc_store_judge(found, identity, &why);
    if (status)
      gc_record_free(found);
  }
  if (status)
    gc_fail(err, status, "%.200s/%s %s%.200s", dir, name, problem, why.text);
  else
    *record = found;
  return status;
}

/* Finds the record in one directory and closes it. fd: its descriptor, or the negative errno of
 * opening it. */
static int find_in(int fd, const char *dir, const struct gc_identity *identity,
                   struct gc_record **record, struct gc_error *err)
{
  int status;

  if (fd < 0)
    return fd;
  status = gc_store_read(fd, dir, identity, record, err);
  close(fd);
  return status;
}

/* The caller's record is provisional. The record of the site is better if it is not provisional. */
static void prefer_site(struct gc_record **record, struct gc_record *of_site)
{
  if (gc_provisional_why(of_site)) {
    gc_record_free(of_site);
    return;
  }
  gc_record_free(*record);
  *record = of_site;
}

int gc_store_find(const struct gc_identity *identity, struct gc_record **record,
                  struct gc_error *err)
{
  struct gc_error why_not_ours, why_not_site;
  struct gc_record *of_site;
  char dir[PATH_MAX];
  int ours = gc_store_check_id(identity->id, err), site;

  if (ours)
    return ours;
  ours = find_in(gc_store_open(dir, false, &why_not_ours), dir, identity, record, &why_not_ours);
  if (ours == 0 && !gc_provisional_why(*record))
    return 0;
  site = find_in(gc_store_open_site(&why_not_site), GC_SITE_DIR, identity, &of_site,
                 &why_not_site);
  if (ours == 0) {
    if (site == 0)
      prefer_site(record, of_site);
    return 0;
  }
  if (site == 0) {
    *record = of_site;
    return 0;
  }
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

int gc_store_each(int (*visit)(int dir_fd, const char *id, const char *path, void *data),
                  void *data, struct gc_error *err)
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
      status = visit(dirfd(stream), entry->d_name, path, data);
  }
  closedir(stream);
  return status;
}
