/* SPDX-License-Identifier: BSD-3-Clause */
/* Network and parallel file systems may be mounted without flock, without fcntl's locks, or without
 * both (NFS without lockd, Lustre without -o flock, some FUSE file systems). */
#define _GNU_SOURCE
#include "store/hold.h"

#include "util/file.h"
#include "util/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A measurement takes a few seconds, or a few more if it waits for a busy GPU. */
#define OWNED_SECONDS (10 * 60)
/* Removing a file takes milliseconds. */
#define GUARD_SECONDS 10
#define FREE "free\n"

static bool is_unsupported(int code)
{
  return code == ENOLCK || code == ENOSYS || code == EOPNOTSUPP || code == EINVAL;
}

/* A lock of the open file. fcntl's other locks belong to the process. */
static int ofd_lock(int fd, short type)
{
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};

  if (!fcntl(fd, F_OFD_SETLK, &lock))
    return 0;
  if (errno == EAGAIN || errno == EACCES)
    return -EWOULDBLOCK;
  return is_unsupported(errno) ? -EOPNOTSUPP : -errno;
}

int gc_store_hold(int fd)
{
  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (is_unsupported(errno))
      return ofd_lock(fd, F_WRLCK);
    if (errno != EINTR)
      return -errno;
  }
  return 0;
}

int gc_store_release(int fd)
{
  return flock(fd, LOCK_UN) && is_unsupported(errno) ? ofd_lock(fd, F_UNLCK) : 0;
}

/* A process, as it is written to the file. The id alone is not enough, because another process may
 * get it. */
struct owner {
  long pid;
  unsigned long long start; /* of the process, in ticks after boot; 0: unknown */
  char boot[64], space[64]; /* the boot, and the namespace of process ids; "?": unknown */
};

/* 0: there is no such process, or it has ended and its parent has not noticed. */
static unsigned long long start_of(long pid)
{
  unsigned long long start;
  char state;

  return gc_holder_state(pid, &state, &start) && state != 'Z' && state != 'X' ? start : 0;
}

static void get_myself(struct owner *owner)
{
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  ssize_t length = readlink("/proc/self/ns/pid", owner->space, sizeof(owner->space) - 1);

  owner->pid = getpid();
  owner->start = start_of(owner->pid);
  if (!file || fscanf(file, "%63s", owner->boot) != 1)
    strcpy(owner->boot, "?");
  if (file)
    fclose(file);
  owner->space[length > 0 ? length : 0] = '\0';
  if (length <= 0)
    strcpy(owner->space, "?");
}

/* Whether the process that the open file names no longer holds it. */
static bool is_over(int fd, const struct stat *st, long *holder)
{
  struct owner me, owner = {.pid = 0};
  char text[256];
  const ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

  *holder = 0;
  text[length > 0 ? length : 0] = '\0';
  if (!strcmp(text, FREE))
    return true;
  if (sscanf(text, "%ld %llu %63s %63s\n", &owner.pid, &owner.start, owner.boot,
             owner.space) == 4) {
    get_myself(&me);
    /* another machine has other GPUs */
    if (strcmp(owner.boot, me.boot))
      return true;
    if (!strcmp(owner.space, me.space) && owner.start && me.start) {
      *holder = owner.pid;
      return start_of(owner.pid) != owner.start;
    }
  }
  /* the file is being written, or this process cannot see the other one */
  return time(NULL) - st->st_mtime > OWNED_SECONDS;
}

/* Opens the file and finds out whether a process holds it. 1: no process does, or there is no file;
 * 0: another process holds it; or a negative errno. */
static int judge(int dir_fd, const char *name, long *holder)
{
  int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), status;
  struct stat st;

  if (fd < 0)
    return errno == ENOENT ? 1 : -errno;
  if (fstat(fd, &st))
    status = -errno;
  else if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
    status = -EACCES;
  else
    status = is_over(fd, &st, holder);
  close(fd);
  return status;
}

/* Removes a file that no process holds. Returns the same as judge. Only one process at a time may
 * do that; otherwise a second process would remove the new file of the first. So the process that
 * removes the file holds another file, the guard, for a moment. */
static int clear(int dir_fd, const char *name, long *holder)
{
  char guard[GC_STORE_NAME];
  struct stat st;
  int fd, status = judge(dir_fd, name, holder);

  if (status <= 0)
    return status;
  snprintf(guard, sizeof(guard), ".%.100s" GC_STORE_UNFINISHED "guard", name);
  fd = openat(dir_fd, guard, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    if (errno != EEXIST)
      return -errno;
    /* the process of an old guard was killed */
    if (!fstatat(dir_fd, guard, &st, AT_SYMLINK_NOFOLLOW) &&
        time(NULL) - st.st_mtime > GUARD_SECONDS)
      unlinkat(dir_fd, guard, 0);
    return 0;
  }
  status = judge(dir_fd, name, holder);
  if (status > 0 && unlinkat(dir_fd, name, 0) && errno != ENOENT)
    status = -errno;
  unlinkat(dir_fd, guard, 0);
  close(fd);
  return status;
}

long gc_store_owner(int dir_fd, const char *name)
{
  long holder = 0;

  return judge(dir_fd, name, &holder) == 0 ? holder : 0;
}

int gc_store_own(int dir_fd, const char *name, long *holder)
{
  struct owner me;
  char text[256];
  int fd, status = 1;

  while ((fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      0600)) < 0) {
    if (errno != EEXIST)
      return -errno;
    status = clear(dir_fd, name, holder);
    if (status <= 0)
      return status ? status : -EWOULDBLOCK;
  }
  get_myself(&me);
  snprintf(text, sizeof(text), "%ld %llu %s %s\n", me.pid, me.start, me.boot, me.space);
  status = fchmod(fd, 0600) ? -errno : gc_file_write(fd, text, strlen(text));
  if (!status)
    return fd;
  unlinkat(dir_fd, name, 0);
  close(fd);
  return status;
}

/* The file stays, because its directory is not known here. If it cannot be written, it becomes free
 * at the end of this process. */
void gc_store_disown(int fd)
{
  const bool freed = !ftruncate(fd, 0) && pwrite(fd, FREE, strlen(FREE), 0) > 0;

  (void)freed;
  close(fd);
}

int gc_store_remove_unowned(int dir_fd, const char *name)
{
  struct stat st;
  long holder;

  if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
      st.st_uid != geteuid())
    return 0;
  return clear(dir_fd, name, &holder);
}
