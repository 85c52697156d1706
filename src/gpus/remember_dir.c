/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpus/remember_dir.h"

#include "util/env.h"
#include "util/file.h"
#include "util/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Tests have directories of their own. */
#ifndef GC_REMEMBER_SITE_DIR
#define GC_REMEMBER_SITE_DIR "/run/hwloc-gpucache"
#endif
#ifndef GC_REMEMBER_SHM
#define GC_REMEMBER_SHM "/dev/shm"
#endif

#define NAME "remembered"
#define UNFINISHED NAME ".new"
#define UNFINISHED_SECONDS 60 /* the writer of an older file was killed */

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

enum trust { OF_USER, OF_SITE, SHARED };

static bool is_tmpfs(int fd)
{
  struct statfs fs;

  return !fstatfs(fd, &fs) &&
         ((unsigned)fs.f_type == TMPFS_MAGIC || (unsigned)fs.f_type == RAMFS_MAGIC);
}

static bool is_trusted(const struct stat *st, enum trust trust)
{
  switch (trust) {
  case OF_USER:
    return st->st_uid == geteuid() && !(st->st_mode & (S_IRWXG | S_IRWXO));
  case OF_SITE:
    return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH));
  default: /* nobody can replace the directory that is inside */
    return (st->st_mode & S_ISVTX) || !(st->st_mode & (S_IWGRP | S_IWOTH));
  }
}

/* Closes fd and returns -1 if this is not a directory on a tmpfs that can be trusted. */
static int check_dir(int fd, enum trust trust)
{
  struct stat st;

  if (fd < 0)
    return -1;
  if (!fstat(fd, &st) && is_trusted(&st, trust) && is_tmpfs(fd))
    return fd;
  close(fd);
  return -1;
}

static int open_site(void)
{
  return check_dir(open(GC_REMEMBER_SITE_DIR, OPEN_DIR | O_NOFOLLOW), OF_SITE);
}

/* Opens the parent of the user's directory, and writes the name of the user's directory. */
static int open_parent(bool other_root, char name[40])
{
  const char *runtime = gc_env_get(GC_ENV_XDG_RUNTIME_DIR);
  char last[GC_WALK_COMPONENT];
  int fd = -1, way;

  snprintf(name, 40, "hwloc-gpucache");
  /* Batch systems, su and sudo may pass on the variable of another user, which is then ignored.
   * For root, nothing on the way may belong to that user. */
  way = runtime && runtime[0] == '/' ? gc_walk_only(runtime, 0, last, NULL) : -1;
  if (way >= 0) {
    fd = check_dir(openat(way, last, OPEN_DIR | O_NOFOLLOW), OF_USER);
    close(way);
  }
  if (fd >= 0 || other_root)
    return fd;
  snprintf(name, 40, "hwloc-gpucache-%lu", (unsigned long)geteuid());
  return check_dir(open(GC_REMEMBER_SHM, OPEN_DIR), SHARED);
}

/* make: creates the directory if it is missing. */
static int open_of_user(bool other_root, bool make)
{
  char name[40];
  int parent = open_parent(other_root, name), fd;

  if (parent < 0)
    return -1;
  fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW);
  /* The umask may deny everything. It is safe to change the mode by name: other users cannot
   * replace our files in this directory. */
  if (fd < 0 && make && errno == ENOENT && !mkdirat(parent, name, 0700) &&
      !fchmodat(parent, name, 0700, 0))
    fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW);
  close(parent);
  return check_dir(fd, OF_USER);
}

/* If root has made the directory of the site, the texts that root remembers are for all users. */
static int open_own(bool other_root, bool make, enum trust *trust)
{
  int fd = geteuid() || other_root ? -1 : open_site();

  *trust = fd < 0 ? OF_USER : OF_SITE;
  return fd < 0 ? open_of_user(other_root, make) : fd;
}

static char *load_file(int fd, enum trust trust, size_t *length)
{
  char *text = NULL;
  struct stat st;

  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_trusted(&st, trust) || st.st_size <= 0 ||
      st.st_size > GC_REMEMBER_BYTES || !(text = malloc((size_t)st.st_size + 1)))
    return NULL;
  if (gc_file_read(fd, text, (size_t)st.st_size) != st.st_size) {
    free(text);
    return NULL;
  }
  *length = (size_t)st.st_size;
  text[*length] = '\0';
  return text;
}

/* Closes the directory dir. */
static char *load_in(int dir, enum trust trust, size_t *length)
{
  char *text = NULL;
  int fd;

  if (dir < 0)
    return NULL;
  fd = openat(dir, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  close(dir);
  if (fd >= 0) {
    text = load_file(fd, trust, length);
    close(fd);
  }
  return text;
}

char *gc_remember_load_own(bool other_root, size_t *length)
{
  enum trust trust;
  int dir = open_own(other_root, false, &trust);

  return load_in(dir, trust, length);
}

char *gc_remember_load_site(bool other_root, size_t *length)
{
  return other_root || !geteuid() ? NULL : load_in(open_site(), OF_SITE, length);
}

bool gc_remember_can_store(bool other_root)
{
  char name[40];
  int fd = open_parent(other_root, name);

  if (fd < 0 && !geteuid() && !other_root)
    fd = open_site();
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

struct content {
  const char *text;
  size_t length;
  mode_t mode;
};

static int fill(int file, void *data)
{
  const struct content *content = data;
  const int status = gc_file_write(file, content->text, content->length);

  return !status && fchmod(file, content->mode) ? -errno : status;
}

void gc_remember_store(bool other_root, const char *text, size_t length)
{
  enum trust trust;
  int dir = open_own(other_root, true, &trust), fd;
  struct content content = {text, length, trust == OF_SITE ? 0644 : 0600};
  const struct gc_file_new new = {UNFINISHED "-", 0600, fill, &content};
  char name[GC_FILE_NAME];

  if (dir < 0)
    return;
  fd = gc_file_create(dir, &new, name);
  if (fd >= 0) {
    close(fd);
    if (renameat(dir, name, dir, NAME))
      unlinkat(dir, name, 0);
  }
  close(dir);
}

void gc_remember_tidy(void)
{
  enum trust trust;
  const int fd = open_own(false, false, &trust);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  const time_t now = time(NULL);
  struct dirent *entry;
  struct stat st;

  while (dir && (entry = readdir(dir)))
    if (!strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) &&
        !fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
        now - st.st_mtime > UNFINISHED_SECONDS)
      unlinkat(fd, entry->d_name, 0);
  if (dir)
    closedir(dir);
  else if (fd >= 0)
    close(fd);
}
