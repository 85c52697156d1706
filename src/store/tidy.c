/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "store/tidy.h"

#include "store/dir.h"
#include "store/file.h"
#include "store/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Earlier versions named the measuring process in a file, where there were no locks. */
#define OWNER ".owner"

/* On a file system without locks, a process that has not finished after this time has been killed:
 * writing a record takes less than a second. */
#define ABANDONED_SECONDS (10 * 60)

/* Whether no other process has locked the file; this one now has, where there are locks. */
static bool is_unheld(int fd, const struct stat *st)
{
  const int status = gc_store_hold(fd);

  return !status || (status == -EOPNOTSUPP && time(NULL) - st->st_mtime > ABANDONED_SECONDS);
}

/* Removes a file of this user that nobody has locked, while holding its lock. empty: only an
 * empty file, as lock files are. 1: removed; 0: not to be removed; or a negative errno. */
static int remove_unheld(int dir_fd, const char *dir, const char *name, bool empty,
                         struct gc_error *err)
{
  int fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), status = 0;
  struct stat st;

  if (fd < 0) /* a link, or removed meanwhile */
    return errno == ELOOP || errno == ENOENT
             ? 0
             : gc_store_failed(err, errno, "cannot open", dir, name);
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_size == 0 || !empty) &&
      st.st_uid == geteuid() && is_unheld(fd, &st) && gc_store_same_file(dir_fd, name, &st))
    status =
        unlinkat(dir_fd, name, 0) ? gc_store_failed(err, errno, "cannot remove", dir, name) : 1;
  close(fd);
  return status;
}

/* Whether the name is ID + ending, or with more: ID + ending + anything. */
static bool is_id_with(const char *name, const char *ending, bool more)
{
  const char *end = strstr(name, ending);
  char id[GC_STORE_NAME];

  if (!end || (!more && end[strlen(ending)]) || (size_t)(end - name) >= sizeof(id))
    return false;
  memcpy(id, name, (size_t)(end - name));
  id[end - name] = '\0';
  return gc_id_ok(id);
}

/* Whether this is the name of an unfinished record: of this GPU, or with NULL of any. */
static bool is_unfinished(const char *name, const char *id)
{
  return name[0] == '.' && is_id_with(name + 1, GC_STORE_UNFINISHED, true) &&
         (!id ||
          (!strncmp(name + 1, id, strlen(id)) &&
           !strncmp(name + 1 + strlen(id), GC_STORE_UNFINISHED, strlen(GC_STORE_UNFINISHED))));
}

void gc_store_tidy_unfinished(int dir_fd, const char *dir, const char *id)
{
  int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* its own position */
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;

  while (stream && (entry = readdir(stream)))
    if (is_unfinished(entry->d_name, id))
      remove_unheld(dir_fd, dir, entry->d_name, false, NULL);
  if (stream)
    closedir(stream);
  else if (fd >= 0)
    close(fd);
}

/* Tidies one file of the directory. 0 or a negative errno. */
static int tidy_one(int fd, const char *dir, const char *name,
                    const struct gc_store_tidy_report *report, struct gc_error *err)
{
  char path[PATH_MAX], id[GC_STORE_NAME];
  int status = 0;

  if (is_id_with(name, ".lock", false)) {
    status = remove_unheld(fd, dir, name, true, err);
  } else if (is_unfinished(name, NULL) || is_id_with(name, OWNER, false)) {
    status = remove_unheld(fd, dir, name, false, err);
  } else if (is_id_with(name, GC_STORE_FAILED, false)) {
    status = remove_unheld(fd, dir, name, false, err);
    snprintf(id, sizeof(id), "%.*s", (int)(strlen(name) - strlen(GC_STORE_FAILED)), name);
    if (status > 0)
      report->forgot(id, report->data);
  } else if (is_id_with(name, ".xml.bad-", true) &&
             (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path)) {
    report->aside(path, report->data);
  }
  return status < 0 ? status : 0;
}

int gc_store_tidy(const struct gc_store_tidy_report *report, struct gc_error *err)
{
  char dir[PATH_MAX];
  DIR *stream;
  int status = gc_store_list(dir, &stream, err), failed;
  struct dirent *entry;

  if (status)
    return status == -ENOENT ? 0 : status;
  while ((entry = readdir(stream))) {
    failed = tidy_one(dirfd(stream), dir, entry->d_name, report, err);
    status = status ? status : failed;
  }
  closedir(stream);
  return status;
}
