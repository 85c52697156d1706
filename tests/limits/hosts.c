/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hosts states|commands DIR: loads a topology in many processes, each in a directory of its own
 * below DIR. states: in each odd state, without a record and with one. commands: with each bad
 * command. Each load must succeed and give the expected status, and the process must be as before:
 * descriptors, children, threads, signals, limits, environment, directory, umask. No process may be
 * left. HOSTS_RECORD names the record of the GPU; this program is also the command. Prints what
 * failed and what cannot be done here, and numbers. Exit status 0: none failed.
 */
#define _GNU_SOURCE
#include "hosts.h"

#include <hwloc.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Only a load that hangs takes that long, on any machine. */
#define HANGS_SECONDS 120
#define MOST_DESCRIPTORS 2048

extern char **environ;

bool host_is_sanitized(void)
{
  const char *value = getenv("SANITIZERS");

  return value && !strcmp(value, "yes");
}

int host_write(const char *path, const void *bytes, size_t size)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ssize_t n = 0;

  for (size_t at = 0; fd >= 0 && at < size && n >= 0; at += (size_t)n)
    n = write(fd, (const char *)bytes + at, size - at);
  if (fd >= 0 && fchmod(fd, 0600)) /* whatever the umask */
    n = -1;
  return fd < 0 || close(fd) || n < 0;
}

static char right_record[1 << 16];
static size_t right_size;

int host_put_record(const char *path, size_t most)
{
  char new[4096];

  snprintf(new, sizeof(new), "%s.new", path);
  return host_write(new, right_record, most < right_size ? most : right_size) || rename(new, path);
}

static int read_record(void)
{
  const char *path = getenv("HOSTS_RECORD");
  const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  const ssize_t n = fd < 0 ? -1 : read(fd, right_record, sizeof(right_record));

  if (fd >= 0)
    close(fd);
  right_size = n > 0 ? (size_t)n : 0;
  return n <= 0;
}

/* Memory that all processes share: the processes may have no streams. */
static struct report {
  char text[2000];
  size_t length;
} * report;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
  const size_t left = sizeof(report->text) - report->length;
  va_list args;
  int n;

  va_start(args, format);
  n = vsnprintf(report->text + report->length, left, format, args);
  va_end(args);
  report->length += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

/* What a load must not change. */
struct snapshot {
  uint64_t descriptors[MOST_DESCRIPTORS / 64], blocked, pending, environment;
  uint64_t handlers[NSIG], flags[NSIG], masks[NSIG], limits[RLIM_NLIMITS][2];
  uint64_t directory[2], processors, stack[2];
  int umask, rounding, policy, priority, dumpable, subreaper, children, threads;
  char locale[200];
};

/* FNV-1a */
static uint64_t hash(uint64_t hash, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
  return hash;
}

static uint64_t bits_of(const sigset_t *set)
{
  uint64_t bits = 0;

  for (int i = 1; i < NSIG; i++)
    bits |= (uint64_t)(sigismember(set, i) == 1) << (i - 1);
  return bits;
}

static void snap_signals(struct snapshot *s)
{
  stack_t stack;
  sigset_t set;

  pthread_sigmask(SIG_SETMASK, NULL, &set);
  s->blocked = bits_of(&set);
  sigpending(&set);
  sigdelset(&set, SIGCHLD); /* the end of the command */
  sigdelset(&set, SIGALRM); /* from a timer of this process */
  s->pending = bits_of(&set);
  for (int i = 1; i < NSIG; i++) {
    struct sigaction action = {.sa_flags = 0};

    if (sigaction(i, NULL, &action))
      continue;
    s->handlers[i] = (uintptr_t)action.sa_handler;
    s->flags[i] = (unsigned)action.sa_flags;
    s->masks[i] = bits_of(&action.sa_mask);
  }
  sigaltstack(NULL, &stack);
  s->stack[0] = (uintptr_t)stack.ss_sp;
  s->stack[1] = stack.ss_size;
}

/* Without ".", "..", and this thread; 0 without /proc. */
static int count_threads(void)
{
  DIR *dir = opendir("/proc/self/task");
  int count = -3;

  while (dir && readdir(dir))
    count++;
  if (!dir)
    return 0;
  closedir(dir);
  return count;
}

static void snap(struct snapshot *s)
{
  struct stat st = {.st_ino = 0};
  cpu_set_t cpus;
  siginfo_t child = {.si_pid = 0};

  memset(s, 0, sizeof(*s));
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++)
    if (!fstat(fd, &st))
      s->descriptors[fd / 64] |= UINT64_C(1) << fd % 64;
  snap_signals(s);
  s->environment = 1;
  for (char **entry = environ; entry && *entry; entry++)
    s->environment = hash(s->environment, *entry, strlen(*entry) + 1);
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit limit = {0, 0};

    getrlimit((__rlimit_resource_t)i, &limit);
    s->limits[i][0] = limit.rlim_cur;
    s->limits[i][1] = limit.rlim_max;
  }
  if (!stat(".", &st)) {
    s->directory[0] = st.st_dev;
    s->directory[1] = st.st_ino;
  }
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof(cpus), &cpus);
  s->processors = hash(1, &cpus, sizeof(cpus));
  s->umask = (int)umask(0);
  umask((mode_t)s->umask);
  s->rounding = fegetround();
  s->policy = sched_getscheduler(0);
  s->priority = getpriority(PRIO_PROCESS, 0);
  s->dumpable = prctl(PR_GET_DUMPABLE);
  prctl(PR_GET_CHILD_SUBREAPER, &s->subreaper);
  s->children = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) ? 0 : child.si_pid ? 2 : 1;
  s->threads = count_threads();
  snprintf(s->locale, sizeof(s->locale), "%s", setlocale(LC_ALL, NULL));
}

#define COMPARE(member)                                                                            \
  if (memcmp(&before->member, &after->member, sizeof(before->member)))                             \
  complain("the load changed: " #member "; ")

static void compare(const struct snapshot *before, const struct snapshot *after)
{
  COMPARE(descriptors);
  COMPARE(blocked);
  COMPARE(pending);
  COMPARE(environment);
  COMPARE(handlers);
  COMPARE(flags);
  COMPARE(masks);
  COMPARE(limits);
  COMPARE(directory);
  COMPARE(processors);
  COMPARE(stack);
  COMPARE(umask);
  COMPARE(rounding);
  COMPARE(policy);
  COMPARE(priority);
  COMPARE(dumpable);
  COMPARE(subreaper);
  COMPARE(children);
  COMPARE(threads);
  COMPARE(locale);
}

/* expected: see host_state. */
static void judge(hwloc_topology_t topology, const char *expected)
{
  hwloc_obj_t device = hwloc_get_next_pcidev(topology, NULL);
  const char *status = NULL, *bytes = NULL;

  for (; device && !status; device = hwloc_get_next_pcidev(topology, device)) {
    status = hwloc_obj_get_info_by_name(device, "GPUCacheStatus");
    bytes = hwloc_obj_get_info_by_name(device, "GPUCacheL1CapacityBytes");
  }
  if (expected && !*expected)
    return;
  if (!status)
    complain("no GPU has a status; ");
  else if (!expected && (strcmp(status, "measured") || !bytes || strcmp(bytes, "222208")))
    complain("the status is \"%s\", and L1 has %s bytes; ", status, bytes ? bytes : "no");
  else if (expected && !strstr(status, expected))
    complain("the status is \"%s\" without \"%s\"; ", status, expected);
  for (; status && *status; status++)
    if ((unsigned char)*status < ' ' || *status == '\177')
      complain("the status has a control character; ");
}

static void *load(void *expected)
{
  hwloc_topology_t topology;

  if (hwloc_topology_init(&topology)) {
    complain("hwloc_topology_init failed; ");
    return NULL;
  }
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_load(topology)) {
    complain("the load failed; ");
  } else {
    hwloc_topology_check(topology);
    judge(topology, expected);
  }
  hwloc_topology_destroy(topology);
  return NULL;
}

static void load_in_thread(char *expected, size_t stack)
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  if (pthread_create(&thread, &attributes, load, expected) || pthread_join(thread, NULL))
    complain("no thread can be started; ");
}

/* The host's own children are as they were. */
static void end_children(const struct host *host)
{
  siginfo_t ended;

  if (!host->children[0])
    return;
  if (kill(host->children[0], SIGKILL) || waitpid(host->children[0], NULL, 0) != host->children[0])
    complain("its own child is gone; ");
  if (waitid(P_PID, (id_t)host->children[1], &ended, WEXITED) || ended.si_status != 7)
    complain("its own child was reaped; ");
}

static int run_host(struct host *host, int (*set)(struct host *), char *expected)
{
  static struct snapshot before, after;
  hwloc_topology_t first;
  int status;

  /* It keeps the plugins loaded. */
  if (hwloc_topology_init(&first))
    return 1;
  status = set ? set(host) : 0;
  if (status && status != HOST_SKIPPED)
    complain("the state cannot be made: %s; ", strerror(errno));
  if (status)
    return status;
  snap(&before);
  if (host->stack)
    load_in_thread(expected, host->stack);
  else
    load(expected);
  snap(&after);
  for (int i = 0; i < 1000 && after.threads != before.threads; i++) { /* a thread may just end */
    usleep(1000);
    snap(&after);
  }
  compare(&before, &after);
  end_children(host);
  return 0;
}

static void pause_ms(long ms)
{
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Ends the process that the command has hidden. */
static void kill_escaped(const char *dir)
{
  char path[4096];
  pid_t pid = 0;
  int fd;

  snprintf(path, sizeof(path), "%s/escaped", dir);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && read(fd, &pid, sizeof(pid)) == sizeof(pid))
    kill(pid, SIGKILL);
  else
    complain("no process has escaped; ");
  if (fd >= 0)
    close(fd);
}

/* Waits for the host, and for all processes that it has left to this one. */
static int wait_for(pid_t host, const char *escaped)
{
  const time_t end = time(NULL) + HANGS_SECONDS;
  int status = -1, last;
  pid_t pid;

  while ((pid = waitpid(host, &status, WNOHANG)) == 0) {
    pause_ms(2);
    if (time(NULL) <= end)
      continue;
    complain("it does not end; ");
    kill(host, SIGKILL);
  }
  if (WIFSIGNALED(status))
    complain("it was killed by signal %d; ", WTERMSIG(status));
  if (escaped)
    kill_escaped(escaped);
  for (int i = 0; (pid = waitpid(-1, &last, WNOHANG)) >= 0; i++) {
    if (pid == 0)
      pause_ms(2);
    if (i == 3000) {
      complain("a process is left; ");
      break;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

struct counts {
  unsigned done, skipped, failed;
};

/* Runs a host in a new directory. */
static int run_in(const char *dir, const struct host_state *state, bool warm,
                  const struct host_command *command)
{
  char records[4000], record[4096], path[4000];
  struct host host = {.dir = dir, .records = records, .record = record};
  pid_t pid;

  snprintf(records, sizeof(records), "%s/records", dir);
  snprintf(record, sizeof(record), "%s/%s", records, strrchr(getenv("HOSTS_RECORD"), '/') + 1);
  snprintf(path, sizeof(path), "%s/command", dir);
  report->length = 0;
  report->text[0] = '\0';
  if (mkdir(dir, 0755) || mkdir(records, 0700) || (warm && host_put_record(record, SIZE_MAX)))
    return 1;
  pid = fork();
  if (pid < 0)
    return 1;
  if (!pid) {
    setenv("HWLOC_GPUCACHE_DIR", records, 1);
    if (command && command->late)
      setenv("HWLOC_GPUCACHE_TIMEOUT", "0.4", 1);
    if (chdir(dir) || (command && command->path && command->path(path)))
      _exit(1);
    if (command && command->path)
      setenv("HWLOC_GPUCACHE_TOOL", path, 1);
    _exit(run_host(&host, state->set, (char *)(warm ? state->warm : state->cold)));
  }
  return wait_for(pid, command && command->escapes ? dir : NULL);
}

static void count(struct counts *counts, int status, const char *name, const char *how)
{
  if (status == HOST_SKIPPED) {
    printf("not possible here: %s%s\n", name, how);
    counts->skipped++;
  } else if (status || report->length) {
    printf("failed: %s%s: %s(status %d)\n", name, how, report->text, status);
    counts->failed++;
  } else {
    counts->done++;
  }
}

static struct counts run_states(const char *dir)
{
  struct counts counts = {0, 0, 0};
  char path[4000];

  setenv("HOSTS_COMMAND", "measures", 1);
  for (size_t i = 0; i < 2 * (host_states_count + host_places_count); i++) {
    const struct host_state *state =
        i / 2 < host_states_count ? &host_states[i / 2] : &host_places[i / 2 - host_states_count];

    snprintf(path, sizeof(path), "%s/%zu", dir, i);
    count(&counts, run_in(path, state, i % 2, NULL), state->name,
          i % 2 ? ", with a record" : ", without a record");
  }
  return counts;
}

static struct counts run_commands(const char *dir)
{
  struct counts counts = {0, 0, 0};
  char path[4000];

  for (size_t i = 0; i < host_commands_count; i++) {
    const struct host_command *command = &host_commands[i];
    const struct host_state state = {.cold = command->status};

    setenv("HOSTS_COMMAND", command->name, 1);
    snprintf(path, sizeof(path), "%s/%zu", dir, i);
    count(&counts, run_in(path, &state, false, command), command->name, "");
  }
  return counts;
}

/* The command: hosts measure … ID. */
static int be_command(const char *name, const char *id)
{
  const char *dir = getenv("HWLOC_GPUCACHE_DIR");
  char path[4096];

  snprintf(path, sizeof(path), "%s/%s.xml", dir ? dir : ".", id);
  if (read_record())
    return 9;
  for (size_t i = 0; i < host_commands_count; i++)
    if (host_commands[i].run && !strcmp(host_commands[i].name, name))
      return host_commands[i].run(path, host_commands[i].number);
  mkdir(dir ? dir : ".", 0700);
  return host_put_record(path, SIZE_MAX);
}

int main(int argc, char **argv)
{
  const char *command = getenv("HOSTS_COMMAND");
  struct counts counts;
  bool states;
  char *self;

  if (command && argc > 2 && !strcmp(argv[1], "measure"))
    _exit(be_command(command, argv[argc - 1]));
  self = realpath("/proc/self/exe", NULL);
  report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (argc != 3 || argv[2][0] != '/' || read_record() || !self || report == MAP_FAILED ||
      prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    return 2;
  setvbuf(stdout, NULL, _IONBF, 0); /* children must not print again */
  setenv("HWLOC_GPUCACHE_TOOL", self, 1);
  setenv("HWLOC_GPUCACHE_TIMEOUT", "100", 1);
  states = !strcmp(argv[1], "states");
  counts = states ? run_states(argv[2]) : run_commands(argv[2]);
  printf("%zu %s: %u loads as expected, %u not possible here, %u failed\n",
         states ? host_states_count + host_places_count : host_commands_count,
         states ? "odd states" : "bad commands", counts.done, counts.skipped, counts.failed);
  free(self);
  return counts.failed != 0;
}
