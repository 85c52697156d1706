/* SPDX-License-Identifier: BSD-3-Clause */
/* Network and parallel file systems may be mounted without flock, without fcntl's locks, or without
 * both (NFS without lockd, Lustre without -o flock, some FUSE file systems). */
#define _GNU_SOURCE
#include "store/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>

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

void gc_store_release(int fd)
{
  if (flock(fd, LOCK_UN) && is_unsupported(errno))
    ofd_lock(fd, F_UNLCK);
}
