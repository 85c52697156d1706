/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Streams and descriptors. */

static int close_in(struct host *host)
{
  (void)host;
  return close(STDIN_FILENO);
}

static int close_out(struct host *host)
{
  (void)host;
  return close(STDOUT_FILENO);
}

static int close_err(struct host *host)
{
  (void)host;
  return close(STDERR_FILENO);
}

static int close_all(struct host *host)
{
  return close_in(host) || close_out(host) || close_err(host);
}

static int break_pipes(struct host *host)
{
  int ends[2];

  (void)host;
  if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
    return 1;
  return close(ends[0]) || close(ends[1]);
}

static int fill_pipes(struct host *host)
{
  char block[4096] = "";
  int ends[2];

  (void)host;
  if (pipe2(ends, O_NONBLOCK))
    return 1;
  while (write(ends[1], block, sizeof(block)) > 0)
    ;
  return fcntl(ends[1], F_SETFL, 0) || dup2(ends[1], STDOUT_FILENO) < 0 ||
         dup2(ends[1], STDERR_FILENO) < 0;
}

static int open_many(struct host *host)
{
  (void)host;
  for (int i = 0; i < 500; i++)
    if (open("/", O_RDONLY) < 0)
      return 1;
  return 0;
}

static int open_high(struct host *host)
{
  (void)host;
  return fcntl(STDIN_FILENO, F_DUPFD, 1000) < 0;
}

static int set_limit(int resource, rlim_t value)
{
  struct rlimit limit;

  if (getrlimit(resource, &limit))
    return 1;
  limit.rlim_cur = value;
  return setrlimit(resource, &limit);
}

/* Leaves that many descriptors. */
static int limit_descriptors(int left)
{
  int fd = 0;

  for (; left > 0 || fcntl(fd, F_GETFD) >= 0; fd++)
    left -= fcntl(fd, F_GETFD) < 0;
  return set_limit(RLIMIT_NOFILE, (rlim_t)fd);
}

static int no_descriptors(struct host *host)
{
  (void)host;
  return limit_descriptors(0);
}

static int few_descriptors(struct host *host)
{
  (void)host;
  return limit_descriptors(3);
}

static int more_descriptors(struct host *host)
{
  (void)host;
  return limit_descriptors(12);
}

/* Other limits. */

static int small_files(struct host *host)
{
  (void)host;
  return set_limit(RLIMIT_FSIZE, 0);
}

static int small_stack(struct host *host)
{
  (void)host;
  return set_limit(RLIMIT_STACK, 64 << 10);
}

static int thread_stack(struct host *host)
{
  host->stack = host_is_sanitized() ? 1 << 20 : 128 << 10;
  return 0;
}

static int no_queued_signals(struct host *host)
{
  (void)host;
  return set_limit(RLIMIT_SIGPENDING, 0);
}

static int locked_memory(struct host *host)
{
  (void)host;
  return host_is_sanitized() || mlockall(MCL_CURRENT | MCL_FUTURE) ? HOST_SKIPPED : 0;
}

static int no_address_space(struct host *host)
{
  (void)host;
  return host_is_sanitized() ? HOST_SKIPPED
                             : set_limit(RLIMIT_AS, 1 << 20); /* less than is in use */
}

static int become_nobody(struct host *host)
{
  if (geteuid())
    return 0;
  if (chown(host->dir, HOST_NOBODY, HOST_NOBODY) ||
      chown(host->records, HOST_NOBODY, HOST_NOBODY) ||
      (chown(host->record, HOST_NOBODY, HOST_NOBODY) && errno != ENOENT) || setgroups(0, NULL) ||
      setresgid(HOST_NOBODY, HOST_NOBODY, HOST_NOBODY) ||
      setresuid(HOST_NOBODY, HOST_NOBODY, HOST_NOBODY))
    return HOST_SKIPPED;
  return access(host->records, X_OK) ? HOST_SKIPPED : 0;
}

static int no_processes(struct host *host)
{
  const int status = become_nobody(host);

  return status ? status : set_limit(RLIMIT_NPROC, 0);
}

/* Signals and children. */

static int handle(int number, void (*handler)(int), int flags)
{
  const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

  return sigaction(number, &action, NULL);
}

static void do_nothing(int number)
{
  (void)number;
}

static void reap_all(int number)
{
  const int saved = errno;

  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ;
  errno = saved;
}

static int ignore_children(struct host *host)
{
  (void)host;
  return handle(SIGCHLD, SIG_IGN, 0);
}

static int no_zombies(struct host *host)
{
  (void)host;
  return handle(SIGCHLD, SIG_DFL, SA_NOCLDWAIT);
}

static int reap_in_handler(struct host *host)
{
  (void)host;
  return handle(SIGCHLD, reap_all, 0);
}

static void *reap_for_ever(void *data)
{
  (void)data;
  for (;;)
    if (waitpid(-1, NULL, 0) < 0)
      usleep(200);
  return NULL;
}

static int start_thread(void *(*run)(void *))
{
  pthread_t thread;

  return pthread_create(&thread, NULL, run, NULL);
}

static int reap_in_thread(struct host *host)
{
  (void)host;
  return start_thread(reap_for_ever);
}

static int block_all(struct host *host)
{
  sigset_t all;

  (void)host;
  sigfillset(&all);
  return pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static int ignore_all(struct host *host)
{
  (void)host;
  for (int number = 1; number < NSIG; number++)
    handle(number, SIG_IGN, 0);
  return 0;
}

static int pending_signals(struct host *host)
{
  if (block_all(host))
    return 1;
  return raise(SIGTERM) || raise(SIGCHLD) || raise(SIGALRM) || raise(SIGPIPE);
}

static int interrupt(int which, int number, int flags)
{
  const struct itimerval every_ms = {{0, 1000}, {0, 1000}};

  return handle(number, do_nothing, flags) || setitimer(which, &every_ms, NULL);
}

static int interrupt_calls(struct host *host)
{
  (void)host;
  return interrupt(ITIMER_REAL, SIGALRM, 0);
}

static int be_profiled(struct host *host)
{
  (void)host;
  return interrupt(ITIMER_PROF, SIGPROF, SA_RESTART);
}

static int alternate_stack(struct host *host)
{
  static char stack[16 << 10];
  const stack_t small = {.ss_sp = stack, .ss_size = sizeof(stack)};

  (void)host;
  return sigaltstack(&small, NULL) || handle(SIGCHLD, reap_all, SA_ONSTACK);
}

static int own_children(struct host *host)
{
  for (int i = 0; i < 2; i++) {
    host->children[i] = fork();
    if (host->children[i] < 0)
      return 1;
    if (!host->children[i]) {
      while (!i)
        pause();
      _exit(7);
    }
  }
  return waitid(P_PID, (id_t)host->children[1], &(siginfo_t){0}, WEXITED | WNOWAIT);
}

static int be_subreaper(struct host *host)
{
  (void)host;
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Rights. */

static int other_user(struct host *host)
{
  if (geteuid() || chmod(host->dir, 0755) || seteuid(HOST_NOBODY))
    return HOST_SKIPPED;
  return faccessat(AT_FDCWD, getenv("HWLOC_FSROOT"), X_OK, AT_EACCESS) ? HOST_SKIPPED : 0;
}

static int not_dumpable(struct host *host)
{
  (void)host;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int no_new_rights(struct host *host)
{
  (void)host;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Threads, processors and terminals. */

static void *sleep_for_ever(void *data)
{
  (void)data;
  for (;;)
    pause();
  return NULL;
}

static int many_threads(struct host *host)
{
  (void)host;
  for (int i = 0; i < 100; i++)
    if (start_thread(sleep_for_ever))
      return 1;
  return 0;
}

static int one_processor(struct host *host)
{
  cpu_set_t all, one;

  (void)host;
  if (sched_getaffinity(0, sizeof(all), &all))
    return HOST_SKIPPED;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &one);
  return sched_setaffinity(0, sizeof(one), &one) ? HOST_SKIPPED : 0;
}

static int be_idle(struct host *host)
{
  (void)host;
  return sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}) ? HOST_SKIPPED : 0;
}

static int new_session(struct host *host)
{
  (void)host;
  return setsid() < 0;
}

static int round_up(struct host *host)
{
  (void)host;
  return fesetround(FE_UPWARD);
}

const struct host_state host_states[] = {
    {"without stdin", close_in, NULL, NULL},
    {"without stdout", close_out, NULL, NULL},
    {"without stderr", close_err, NULL, NULL},
    {"without streams", close_all, NULL, NULL},
    {"with broken pipes as streams", break_pipes, NULL, NULL},
    {"with full pipes as streams", fill_pipes, NULL, NULL},
    {"with 500 descriptors", open_many, NULL, NULL},
    {"with the descriptor 1000", open_high, NULL, NULL},
    {"without a free descriptor", no_descriptors, "", ""},
    {"with three free descriptors", few_descriptors, "Too many open files", NULL},
    {"with twelve free descriptors", more_descriptors, NULL, NULL},
    {"that may write no files", small_files, "killed by signal 25", NULL},
    {"with a stack of 64 KiB", small_stack, NULL, NULL},
    {"that loads in a thread with a small stack", thread_stack, NULL, NULL},
    {"that may queue no signals", no_queued_signals, NULL, NULL},
    {"with locked memory", locked_memory, NULL, NULL},
    {"without memory", no_address_space, "", ""},
    {"of a user who may start no process", no_processes, "Resource temporarily unavailable", NULL},
    {"that ignores SIGCHLD", ignore_children, NULL, NULL},
    {"that gets no zombies", no_zombies, NULL, NULL},
    {"that waits for all children in a handler", reap_in_handler, NULL, NULL},
    {"that waits for all children in a thread", reap_in_thread, NULL, NULL},
    {"that blocks all signals", block_all, NULL, NULL},
    {"that ignores all signals", ignore_all, NULL, NULL},
    {"with pending signals", pending_signals, NULL, NULL},
    {"that signals interrupt a thousand times a second", interrupt_calls, NULL, NULL},
    {"that is profiled", be_profiled, NULL, NULL},
    {"with an alternate stack for signals", alternate_stack, NULL, NULL},
    {"with children, one of which has ended", own_children, NULL, NULL},
    {"that gets the children of its children", be_subreaper, NULL, NULL},
    {"whose effective user is another one", other_user, "no directory for records",
     "no directory for records"},
    {"that is not dumpable", not_dumpable, NULL, NULL},
    {"that gets no new rights", no_new_rights, NULL, NULL},
    {"with 100 threads", many_threads, NULL, NULL},
    {"that may use one processor", one_processor, NULL, NULL},
    {"with another scheduling policy", be_idle, NULL, NULL},
    {"in a session of its own", new_session, NULL, NULL},
    {"that rounds up", round_up, NULL, NULL},
};
const size_t host_states_count = sizeof(host_states) / sizeof(host_states[0]);
