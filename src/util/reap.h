/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kills and collects a child process and the processes that it left in its process group. Never
 * waits, and never collects another child of this process. Safe from any thread.
 */
#ifndef GC_UTIL_REAP_H
#define GC_UTIL_REAP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct gc_reap {
  pid_t pid;  /* the child */
  bool group; /* the child was started as the leader of a process group of its own */
  int pidfd;  /* of the child; -1: the kernel has none */
};

/* Opens the pidfd of a child that was just started; -1: not possible. */
int gc_reap_open(pid_t pid);

/* Sends SIGKILL to a child that gc_reap_try has just found running, and to its group: a child may
 * have left its group, and this process may lack the permission to kill the child itself. */
void gc_reap_kill(const struct gc_reap *child);

/* The state of a child. */
enum gc_reap_state {
  GC_REAP_RUNNING,
  GC_REAP_ENDED, /* info says how */
  GC_REAP_TAKEN  /* it has ended, but the kernel or another thread of this process has collected it:
                    SIGCHLD is ignored, or a thread calls waitpid(-1) */
};

/* If the child has ended, kills the rest of its group, and collects the child. Do not call it again
 * after it has returned another state than GC_REAP_RUNNING: another process may get that id. */
enum gc_reap_state gc_reap_try(const struct gc_reap *child, siginfo_t *info);

/* Collects the processes of the group of an ended child that have become children of this process,
 * because it is process 1 of a container, or a subreaper. False: some of them still run. */
bool gc_reap_orphans(const struct gc_reap *child);

#endif
