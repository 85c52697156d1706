/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "store/dir.h"

#include "util/env.h"
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc/gpucache.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
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

/* Whether the variables belong to another user than the one that files are made for. A service may
 * take the rights of a user while it runs; secure_getenv does not notice that. */
static bool is_foreign(void)
{
  return getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid();
}

static const char *variable(enum gc_env_variable which)
{
  const char *value = gc_env_get(which);

  return value && *value ? value : NULL;
}

/* levels: how many of the last components of the path may be created. A home directory is never
 * created; all components of $HWLOC_GPUCACHE_DIR may be. */
static int find_dir(char *dir, size_t size, unsigned *levels, struct gc_error *err)
{
  const char *own = variable(GC_ENV_DIR), *base = variable(GC_ENV_XDG_CACHE_HOME),
             *home = variable(GC_ENV_HOME);
  int length;

  *levels = own ? UINT_MAX : 2;
  if (is_foreign())
    return gc_fail(err, -ENOENT, "no directory for records: this process has rights that its user "
                   "lacks (set-user-ID, for example); run hwloc-gpucache measure without them");
  if (own)
    length = snprintf(dir, size, "%s", own);
  else if (base && base[0] == '/') /* the XDG specification does not allow a relative path */
    length = snprintf(dir, size, "%s/hwloc-gpucache", base);
  else if (home && home[0] == '/')
    length = snprintf(dir, size, "%s/.cache/hwloc-gpucache", home);
  else
    return gc_fail(err, -ENOENT, "no directory for records: set " HWLOC_GPUCACHE_DIR_ENV
                   ", XDG_CACHE_HOME or HOME to an absolute path");
  if (length < 0 || (size_t)length >= size)
    return gc_fail(err, -ENAMETOOLONG, "the path of the directory for records is too long");
  /* O_NOFOLLOW follows a link with a slash at the end of its name. */
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
  const char *base = variable(GC_ENV_XDG_CACHE_HOME);

  return base && base[0] != '/' && !variable(GC_ENV_DIR) && !is_foreign()
             ? "XDG_CACHE_HOME is ignored, because it is not absolute"
             : NULL;
}

const char *gc_store_site_dir(void)
{
  return GC_SITE_DIR;
}

/* Refuses a directory that cannot be trusted, and says how its owner can fix that, but not for
 * directories like /tmp (with the sticky bit). */
static int refuse(const struct stat *st, const char *dir, struct gc_error *err)
{
  const bool ours = st->st_uid == geteuid();

  if (!ours && st->st_uid != 0)
    return gc_fail(err, -EACCES,
                   "the directory for records %.300s is not used: it belongs to user %lu", dir,
                   (unsigned long)st->st_uid);
  if (st->st_mode & S_IWOTH)
    return gc_fail(
        err, -EACCES, "the directory for records %.300s is not used: everybody can write there%s",
        dir, (ours || !geteuid()) && !(st->st_mode & S_ISVTX) ? "; chmod o-w fixes that" : "");
  return 0;
}

/* name: of the directory dir in the directory parent. */
static int open_in(int parent, const char *name, const char *dir, struct gc_error *err)
{
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), status;
  struct stat st;

  if (fd < 0) {
    status = -errno;
    /* With both flags, Linux returns ENOTDIR for a link, not ELOOP. */
    if ((errno == ENOTDIR || errno == ELOOP) &&
        !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
      return gc_fail(err, -EACCES,
                     "the directory for records %.300s is not used: it is a symbolic link", dir);
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

/* Opens the caller's own directory; the sentence says that another one may be set. */
static int open_own(int parent, const char *name, const char *dir, struct gc_error *err)
{
  struct gc_error why = {""};
  int fd = open_in(parent, name, dir, &why);

  if (fd == -ENOENT)
    gc_fail(err, fd, "%s", why.text);
  else if (fd < 0)
    gc_fail(err, fd, "%.420s%s" OTHER_DIR, why.text, strstr(why.text, "; chmod") ? ", or " : "; ");
  return fd;
}

int gc_store_unwritable(struct gc_error *err, int code, int dir_fd, const char *dir,
                        const char *what, const char *name)
{
  /* permission may be denied for the file of another user, in a directory that is fine */
  const bool denied = code == EACCES || code == EPERM;
  /* in directories that never accept files, /proc returns ENOENT and /sys EACCES */
  const bool everywhere = code == EROFS || code == ENOSPC || code == EDQUOT || code == ENOENT ||
                          (denied && (faccessat(dir_fd, ".", W_OK | X_OK, AT_EACCESS) ||
                                      faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW)));

  if (!everywhere)
    return gc_store_failed(err, code, what, dir, name);
  errno = code;
  return gc_fail(err, -code, "the directory for records %.300s cannot be written: %m; " OTHER_DIR,
                 dir);
}

static int refuse_way(int status, const char *dir, const struct gc_error *why, struct gc_error *err)
{
  return gc_fail(err, status, "no directory for records %.150s: %.200s; " OTHER_DIR, dir,
                 why->text);
}

/* Walks to the parent of the directory for new records. */
static int find_parent(char dir[PATH_MAX], bool make, char last[GC_WALK_COMPONENT],
                       struct gc_error *err)
{
  struct gc_error why = {""};
  unsigned levels;
  int parent = find_dir(dir, PATH_MAX, &levels, err);

  if (parent)
    return parent;
  parent = make ? gc_walk(dir, levels, last, &why)
                : gc_walk_only(dir, levels, last, &why);
  return parent < 0 ? refuse_way(parent, dir, &why, err) : parent;
}

int gc_store_open(char dir[PATH_MAX], bool make, struct gc_error *err)
{
  char last[GC_WALK_COMPONENT];
  int parent = find_parent(dir, make, last, err), fd;

  if (parent < 0)
    return parent;
  fd = open_own(parent, last, dir, err);
  close(parent);
  return fd;
}

int gc_store_open_site(struct gc_error *err)
{
  char last[GC_WALK_COMPONENT];
  int parent = gc_walk_only(GC_SITE_DIR, UINT_MAX, last, err), fd;

  if (parent < 0)
    return parent;
  fd = open_in(parent, last, GC_SITE_DIR, err);
  close(parent);
  return fd;
}

void gc_store_remove_dir(void)
{
  char dir[PATH_MAX], last[GC_WALK_COMPONENT];
  const int parent = find_parent(dir, false, last, NULL);

  if (parent < 0)
    return;
  unlinkat(parent, last, AT_REMOVEDIR);
  close(parent);
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

int gc_store_usable(struct gc_error *err)
{
  struct gc_error why = {""};
  char dir[PATH_MAX];
  unsigned levels;
  int status = find_dir(dir, sizeof(dir), &levels, err), fd;

  if (status)
    return status;
  status = gc_walk_dry(dir, levels, &why);
  if (status)
    return refuse_way(status, dir, &why, err);
  fd = gc_store_open(dir, false, err);
  if (fd == -ENOENT)
    return 0;
  if (fd < 0)
    return fd;
  if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
    status = gc_store_unwritable(err, errno, fd, dir, "cannot write", ".");
  close(fd);
  return status;
}
