/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/holder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

long gc_holder_of(const struct stat *file)
{
  FILE *locks = fopen("/proc/locks", "re");
  char line[256];
  long holder = 0;

  while (locks && !holder && fgets(line, sizeof(line), locks)) {
    unsigned long long inode;
    unsigned major, minor;
    long pid;

    if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &major, &minor, &inode) == 4 &&
        inode == file->st_ino && makedev(major, minor) == file->st_dev && pid > 0 &&
        (!kill((pid_t)pid, 0) || errno == EPERM))
      holder = pid;
  }
  if (locks)
    fclose(locks);
  return holder;
}

/* The state of a process: 'R', 'S', 'T' for stopped …, see proc(5). 0: there is no such process, or it
 * is not visible. */
static char state_of(long pid)
{
  char path[64], text[1024] = "", state = 0;
  const char *end;
  FILE *file;

  snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
  file = fopen(path, "re");
  if (!file)
    return 0;
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  end = strrchr(text, ')'); /* the name of a process may contain anything */
  return end && sscanf(end + 1, " %c", &state) == 1 ? state : 0;
}

void gc_holder_advice(long pid, char text[GC_HOLDER_ADVICE])
{
  const char state = pid > 0 ? state_of(pid) : 0;

  *text = '\0';
  /* 't': stopped by a debugger */
  if (state == 'T' || state == 't')
    snprintf(text, GC_HOLDER_ADVICE,
             "; it is stopped: kill -CONT %ld continues it, kill -KILL %ld ends it", pid, pid);
}
