/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "util/spawn.h"

#include "util/clock.h"
#include "util/env.h"
#include "util/reap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_DEADLINE 1e18
/* The state of the children is polled at this interval if nothing reports it: kernels before 5.3
 * have no pidfd_open, and orphans have no pidfd. */
#define POLL_MS 5
/* How long gc_spawn waits for a killed process. Usually a process ends within a few milliseconds; a
 * driver may need some hundred to free the memory of a GPU. A process in uninterruptible sleep, on
 * a dead file system for example, may never end. The time is less than GRACE_MS of plugin/load.c,
 * so that the process is named and noted. */
#define GRACE_MS 500

struct child {
  struct gc_command *command;
  const struct gc_spawn_options *options;
  struct gc_reap process;
  bool running, orphans; /* it runs; others of its group may still run */
  double patience;       /* when to stop waiting for killed processes (gc_now_ms); 0: none is */
  int stderr_fd;
  size_t length;
  char line[512]; /* the line of stderr that is read at present */
};

/* Makes the child close all descriptors from 3 on. */
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
  /* Closing a descriptor that is closed already is no error. */
  while (status == 0 && (entry = readdir(dir))) {
    int fd = atoi(entry->d_name);

    if (fd >= 3 && fd != dirfd(dir))
      status = posix_spawn_file_actions_addclose(actions, fd);
  }
  closedir(dir);
  return status;
#endif
}

/* null: a descriptor of /dev/null, 3 or more, if the command needs it. */
static int make_actions(posix_spawn_file_actions_t *actions, const struct gc_command *command,
                        int null, int stderr_fd)
{
  int status = posix_spawn_file_actions_init(actions);

  if (status)
    return status;
  status = posix_spawn_file_actions_adddup2(actions, command->input > 0 ? command->input : null,
                                            STDIN_FILENO);
  if (!status)
    status = posix_spawn_file_actions_adddup2(
        actions, command->output > 0 ? command->output : null, STDOUT_FILENO);
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

/* A pipe whose descriptors are 3 or more, also in a process that has closed its standard
 * streams: the child's descriptors 0 and 1 are opened before the pipe becomes its descriptor 2. */
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

/* Opens /dev/null here, so that a failure is not taken for one of the command. Returns a descriptor
 * of 3 or more, or a negative errno. */
static int open_null(void)
{
  int low = open("/dev/null", O_RDWR | O_CLOEXEC), null;

  if (low < 0)
    return -errno;
  null = low < 3 ? fcntl(low, F_DUPFD_CLOEXEC, 3) : low;
  if (null < 0)
    null = -errno;
  if (null != low)
    close(low);
  return null;
}

static int start(struct child *child, char *const *environment, bool pass_stderr)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  const bool needs_null = child->command->input <= 0 || child->command->output <= 0;
  int ends[2] = {-1, -1}, status, null = needs_null ? open_null() : -1;

  if (needs_null && null < 0) {
    child->command->lacks_null = true;
    return -null;
  }
  status = pass_stderr ? 0 : make_pipe(ends);
  if (status)
    goto out_null;
  status = make_actions(&actions, child->command, null, ends[1]);
  if (status)
    goto out_pipe;
  status = make_attributes(&attributes, !pass_stderr);
  if (status)
    goto out_actions;
  status = posix_spawn(&child->process.pid, child->command->argv[0], &actions, &attributes,
                       (char *const *)child->command->argv, environment);
  posix_spawnattr_destroy(&attributes);
out_actions:
  posix_spawn_file_actions_destroy(&actions);
out_pipe:
  if (ends[1] >= 0)
    close(ends[1]);
  if (status && ends[0] >= 0)
    close(ends[0]);
out_null:
  if (null >= 0)
    close(null);
  if (status)
    return status;
  child->command->pid = child->process.pid;
  child->running = true;
  child->stderr_fd = ends[0];
  child->process.group = !pass_stderr;
  child->process.pidfd = gc_reap_open(child->process.pid);
  return 0;
}

void gc_spawn_why(const struct gc_command *command, char *why, size_t size)
{
  errno = command->status;
  snprintf(why, size, "%s%m", command->lacks_null ? "/dev/null cannot be opened: " : "");
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

/* Reads what the child has written so far; closes the pipe at its end. */
static void read_stderr(struct child *child)
{
  char bytes[1024];
  ssize_t n = 0;

  /* The number of reads is limited: a child that never stops writing must not delay the check of
   * the deadline. */
  for (int i = 0; i < 16 && child->stderr_fd >= 0; i++) {
    n = read(child->stderr_fd, bytes, sizeof(bytes));
    if (n <= 0)
      break;
    for (ssize_t k = 0; k < n; k++) {
      if (bytes[k] == '\n' || bytes[k] == '\r')
        end_line(child);
      else if (child->length < sizeof(child->line) - 1)
        child->line[child->length++] = bytes[k];
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

/* Collects the child if it has ended, and kills what it left in its group. */
static void collect(struct child *child)
{
  siginfo_t info;
  enum gc_reap_state state = gc_reap_try(&child->process, &info);

  if (state == GC_REAP_RUNNING)
    return;
  child->command->pid = 0; /* from here on another process may get this id */
  child->running = false;
  child->orphans = true;
  if (!(child->patience > 0))
    child->patience = gc_now_ms() + GRACE_MS;
  if (state == GC_REAP_TAKEN)
    set_end(child->command, GC_END_UNKNOWN, 0);
  else
    set_end(child->command, info.si_code == CLD_EXITED ? GC_END_EXITED : GC_END_KILLED,
            info.si_status);
  /* the rest of the data in the pipe: up to its 64 KiB */
  for (int i = 0; i < 4 && child->stderr_fd >= 0; i++)
    read_stderr(child);
  end_line(child);
}

static void kill_late(struct child *child)
{
  child->command->end = GC_END_LATE;
  child->patience = gc_now_ms() + GRACE_MS;
  gc_reap_kill(&child->process);
}

/* The process cannot be killed, or this process may not kill it. After its end, it stays as a
 * zombie until this process ends. */
static void abandon(struct child *child)
{
  child->command->end = GC_END_ABANDONED;
  child->command->status = child->process.pid;
  child->command->pid = 0;
  child->running = false;
  end_line(child);
}

static void attend(struct child *child, double now, bool late)
{
  if (child->running) {
    if (child->stderr_fd >= 0)
      read_stderr(child);
    collect(child);
  }
  if (child->running && child->patience > 0 && now >= child->patience)
    abandon(child);
  else if (child->running && !(child->patience > 0) && late)
    kill_late(child);
  if (child->orphans)
    child->orphans = !gc_reap_orphans(&child->process) && now < child->patience;
}

/* Sleeps until a child ends or writes, or until the deadline. */
static void sleep_until(struct child *children, size_t count, struct pollfd *fds, double deadline)
{
  double wake = deadline, left;
  bool polled = false;
  nfds_t n = 0;

  for (size_t i = 0; i < count; i++) {
    struct child *child = &children[i];

    polled |= child->orphans || (child->running && child->process.pidfd < 0);
    if (!child->running)
      continue;
    if (child->stderr_fd >= 0)
      fds[n++] = (struct pollfd){.fd = child->stderr_fd, .events = POLLIN};
    if (child->process.pidfd >= 0)
      fds[n++] = (struct pollfd){.fd = child->process.pidfd, .events = POLLIN};
    /* all children are killed at the same time */
    if (child->patience > 0)
      wake = child->patience;
  }
  left = polled ? POLL_MS : wake - gc_now_ms();
  poll(fds, n, left > 3600000 ? 3600000 : left < 0 ? 0 : (int)left + 1);
}

/* Commands of which only some run at the same time. */
struct batch {
  struct child *children;
  size_t count, next; /* the children from `next` on have not been started */
  struct pollfd *fds;
  char *const *environment;
  double deadline;
};

/* Starts commands in their order, until one has to wait. */
static void start_some(struct batch *batch, const struct gc_spawn_options *options)
{
  size_t running = 0;

  for (size_t i = 0; i < batch->next; i++)
    running += batch->children[i].running;
  for (; batch->next < batch->count; batch->next++) {
    struct child *child = &batch->children[batch->next];

    if (child->command->waits && running >= options->at_once)
      break;
    child->command->status = start(child, batch->environment, options->pass_stderr);
    running += child->running;
  }
}

static void run(struct batch *batch, const struct gc_spawn_options *options)
{
  for (;;) {
    const double now = gc_now_ms();
    const bool late = now >= batch->deadline;
    bool busy = false;

    for (size_t i = 0; i < batch->next; i++) {
      attend(&batch->children[i], now, late);
      busy |= batch->children[i].running || batch->children[i].orphans;
    }
    for (; late && batch->next < batch->count; batch->next++)
      set_end(batch->children[batch->next].command, GC_END_LATE, 0);
    start_some(batch, options);
    for (size_t i = 0; i < batch->count && !busy; i++)
      busy = batch->children[i].running;
    if (!busy)
      return;
    sleep_until(batch->children, batch->count, batch->fds, batch->deadline);
  }
}

void gc_spawn(struct gc_command *commands, size_t count, const struct gc_spawn_options *options)
{
  double deadline = options->seconds > 0 ? gc_now_ms() + 1e3 * options->seconds : NO_DEADLINE;
  char **merged = options->environment ? NULL : gc_env_merge(options->set_env);
  struct batch batch = {.children = calloc(count ? count : 1, sizeof(*batch.children)),
                        .count = count,
                        .fds = calloc(2 * count + 1, sizeof(*batch.fds)),
                        .environment = merged ? merged : options->environment,
                        .deadline = deadline};

  for (size_t i = 0; i < count; i++) {
    commands[i].pid = 0;
    commands[i].end = GC_END_NOT_STARTED;
    commands[i].status = ENOMEM;
    commands[i].lacks_null = false;
    commands[i].message[0] = '\0';
  }
  if (!batch.environment || !batch.children || !batch.fds)
    goto out;
  for (size_t i = 0; i < count; i++) {
    batch.children[i].command = &commands[i];
    batch.children[i].options = options;
    batch.children[i].process.pidfd = batch.children[i].stderr_fd = -1;
  }
  start_some(&batch, options); /* also if the deadline has passed */
  run(&batch, options);
  for (size_t i = 0; i < count; i++) {
    if (batch.children[i].stderr_fd >= 0)
      close(batch.children[i].stderr_fd);
    if (batch.children[i].process.pidfd >= 0)
      close(batch.children[i].process.pidfd);
  }
out:
  free(batch.fds);
  free(batch.children);
  free(merged);
}
