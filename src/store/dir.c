/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc/gpucache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int gc_store_failed(struct gc_error *err, int code, const char *what, const char *dir,
                    const char *name)
{
  errno = code;
  return gc_fail(err, -code, "%s %s%s%s: %m", what, dir, name ? "/" : "", name ? name : "");
}

int gc_store_check_id(const char *id, struct gc_error *err)
{
  return gc_id_ok(id) ? 0 : gc_fail(err, -EINVAL, "\"%.100s\" cannot be the id of a GPU", id);
}

#define OTHER_DIR "set " HWLOC_GPUCACHE_DIR_ENV " to another one"

static const char *variable(const char *name)
{
  const char *value = secure_getenv(name);

  return value && *value ? value : NULL;
}

/* Why it says nothing. */
static const char *lacks(const char *name)
{
  const char *value = secure_getenv(name);

  return !value ? "not set" : *value ? "not absolute" : "empty";
}

/* levels: how many of the path's last components may be made when missing. Never a home itself, but all of a
 * directory that was named for this. */
static int find_dir(char *dir, size_t size, unsigned *levels, struct gc_error *err)
{
  const char *own = variable(HWLOC_GPUCACHE_DIR_ENV), *base = variable("XDG_CACHE_HOME"),
             *home = variable("HOME");
  int length;

  *levels = own ? UINT_MAX : 2;
  if (own)
    length = snprintf(dir, size, "%s", own);
  else if (base && base[0] == '/') /* the XDG specification: a relative one is invalid */
    length = snprintf(dir, size, "%s/hwloc-gpucache", base);
  else if (home && home[0] == '/')
    length = snprintf(dir, size, "%s/.cache/hwloc-gpucache", home);
  else
    return gc_fail(err, -ENOENT, "no directory for records: " HWLOC_GPUCACHE_DIR_ENV
                   " is %s, XDG_CACHE_HOME is %s, HOME is %s; set " HWLOC_GPUCACHE_DIR_ENV,
                   lacks(HWLOC_GPUCACHE_DIR_ENV), lacks("XDG_CACHE_HOME"), lacks("HOME"));
  if (length < 0 || (size_t)length >= size)
    return gc_fail(err, -ENAMETOOLONG, "the path of the directory for records is too long");
  /* O_NOFOLLOW would follow a link whose name ends in a slash. */
  while (length > 1 && dir[length - 1] == '/')
    dir[--length] = '\0';
  return 0;
}

int gc_store_dir(char *dir, size_t size, struct gc_error *err)
{
  unsigned levels;

  return find_dir(dir, size, &levels, err);
}

const char *gc_store_ignored(void)
{
  const char *base = variable("XDG_CACHE_HOME");

  return base && base[0] != '/' && !variable(HWLOC_GPUCACHE_DIR_ENV)
             ? "XDG_CACHE_HOME is ignored, because it is not absolute"
             : NULL;
}

const char *gc_store_site_dir(void)
{
  return GC_SITE_DIR;
}

int gc_store_path(const char *id, char *path, size_t size, struct gc_error *err)
{
  int status = gc_store_check_id(id, err);
  size_t length;

  if (status)
    return status;
  status = gc_store_dir(path, size, err);
  if (status)
    return status;
  length = strlen(path);
  if ((size_t)snprintf(path + length, size - length, "/%s.xml", id) >= size - length)
    return gc_fail(err, -ENAMETOOLONG, "the path of the record is too long");
  return 0;
}

/* Why a directory is not used, and what its owner can do about it. Not: take the right to write in /tmp away. */
static int refuse(const struct stat *st, const char *dir, struct gc_error *err)
{
  const bool ours = st->st_uid == geteuid();

  if (!ours && st->st_uid != 0)
    return gc_fail(err, -EACCES, "the directory for records %.300s is not used: it belongs to user %lu", dir,
                   (unsigned long)st->st_uid);
  if (st->st_mode & S_IWOTH)
    return gc_fail(err, -EACCES, "the directory for records %.300s is not used: everybody can write there%s", dir,
                   (ours || !geteuid()) && !(st->st_mode & S_ISVTX) ? "; chmod o-w mends that" : "");
  return 0;
}

int gc_store_open_dir(const char *dir, struct gc_error *err)
{
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), status;
  struct stat st;

  if (fd < 0) {
    status = -errno;
    /* Linux says ENOTDIR, not ELOOP, when both flags meet a link. */
    if ((errno == ENOTDIR || errno == ELOOP) && !lstat(dir, &st) && S_ISLNK(st.st_mode))
      return gc_fail(err, -EACCES, "the directory for records %.300s is not used: it is a symbolic link", dir);
    errno = -status;
    return gc_fail(err, status, "the directory for records %.300s cannot be opened: %m", dir);
  }
  if (fstat(fd, &st))
    status = gc_store_failed(err, errno, "cannot examine", dir, NULL);
  else
    status = refuse(&st, dir, err);
  if (!status)
    return fd;
  close(fd);
  return status;
}

/* The caller's own: there may be another one. */
static int open_own(const char *dir, struct gc_error *err)
{
  struct gc_error why = {""};
  int fd = gc_store_open_dir(dir, &why);

  if (fd == -ENOENT)
    gc_fail(err, fd, "%s", why.text);
  else if (fd < 0)
    gc_fail(err, fd, "%.420s%s" OTHER_DIR, why.text, strstr(why.text, "; chmod") ? ", or " : "; ");
  return fd;
}

int gc_store_unwritable(struct gc_error *err, int code, int dir_fd, const char *dir, const char *what,
                        const char *name)
{
  /* a file of another user's in a directory that is ours is no matter of the directory */
  const bool denied = code == EACCES || code == EPERM;
  /* of what takes no files, whoever asks, /proc says ENOENT, /sys EACCES */
  const bool everywhere = code == EROFS || code == ENOSPC || code == EDQUOT || code == ENOENT ||
                          (denied && (faccessat(dir_fd, ".", W_OK | X_OK, AT_EACCESS) ||
                                      faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW)));

  if (!everywhere)
    return gc_store_failed(err, code, what, dir, name);
  errno = code;
  return gc_fail(err, -code, "the directory for records %.300s cannot be written: %m; " OTHER_DIR, dir);
}

/* Makes name in parent, unless parent is somebody else's, who could have led us anywhere. */
static int make_in(const char *parent, const char *name, struct gc_error *why)
{
  int fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC), status = 0;
  struct stat st;

  if (fd < 0 || fstat(fd, &st))
    status = gc_store_failed(why, errno, "cannot open", parent, NULL);
  else if (st.st_uid != geteuid() && st.st_uid != 0)
    status = gc_fail(why, -EACCES, "%.200s belongs to user %lu", parent, (unsigned long)st.st_uid);
  else if (mkdirat(fd, name, 0700) && errno != EEXIST)
    status = gc_store_failed(why, errno, "cannot make", parent, name);
  if (fd >= 0)
    close(fd);
  return status;
}

/* Makes dir where there is none and, with levels to spare, what it is in. why: what it failed at. */
static int make_all(char *dir, unsigned levels, struct gc_error *why)
{
  char *name = strrchr(dir, '/'), *end = name;
  int status;

  if (!access(dir, F_OK))
    return 0;
  if (errno != ENOENT || !levels)
    return errno == ENOENT ? gc_fail(why, -ENOENT, "there is no %.200s", dir)
                           : gc_store_failed(why, errno, "cannot make", dir, NULL);
  if (!name)
    return make_in(".", dir, why);
  while (end > dir && end[-1] == '/')
    end--;
  if (end == dir)
    return make_in("/", name + 1, why);
  *end = '\0';
  status = make_all(dir, levels - 1, why);
  if (!status)
    status = make_in(dir, name + 1, why);
  *end = '/';
  return status;
}

int gc_store_open(char dir[PATH_MAX], bool make, struct gc_error *err)
{
  struct gc_error why = {""};
  unsigned levels;
  int status = find_dir(dir, PATH_MAX, &levels, err);

  if (!status && make && mkdir(dir, 0700) && errno != EEXIST) {
    status = make_all(dir, levels, &why);
    if (status)
      return gc_fail(err, status, "no directory for records %.150s: %.200s; " OTHER_DIR, dir, why.text);
  }
  return status ? status : open_own(dir, err);
}

int gc_store_check(const char *id, struct gc_error *err)
{
  char dir[PATH_MAX];
  int status = gc_store_check_id(id, err), fd;

  if (status)
    return status;
  fd = gc_store_open(dir, true, err);
  if (fd < 0)
    return fd;
  status = gc_store_try(fd, dir, id, err);
  close(fd);
  return status;
}

int gc_store_list(char dir[PATH_MAX], DIR **stream, struct gc_error *err)
{
  int fd = gc_store_open(dir, false, err), status;

  if (fd < 0)
    return fd;
  *stream = fdopendir(fd);
  if (*stream)
    return 0;
  status = gc_store_failed(err, errno, "cannot list", dir, NULL);
  close(fd);
  return status;
}
