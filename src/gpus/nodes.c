/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpus/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int gc_nodes_try(const char *root, const char *path, bool writing)
{
  const int mode = writing ? R_OK | W_OK : R_OK;
  char full[PATH_MAX];

  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
    return ENAMETOOLONG;
  /* Old container runtimes refuse the system call that checks the effective ids. It is used only
   * if these differ from the real ids. */
  if (geteuid() == getuid() && getegid() == getgid())
    return access(full, mode) ? errno : 0;
  return faccessat(AT_FDCWD, full, mode, AT_EACCESS) ? errno : 0;
}

bool gc_nodes_refuse(const char *root, const char *path, char *why, size_t size)
{
  switch (gc_nodes_try(root, path, true)) {
  case EACCES:
    snprintf(
        why, size,
        "this user may not open %.60s: ask the administrator for access, often by a group such "
        "as render or video",
        path);
    return true;
  case EPERM:
    snprintf(why, size,
             "this process may not open %.60s: its container or batch job (device cgroup) excludes "
             "the GPU; measure it in a job that may use it",
             path);
    return true;
  default:
    return false;
  }
}
