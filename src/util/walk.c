/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With O_DIRECTORY, O_PATH also triggers an automounter. */
#define OPEN_PATH (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MOST_LINKS 40 /* as in the kernel */
#define WOULD_MAKE 1

/* If a directory is missing: make it; find out whether it could be made; return -ENOENT. A_FILE: the
 * same as LOOK, but the last component is followed. */
enum how { MAKE, TRY, LOOK, A_FILE };

struct walk {
  const char *path, *next; /* the caller's path, and the part that is not walked yet */
  char link[PATH_MAX];     /* the target of a symbolic link that is walked first */
  unsigned links;          /* the number of links that were followed */
  unsigned levels;
  bool strict;             /* refuse directories of other users on the way */
  enum how how;
  uid_t above;             /* owner of the root directory */
  int fd;                  /* the directory that was reached */
  uid_t owner;             /* of that directory */
};

/* The part of the path that was walked. */
#define WALKED(walk) (int)((walk)->next - (walk)->path), (walk)->path

/* In a user namespace, the root outside appears as nobody. It owns the root directory, and the
 * owner of the root directory controls everything below. */
static bool is_trusted(const struct walk *walk, uid_t owner)
{
  return owner == geteuid() || owner == 0 || owner == walk->above;
}

/* Goes to the directory fd; a negative one is the failure of opening it. */
static int reach(struct walk *walk, int fd, struct gc_error *why)
{
  struct stat st;

  if (fd < 0 || fstat(fd, &st)) {
    const int code = errno;

    if (fd >= 0)
      close(fd);
    errno = code;
    return gc_fail(why, -code, "cannot open %.*s: %m", WALKED(walk));
  }
  if (walk->fd >= 0)
    close(walk->fd);
  walk->fd = fd;
  walk->owner = st.st_uid;
  if (walk->strict && !is_trusted(walk, st.st_uid))
    return gc_fail(why, -EACCES, "%.*s belongs to user %lu", WALKED(walk),
                   (unsigned long)st.st_uid);
  return 0;
}

/* Takes the next component from the text. False: there is none; *name is then empty. */
static bool take(const char **text, char name[GC_WALK_COMPONENT])
{
  const char *start = *text + strspn(*text, "/");
  const size_t length = strcspn(start, "/");

  snprintf(name, GC_WALK_COMPONENT, "%.*s", (int)length, start);
  *text = start + length;
  return length > 0;
}

static unsigned components(const char *text)
{
  char name[GC_WALK_COMPONENT];
  unsigned count = 0;

  while (take(&text, name))
    count++;
  return count;
}

/* Sets the mode of a directory that was just made, if the umask has removed rights of its owner. By
 * now, another file may have the same name. */
static int restore_mode(int parent, const char *name)
{
  const int fd = openat(parent, name, OPEN_PATH);
  char path[40];
  struct stat st;
  int status = 0;

  if (fd < 0)
    return -errno;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  if (fstat(fd, &st) || st.st_uid != geteuid())
    status = -EACCES;
  else if ((st.st_mode & S_IRWXU) != S_IRWXU && fchmodat(AT_FDCWD, path, S_IRWXU, 0) &&
           fchmodat(parent, name, S_IRWXU, 0)) /* without /proc */
    status = -errno;
  close(fd);
  return status;
}

/* Makes a directory in the one that was reached. walked: how much of the path leads there. In a
 * directory of another user, that user could replace the new directory by a link. WOULD_MAKE: it
 * could be made. */
static int make(struct walk *walk, const char *name, int walked, struct gc_error *why)
{
  int status = 0;

  if (walk->how >= LOOK)
    return gc_fail(why, -ENOENT, "there is no %.*s", WALKED(walk));
  if (walk->owner != geteuid() && walk->owner != 0)
    return gc_fail(why, -EACCES, "%.*s belongs to user %lu", walked ? walked : 1,
                   walked ? walk->path : *walk->path == '/' ? "/" : ".",
                   (unsigned long)walk->owner);
  if (walk->how == TRY)
    status = faccessat(walk->fd, ".", W_OK | X_OK, AT_EACCESS) ? -errno : WOULD_MAKE;
  else if (mkdirat(walk->fd, name, S_IRWXU))
    status = errno == EEXIST ? 0 : -errno;
  else if ((status = restore_mode(walk->fd, name)))
    unlinkat(walk->fd, name, AT_REMOVEDIR);
  errno = -status;
  return status < 0 ? gc_fail(why, status, "cannot make %.*s: %m", WALKED(walk)) : status;
}

/* Walks the target of a link before the rest of the path. */
static int follow(struct walk *walk, const char *name, const char *rest, struct gc_error *why)
{
  const int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  char target[PATH_MAX], link[2 * PATH_MAX];
  struct stat st;
  ssize_t length;
  int status = 0;

  if (fd < 0 || fstat(fd, &st))
    status = gc_fail(why, -errno, "cannot open %.*s: %m", WALKED(walk));
  else if (!S_ISLNK(st.st_mode))
    status = gc_fail(why, -ENOTDIR, "%.*s is not a directory", WALKED(walk));
  else if (!is_trusted(walk, st.st_uid))
    status = gc_fail(why, -EACCES, "%.*s is a symbolic link of user %lu", WALKED(walk),
                     (unsigned long)st.st_uid);
  else if (++walk->links > MOST_LINKS)
    status = gc_fail(why, -ELOOP, "%.*s is a loop of symbolic links", WALKED(walk));
  else if ((length = readlinkat(fd, "", target, sizeof(target) - 1)) < 0)
    status = gc_fail(why, -errno, "cannot read the symbolic link %.*s: %m", WALKED(walk));
  else
    target[length] = '\0';
  if (fd >= 0)
    close(fd);
  if (status)
    return status;
  if (*target == '/')
    status = reach(walk, open("/", OPEN_PATH), why);
  if ((size_t)snprintf(link, sizeof(link), "%s/%s", target, rest) >= sizeof(walk->link))
    return gc_fail(why, -ENAMETOOLONG, "the symbolic link %.*s is too long", WALKED(walk));
  memcpy(walk->link, link, strlen(link) + 1);
  return status;
}

/* Reports a missing directory that is not made: the path without its last `levels` components. */
static int missing(const struct walk *walk, struct gc_error *why)
{
  unsigned have = components(walk->path);
  const char *end = walk->path;
  char name[GC_WALK_COMPONENT];

  for (; have > walk->levels; have--)
    take(&end, name);
  return gc_fail(why, -ENOENT, "there is no %.*s", (int)(end - walk->path), walk->path);
}

/* Goes one step down. rest: the rest of a link's target; NULL: the step is one of the caller's
 * path. walked: how much of that path leads to the directory before the step. */
static int step(struct walk *walk, const char *name, const char *rest, int walked,
                struct gc_error *why)
{
  int fd = openat(walk->fd, name, OPEN_PATH), status;

  if (fd < 0 && errno == ENOENT) {
    if (rest)
      return gc_fail(why, -ENOENT, "%.*s is a symbolic link to nothing", WALKED(walk));
    if (components(walk->next) >= walk->levels)
      return missing(walk, why);
    status = make(walk, name, walked, why);
    if (status)
      return status;
    fd = openat(walk->fd, name, OPEN_PATH);
  }
  if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
    return follow(walk, name, rest ? rest : "", why);
  return reach(walk, fd, why);
}

/* Walks the target of the last link. */
static int walk_link(struct walk *walk, struct gc_error *why)
{
  char name[GC_WALK_COMPONENT], rest[PATH_MAX];
  const char *at = walk->link;

  if (!take(&at, name)) {
    walk->link[0] = '\0';
    return 0;
  }
  memmove(rest, at, strlen(at) + 1);
  memcpy(walk->link, rest, strlen(rest) + 1);
  return step(walk, name, rest, 0, why);
}

/* Walks from the directory that was reached. */
static int walk_on(struct walk *walk, char last[GC_WALK_COMPONENT], struct gc_error *why)
{
  int status = 0, walked;

  while (!status) {
    if (walk->link[0]) {
      status = walk_link(walk, why);
      continue;
    }
    walked = (int)(walk->next - walk->path);
    if (!take(&walk->next, last)) {
      memcpy(last, ".", 2); /* the path is "/" */
      return 0;
    }
    if (!walk->next[strspn(walk->next, "/")])
      return walk->how < LOOK && faccessat(walk->fd, last, F_OK, AT_SYMLINK_NOFOLLOW) &&
                     errno == ENOENT
                 ? make(walk, last, walked, why)
                 : 0;
    status = step(walk, last, NULL, walked, why);
  }
  return status;
}

static int walk_all(struct walk *walk, char last[GC_WALK_COMPONENT], struct gc_error *why)
{
  const int status = reach(walk, open(*walk->path == '/' ? "/" : ".", OPEN_PATH), why);

  return status ? status : walk_on(walk, last, why);
}

/* Walks on while the last component is a link. */
static int walk_last(struct walk *walk, char last[GC_WALK_COMPONENT], struct gc_error *why)
{
  char target[PATH_MAX];
  int status = 0;

  /* only a link can be read as one */
  while (!status && readlinkat(walk->fd, last, target, 1) >= 0 &&
         !(status = follow(walk, last, "", why))) {
    memcpy(target, walk->link, sizeof(target));
    walk->link[0] = '\0';
    walk->path = walk->next = target;
    status = walk_on(walk, last, why);
  }
  return status;
}

/* Returns the same as gc_walk, or WOULD_MAKE. */
static int start(const char *path, unsigned levels, enum how how, char last[GC_WALK_COMPONENT],
                 struct gc_error *why)
{
  struct walk walk = {.path = path, .next = path, .levels = levels, .fd = -1, .how = how,
                      .strict = geteuid() == 0 && levels != UINT_MAX};
  struct stat st;
  int status;

  walk.above = stat("/", &st) ? 0 : st.st_uid;
  status = walk_all(&walk, last, why);
  if (!status && how == A_FILE)
    status = walk_last(&walk, last, why);
  if (!status && how != TRY)
    return walk.fd;
  if (walk.fd >= 0)
    close(walk.fd);
  return status;
}

int gc_walk(const char *path, unsigned levels, char last[GC_WALK_COMPONENT],
                  struct gc_error *why)
{
  return start(path, levels, MAKE, last, why);
}

int gc_walk_only(const char *path, unsigned levels, char last[GC_WALK_COMPONENT],
                       struct gc_error *why)
{
  return start(path, levels, LOOK, last, why);
}

bool gc_walk_is_descriptor(const char *path)
{
  static const char own[] = "/proc/self/fd/", alias[] = "/dev/fd/";
  const size_t start = !strncmp(path, own, sizeof(own) - 1)       ? sizeof(own) - 1
                       : !strncmp(path, alias, sizeof(alias) - 1) ? sizeof(alias) - 1
                                                                  : 0;
  const size_t digits = strspn(path + start, "0123456789");

  return start && digits && digits < 10 && !path[start + digits];
}

int gc_walk_file(const char *path, char last[GC_WALK_COMPONENT], struct gc_error *why)
{
  if (gc_walk_is_descriptor(path)) {
    const int fd = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);

    strcpy(last, strrchr(path, '/') + 1);
    return fd < 0 ? gc_fail(why, -errno, "%s", strerror(errno)) : fd;
  }

  const int way = *path ? start(path, UINT_MAX, A_FILE, last, why) : -ENOENT;

  return way == -ENOENT ? gc_fail(why, way, "%s", strerror(ENOENT)) : way;
}

int gc_walk_dry(const char *path, unsigned levels, struct gc_error *why)
{
  char last[GC_WALK_COMPONENT];
  int status = start(path, levels, TRY, last, why);

  return status == WOULD_MAKE ? 0 : status;
}
