/* SPDX-License-Identifier: BSD-3-Clause */
/* Process ids are used only while they cannot mean another process. The kernel reuses an id only
 * when no process has it as its process id, its group or its session. So these are safe:
 * - the id of a child, until it is collected;
 * - the id of a group, while it has a member, even if its leader is gone. */
#include "util/reap.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int gc_reap_open(pid_t pid)
{
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0); /* always close-on-exec */
#else
  (void)pid;
  return -1;
#endif
}

void gc_reap_kill(const struct gc_reap *child)
{
  if (child->group)
    kill(-child->pid, SIGKILL);
#ifdef SYS_pidfd_send_signal
  if (child->pidfd >= 0 && !syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0))
    return;
#endif
  kill(child->pid, SIGKILL);
}

/* While the kernel or another thread collects the child, it is no child any more, but still has its
 * id. */
static bool is_being_collected(const struct gc_reap *child)
{
#ifdef SYS_pidfd_send_signal
  return child->pidfd >= 0 && !syscall(SYS_pidfd_send_signal, child->pidfd, 0, NULL, 0);
#else
  (void)child;
  return false;
#endif
}

/* Kills the group of a child that the kernel or another thread has collected. If a process has the
 * child's id, the kernel has reused the id, so the child's group had no member left. */
static void kill_rest(pid_t group)
{
  if (kill(group, 0) && errno == ESRCH)
    kill(-group, SIGKILL);
}

enum gc_reap_state gc_reap_try(const struct gc_reap *child, siginfo_t *info)
{
  int result;

  info->si_pid = 0;
  do
    result = waitid(P_PID, (id_t)child->pid, info, WEXITED | WNOWAIT | WNOHANG);
  while (result < 0 && errno == EINTR);
  if (result < 0) {
    if (is_being_collected(child))
      return GC_REAP_RUNNING;
    if (child->group)
      kill_rest(child->pid);
    return GC_REAP_TAKEN;
  }
  if (info->si_pid == 0)
    return GC_REAP_RUNNING;
  /* the zombie still holds the id */
  if (child->group)
    kill(-child->pid, SIGKILL);
  while (waitpid(child->pid, NULL, WNOHANG) < 0 && errno == EINTR)
    ;
  return GC_REAP_ENDED;
}

/* A new child of this process in a new group of the same id would have to be started within the few
 * milliseconds after the last member has gone; ids are given out in a circle. */
bool gc_reap_orphans(const struct gc_reap *child)
{
  pid_t pid;

  if (!child->group)
    return true;
  do
    pid = waitpid(-child->pid, NULL, WNOHANG);
  while (pid > 0 || (pid < 0 && errno == EINTR));
  return pid < 0;
}
