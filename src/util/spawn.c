/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "util/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_DEADLINE 1e18
/* How often a child is asked whether it is over where the kernel has no pidfd_open (before 5.3). */
#define ASK_EVERY_MS 5

extern char **environ;

struct child {
  struct gc_command *command;
  const struct gc_spawn_options *options;
  pid_t pid;  /* 0: not running (any more) */
  bool group; /* leads a process group of its own */
  int pidfd, stderr_fd;
  size_t length;
  char line[512]; /* the line of stderr that is being read */
};

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* environ with the settings in place of entries of the same names; the strings are not copied. */
static char **make_environment(const char *const *set)
{
  size_t have = 0, add = 0, n = 0;
  char **merged;

  while (environ && environ[have])
    have++;
  while (set && set[add])
    add++;
  merged = malloc((have + add + 1) * sizeof(*merged));
  if (!merged)
    return NULL;
  for (size_t i = 0; i < have && environ[i]; i++) {
    bool replaced = false;

    for (size_t k = 0; k < add; k++)
      replaced |= !strncmp(environ[i], set[k], strcspn(set[k], "=") + 1);
    if (!replaced)
      merged[n++] = environ[i];
  }
  for (size_t k = 0; k < add; k++)
    merged[n++] = (char *)set[k];
  merged[n] = NULL;
  return merged;
}

/* No descriptor from 3 on reaches the child. */
static int close_others(posix_spawn_file_actions_t *actions)
{
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
  DIR *dir = opendir("/proc/self/fd");
  struct dirent *entry;
  int status = 0;

  if (!dir)
    return errno;
  /* Closing one that is gone by then is no error. */
  while (status == 0 && (entry = readdir(dir))) {
    int fd = atoi(entry->d_name);

    if (fd >= 3 && fd != dirfd(dir))
      status = posix_spawn_file_actions_addclose(actions, fd);
  }
  closedir(dir);
  return status;
#endif
}

static int make_actions(posix_spawn_file_actions_t *actions, const struct gc_command *command,
                        int stderr_fd)
{
  int status = posix_spawn_file_actions_init(actions);

  if (status)
    return status;
  if (command->input > 0)
    status = posix_spawn_file_actions_adddup2(actions, command->input, STDIN_FILENO);
  else
    status = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!status && command->output > 0)
    status = posix_spawn_file_actions_adddup2(actions, command->output, STDOUT_FILENO);
  else if (!status)
    status = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!status && stderr_fd >= 0)
    status = posix_spawn_file_actions_adddup2(actions, stderr_fd, STDERR_FILENO);
  if (!status)
    status = close_others(actions);
  if (status)
    posix_spawn_file_actions_destroy(actions);
  return status;
}

static int make_attributes(posix_spawnattr_t *attributes, bool group)
{
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  sigset_t all, none;
  int status = posix_spawnattr_init(attributes);

  if (status)
    return status;
  sigfillset(&all);
  sigemptyset(&none);
  if (group)
    flags |= POSIX_SPAWN_SETPGROUP; /* group 0: a new one */
  status = posix_spawnattr_setsigdefault(attributes, &all);
  if (!status)
    status = posix_spawnattr_setsigmask(attributes, &none);
  if (!status)
    status = posix_spawnattr_setflags(attributes, flags);
  if (status)
    posix_spawnattr_destroy(attributes);
  return status;
}

/* A pipe whose ends are 3 or more, also in a process that has closed its standard streams: the
 * child's 0 and 1 are opened before its 2 is made of the pipe. */
static int make_pipe(int ends[2])
{
  int low[2], status = 0;

  ends[0] = ends[1] = -1;
  if (pipe2(low, O_CLOEXEC) < 0)
    return errno;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
    if (ends[i] < 0 && !status)
      status = errno;
    close(low[i]);
  }
  if (!status && fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
    status = errno;
  for (int i = 0; status && i < 2; i++)
    if (ends[i] >= 0)
      close(ends[i]);
  return status;
}

static int start(struct child *child, char **environment, bool pass_stderr)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int ends[2] = {-1, -1}, status;

  status = pass_stderr ? 0 : make_pipe(ends);
  if (status)
    return status;
  status = make_actions(&actions, child->command, ends[1]);
  if (status)
    goto out_pipe;
  status = make_attributes(&attributes, !pass_stderr);
  if (status)
    goto out_actions;
  status = posix_spawn(&child->pid, child->command->argv[0], &actions, &attributes,
                       (char *const *)child->command->argv, environment);
  posix_spawnattr_destroy(&attributes);
out_actions:
  posix_spawn_file_actions_destroy(&actions);
out_pipe:
  if (ends[1] >= 0)
    close(ends[1]);
  if (status) {
    child->pid = 0;
    if (ends[0] >= 0)
      close(ends[0]);
    return status;
  }
  child->command->pid = child->pid;
  child->group = !pass_stderr;
  child->stderr_fd = ends[0];
#ifdef SYS_pidfd_open
  child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0); /* close-on-exec by nature */
#endif
  return 0;
}

static void end_line(struct child *child)
{
  size_t prefix = strlen(GC_SPAWN_PREFIX);

  child->line[child->length] = '\0';
  if (!strncmp(child->line, GC_SPAWN_PREFIX, prefix))
    snprintf(child->command->message, sizeof(child->command->message), "%.*s",
             (int)sizeof(child->command->message) - 1, child->line + prefix);
  if (child->length && child->options->on_line)
    child->options->on_line(child->command, child->line, child->options->data);
  child->length = 0;
}

/* Takes what the child wrote so far; closes the pipe at its end. */
static void read_stderr(struct child *child)
{
  char bytes[1024];
  ssize_t n = 0;

  /* Bounded, because a child that never stops writing must not keep us from looking at the clock.
   */
  for (int turn = 0; turn < 16 && child->stderr_fd >= 0; turn++) {
    n = read(child->stderr_fd, bytes, sizeof(bytes));
    if (n <= 0)
      break;
    for (ssize_t i = 0; i < n; i++) {
      if (bytes[i] == '\n' || bytes[i] == '\r')
        end_line(child);
      else if (child->length < sizeof(child->line) - 1)
        child->line[child->length++] = bytes[i];
    }
  }
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    close(child->stderr_fd);
    child->stderr_fd = -1;
  }
}

static void set_end(struct gc_command *command, enum gc_end end, int status)
{
  if (command->end == GC_END_LATE)
    return;
  command->end = end;
  command->status = status;
}

/* Collects the child if it is over. Its group is killed while the zombie still keeps the number. */
static void reap(struct child *child, bool wait)
{
  siginfo_t info = {0};
  int result;

  do
    result = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG));
  while (result < 0 && errno == EINTR);
  if (result == 0 && info.si_pid == 0)
    return;
  child->command->pid = 0; /* from here on the number may become another process's */
  if (result == 0) {
    if (child->group)
      kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  if (result < 0)
    set_end(child->command, GC_END_UNKNOWN, 0);
  else if (info.si_code == CLD_EXITED)
    set_end(child->command, GC_END_EXITED, info.si_status);
  else
    set_end(child->command, GC_END_KILLED, info.si_status);
  child->pid = 0;
  /* What is still in the pipe, up to the 64 KiB that a pipe holds. */
  for (int turn = 0; turn < 4 && child->stderr_fd >= 0; turn++)
    read_stderr(child);
  end_line(child);
}

static void kill_late(struct child *child)
{
  child->command->end = GC_END_LATE;
  kill(child->group ? -child->pid : child->pid, SIGKILL);
  reap(child, true);
}

/* Sleeps until something happened to a child, or the deadline. */
static void sleep_until(struct child *children, size_t count, struct pollfd *fds, double deadline)
{
  double left = deadline - now();
  int timeout = left > 3600 ? 3600000 : left < 0 ? 0 : (int)(left * 1000) + 1;
  nfds_t n = 0;

  for (size_t i = 0; i < count; i++) {
    struct child *child = &children[i];

    if (!child->pid)
      continue;
    if (child->stderr_fd >= 0)
      fds[n++] = (struct pollfd){.fd = child->stderr_fd, .events = POLLIN};
    if (child->pidfd >= 0)
      fds[n++] = (struct pollfd){.fd = child->pidfd, .events = POLLIN};
    else if (timeout > ASK_EVERY_MS)
      timeout = ASK_EVERY_MS;
  }
  poll(fds, n, timeout);
}

static void run(struct child *children, size_t count, struct pollfd *fds, double deadline)
{
  for (;;) {
    size_t running = 0;
    bool late = now() >= deadline;

    for (size_t i = 0; i < count; i++) {
      struct child *child = &children[i];

      if (!child->pid)
        continue;
      if (child->stderr_fd >= 0)
        read_stderr(child);
      reap(child, false);
      if (child->pid && late)
        kill_late(child);
      running += child->pid != 0;
    }
    if (!running)
      return;
    sleep_until(children, count, fds, deadline);
  }
}

void gc_spawn(struct gc_command *commands, size_t count, const struct gc_spawn_options *options)
{
  double deadline = options->seconds > 0 ? now() + options->seconds : NO_DEADLINE;
  char **environment = make_environment(options->set_env);
  struct child *children = calloc(count ? count : 1, sizeof(*children));
  struct pollfd *fds = calloc(2 * count + 1, sizeof(*fds));

  for (size_t i = 0; i < count; i++) {
    commands[i].pid = 0;
    commands[i].end = GC_END_NOT_STARTED;
    commands[i].status = ENOMEM;
    commands[i].message[0] = '\0';
  }
  if (!environment || !children || !fds)
    goto out;
  for (size_t i = 0; i < count; i++) {
    children[i].command = &commands[i];
    children[i].options = options;
    children[i].pidfd = children[i].stderr_fd = -1;
    commands[i].status = start(&children[i], environment, options->pass_stderr);
  }
  run(children, count, fds, deadline);
  for (size_t i = 0; i < count; i++) {
    if (children[i].stderr_fd >= 0)
      close(children[i].stderr_fd);
    if (children[i].pidfd >= 0)
      close(children[i].pidfd);
  }
out:
  free(fds);
  free(children);
  free(environment);
}
