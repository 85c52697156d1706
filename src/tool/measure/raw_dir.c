/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/measure/raw_dir.h"

#include "tool/print/messages.h"
#include "util/file.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int gc_raw_dir_check(struct gc_tool *tool)
{
  struct gc_error err = {""};
  sigset_t all, before;
  int fd;

  sigfillset(&all); /* the file that tests the directory must not stay */
  pthread_sigmask(SIG_BLOCK, &all, &before);
  fd = gc_file_dir(tool->raw, &tool->made_raw, &err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (fd < 0) {
    gc_say(NULL, "--raw: %s", err.text);
    return GC_EXIT_FAILED;
  }
  close(fd);
  return GC_EXIT_DONE;
}

void gc_raw_dir_leave(const struct gc_tool *tool)
{
  if (tool->made_raw)
    gc_file_remove_dir(tool->raw);
}
