/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Different children, started by a process in different states.
 */
#include "tree.h"

#include "util/clock.h"
#include "util/spawn.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* This program as a command: what it does is its first argument. */
#define SELF(what)                                                                                 \
  {                                                                                                \
    .argv = (const char *const[])                                                                  \
    {                                                                                              \
      "/proc/self/exe", what, NULL                                                                 \
    }                                                                                              \
  }

/* As in uninterruptible sleep: signals have no effect. */
static bool kill_has_no_effect;
/* As on a kernel before 5.3, or where seccomp forbids it. */
static bool no_pidfd;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number)
{
  return kill_has_no_effect ? 0 : __real_kill(pid, number);
}

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
  if (number == SYS_pidfd_send_signal && kill_has_no_effect)
    return 0;
  if (number == SYS_pidfd_open && no_pidfd) {
    errno = ENOSYS;
    return -1;
  }
  return __real_syscall(number, a, b, c, d, e, f);
}

/* A shell command. */
#define SH(text)                                                                                   \
  {                                                                                                \
    .argv = (const char *const[])                                                                  \
    {                                                                                              \
      "/bin/sh", "-c", text, NULL                                                                  \
    }                                                                                              \
  }

static const struct gc_spawn_options patient = {.seconds = 60};
static const struct gc_spawn_options hasty = {.seconds = 2}; /* for commands that never end */

static int setup(void **state)
{
  make_root(state);
  return chdir(root);
}

static int teardown(void **state)
{
  signal(SIGCHLD, SIG_DFL);
  kill_has_no_effect = no_pidfd = false;
  return chdir("/") || remove_root(state);
}

static void no_child_is_left(void)
{
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

/* The number in a file that a child wrote. */
static long number(const char *file)
{
  FILE *stream = fopen(file, "r");
  long value = -1;

  if (stream) {
    if (fscanf(stream, "%ld", &value) != 1)
      value = -1;
    fclose(stream);
  }
  return value;
}

/* The process that inherits it may need a moment to reap it, so a zombie is accepted. */
static void assert_gone(long pid)
{
  assert_true(pid > 1);
  for (int i = 0; i < 100; i++) {
    char path[64], state = 'Z';
    FILE *stream;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    stream = fopen(path, "r");
    if (stream && fscanf(stream, "%*d (%*[^)]) %c", &state) != 1)
      state = 'Z';
    if (stream)
      fclose(stream);
    if (state == 'Z' || state == 'X')
      return;
    usleep(50000);
  }
  fail_msg("process %ld is still there", pid);
}

static void ends(void **state)
{
  struct gc_command commands[] = {SH("exit 0"), SH("exit 7"), SH("kill -SEGV $$"), SH("")};

  (void)state;
  commands[3].argv = (const char *const[]){"/nowhere/to/be/found", NULL};
  gc_spawn(commands, 4, &patient);
  assert_int_equal(commands[0].end, GC_END_EXITED);
  assert_int_equal(commands[0].status, 0);
  assert_int_equal(commands[1].end, GC_END_EXITED);
  assert_int_equal(commands[1].status, 7);
  assert_int_equal(commands[2].end, GC_END_KILLED);
  assert_int_equal(commands[2].status, SIGSEGV);
  assert_int_equal(commands[3].end, GC_END_NOT_STARTED);
  assert_int_equal(commands[3].status, ENOENT);
  no_child_is_left();
}

/* As in a root directory that lacks it: the failure is not one of the command. */
static void there_is_no_dev_null(void **state)
{
  struct gc_command command = SH("exit 0");
  pid_t jailed;
  int status;

  (void)state;
  if (geteuid() != 0) {
    print_message("only root can change the root directory\n");
    skip();
  }
  jailed = fork();
  assert_true(jailed >= 0);
  if (jailed == 0) {
    char why[100];

    /* a command that needs no /dev/null */
    struct gc_command own = {.argv = (const char *const[]){"/nowhere", NULL},
                             .input = fcntl(0, F_DUPFD_CLOEXEC, 3),
                             .output = fcntl(1, F_DUPFD_CLOEXEC, 3)};
    if (chroot(root))
      _exit(77);
    gc_spawn(&command, 1, &patient);
    gc_spawn(&own, 1, &patient);
    gc_spawn_why(&command, why, sizeof why);
    _exit(command.end != GC_END_NOT_STARTED || command.status != ENOENT || !command.lacks_null ||
          strcmp(why, "/dev/null cannot be opened: No such file or directory") ||
          own.status != ENOENT || own.lacks_null);
  }
  assert_int_equal(waitpid(jailed, &status, 0), jailed);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    print_message("the root directory cannot be changed here\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
  command.argv = (const char *const[]){"/nowhere", NULL};
  gc_spawn(&command, 1, &patient);
  assert_int_equal(command.end, GC_END_NOT_STARTED);
  assert_false(command.lacks_null);
}

static void none_at_all(void **state)
{
  (void)state;
  gc_spawn(NULL, 0, &patient);
}

static void messages(void **state)
{
  struct gc_command commands[] = {
      SH("echo 'hwloc-gpucache: first' >&2; echo 'hwloc-gpucache: second' >&2; echo other >&2"),
      SH("printf '\\rprogress\\rhwloc-gpucache: after a carriage return' >&2"),
      SH("echo ' hwloc-gpucache: not at the start' >&2; echo 'hwloc-gpucache: on stdout'"),
      SH("printf 'hwloc-gpucache: ' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2"),
      SH("head -c 300000 /dev/zero | tr '\\0' 'x' >&2; echo >&2; echo 'hwloc-gpucache: end' >&2"),
  };

  (void)state;
  gc_spawn(commands, 5, &patient);
  assert_string_equal(commands[0].message, "second");
  assert_string_equal(commands[1].message, "after a carriage return");
  assert_string_equal(commands[2].message, "");
  assert_int_equal(strlen(commands[3].message), sizeof(commands[3].message) - 1);
  assert_string_equal(commands[4].message, "end");
}

/* Each waits for the other, so they can end only if they run in parallel. */
static void side_by_side(void **state)
{
  struct gc_command commands[] = {
      SH(": > a; while [ ! -e b ]; do sleep 0.02; done"),
      SH(": > b; while [ ! -e a ]; do sleep 0.02; done"),
  };

  (void)state;
  gc_spawn(commands, 2, &patient);
  assert_int_equal(commands[0].end, GC_END_EXITED);
  assert_int_equal(commands[1].end, GC_END_EXITED);
}

static void late_ones_are_killed_with_their_group(void **state)
{
  struct gc_command commands[] = {
      SH("trap '' TERM; sleep 1000 & echo $! > child; echo $$ > leader; "
         "echo 'hwloc-gpucache: so far' >&2; wait"),
      SH("exit 3"),
  };

  (void)state;
  gc_spawn(commands, 2, &hasty);
  assert_int_equal(commands[0].end, GC_END_LATE);
  assert_string_equal(commands[0].message, "so far");
  assert_int_equal(commands[1].end, GC_END_EXITED);
  assert_gone(number("leader"));
  assert_gone(number("child"));
  no_child_is_left();
}

static void what_is_left_behind_is_killed(void **state)
{
  struct gc_command command = SH("sleep 1000 & echo $! > child");

  (void)state;
  gc_spawn(&command, 1, &patient);
  assert_int_equal(command.end, GC_END_EXITED);
  assert_gone(number("child"));
}

static void closing_stderr_is_not_the_end(void **state)
{
  struct gc_command command = SH("exec 2>&-; sleep 0.1; exit 5");

  (void)state;
  gc_spawn(&command, 1, &patient);
  assert_int_equal(command.end, GC_END_EXITED);
  assert_int_equal(command.status, 5);
}

static void environment(void **state)
{
  struct gc_command command =
      SH("echo \"hwloc-gpucache: $GC_A $GC_B $GC_C ${GC_D-removed} ${GC_D2-removed}\" >&2");
  const char *const set[] = {"GC_A=new", "GC_C=added", "GC_D", NULL};
  struct gc_spawn_options options = {.seconds = 60, .set_env = set};

  (void)state;
  setenv("GC_A", "old", 1);
  setenv("GC_B", "kept", 1);
  unsetenv("GC_C");
  setenv("GC_D", "old", 1);
  setenv("GC_D2", "kept", 1);
  gc_spawn(&command, 1, &options);
  assert_string_equal(command.message, "new kept added removed kept");
  assert_string_equal(getenv("GC_A"), "old");
}

/* A signal set in the file "status", or all signals. */
static uint64_t signals(const char *key)
{
  FILE *stream = fopen("status", "r");
  unsigned long long set = UINT64_MAX;
  char line[256];

  while (stream && fgets(line, sizeof(line), stream))
    if (!strncmp(line, key, strlen(key)))
      set = strtoull(line + strlen(key), NULL, 16);
  if (stream)
    fclose(stream);
  return set;
}

static void nothing_is_inherited(void **state)
{
  struct gc_command command =
      SH("for fd in /proc/self/fd/*; do [ \"${fd##*/}\" -lt 10 ] || "
         "[ \"${fd##*/}\" = 255 ] || echo \"hwloc-gpucache: $fd\" >&2; done; "
         "cat /proc/self/status > status; read -r line && exit 9; exit 0");
  unsigned before;
  int fds[100];
  sigset_t all, old;

  (void)state;
  for (int i = 0; i < 100; i++)
    fds[i] = open("/dev/null", O_RDWR);
  signal(SIGPIPE, SIG_IGN);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &old);
  before = descriptors();
  gc_spawn(&command, 1, &patient);
  assert_int_equal(descriptors(), before);
  sigprocmask(SIG_SETMASK, &old, NULL);
  signal(SIGPIPE, SIG_DFL);
  for (int i = 0; i < 100; i++)
    close(fds[i]);
  assert_string_equal(command.message, "");
  assert_int_equal(command.status, 0);
  assert_true(signals("SigBlk:") == 0);
  /* glibc uses 32 and 33 itself and leaves them ignored in spawned processes. */
  assert_true((signals("SigIgn:") & ~UINT64_C(0x180000000)) == 0);
}

static void sigchld_is_ignored(void **state)
{
  struct gc_command commands[] = {SH("sleep 0.1; echo 'hwloc-gpucache: said' >&2; exit 4"),
                                  SH("sleep 1000")};

  (void)state;
  signal(SIGCHLD, SIG_IGN);
  gc_spawn(commands, 2, &hasty);
  assert_int_equal(commands[0].end, GC_END_UNKNOWN);
  assert_string_equal(commands[0].message, "said");
  assert_int_equal(commands[1].end, GC_END_LATE);
  no_child_is_left();
}

static void others_are_not_reaped(void **state)
{
  struct gc_command command = SH("exit 0");
  pid_t own = fork();
  siginfo_t info;
  int status;

  (void)state;
  if (own == 0)
    _exit(42);
  assert_int_equal(waitid(P_PID, (id_t)own, &info, WEXITED | WNOWAIT), 0);
  gc_spawn(&command, 1, &patient);
  assert_int_equal(waitpid(own, &status, 0), own);
  assert_int_equal(WEXITSTATUS(status), 42);
}

/* The deadline holds, and the process that cannot be killed is named. With a pidfd and without. */
static void what_cannot_be_killed_is_abandoned(void **state)
{
  for (int i = 0; i < 2; i++) {
    struct gc_command commands[] = {SH("echo 'hwloc-gpucache: so far' >&2; echo $$ > pid; "
                                       "exec sleep 30"),
                                    SH("exit 3")};
    const double start = gc_now_ms();
    long pid;

    (void)state;
    kill_has_no_effect = true;
    no_pidfd = i;
    gc_spawn(commands, 2, &hasty);
    kill_has_no_effect = false;
    pid = number("pid");
    assert_true(gc_now_ms() - start < 20000);
    assert_int_equal(commands[0].end, GC_END_ABANDONED);
    assert_int_equal(commands[0].status, pid);
    assert_int_equal(commands[0].pid, 0);
    assert_string_equal(commands[0].message, "so far");
    assert_int_equal(commands[1].end, GC_END_EXITED);
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    assert_int_equal(waitpid((pid_t)pid, NULL, 0), pid);
  }
}

/* It moves to the group of this process, so only a signal to the process itself reaches it. */
static void one_that_has_left_its_group_is_killed(void **state)
{
  struct gc_command command = SELF("leave-group");
  const double start = gc_now_ms();

  (void)state;
  gc_spawn(&command, 1, &hasty);
  assert_true(gc_now_ms() - start < 20000);
  assert_int_equal(command.end, GC_END_LATE);
  assert_int_equal(number("group"), getpgrp());
  no_child_is_left();
}

/* A program of root with the set-user-ID bit, started by another user, who may not kill it. */
static void one_of_another_user_is_abandoned(void **state)
{
  struct gc_command command = {.argv = (const char *const[]){"./tool", "become-root", NULL}};
  const double start = gc_now_ms();
  pid_t host;
  int status;

  (void)state;
  if (geteuid() != 0) {
    print_message("only root can make a set-user-ID program of root\n");
    skip();
  }
  shell("cp /proc/%ld/exe tool && chmod 4755 tool && chmod 777 .", (long)getpid());
  host = fork();
  assert_true(host >= 0);
  if (host == 0) {
    if (setresgid(12345, 12345, 12345) || setresuid(12345, 12345, 12345))
      _exit(9);
    gc_spawn(&command, 1, &hasty);
    if (command.end == GC_END_EXITED && command.status == 77)
      _exit(77);
    _exit(command.end != GC_END_ABANDONED || command.status != number("pid"));
  }
  assert_int_equal(waitpid(host, &status, 0), host);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    print_message("the set-user-ID bit has no effect here\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_true(gc_now_ms() - start < 20000);
  assert_int_equal(kill((pid_t)number("pid"), SIGKILL), 0);
}

/* In a container, the application may be the process 1, which inherits orphans: like a subreaper. */
static void orphans_of_the_group_are_reaped(void **state)
{
  struct gc_command commands[] = {
      SH("sleep 1000 & echo $! > child"),
      SH("(sleep 1000 & sleep 1000) & sleep 0.1; kill -KILL $$"),
      SH("sleep 1000 & wait"),
  };
  pid_t own;
  int status;

  (void)state;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1)) {
    print_message("this kernel has no subreapers\n");
    skip();
  }
  own = fork();
  if (own == 0)
    _exit(42);
  gc_spawn(commands, 3, &hasty);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  assert_int_equal(commands[2].end, GC_END_LATE);
  /* nobody else's child is reaped */
  assert_int_equal(waitpid(own, &status, 0), own);
  assert_int_equal(WEXITSTATUS(status), 42);
  no_child_is_left();
  assert_gone(number("child"));
}

static atomic_bool stop;

/* As a thread of the application that reaps all children. */
static void *reap_all(void *unused)
{
  (void)unused;
  while (!stop)
    if (waitpid(-1, NULL, WNOHANG) <= 0)
      usleep(100);
  return NULL;
}

static void the_group_is_killed_though_another_one_reaps(void **state)
{
  struct gc_command commands[] = {SH("sleep 1000 & echo $! > child; exit 3"),
                                  SH("sleep 1000 & echo $! > late; wait")};
  pthread_t thread;

  (void)state;
  stop = false;
  assert_int_equal(pthread_create(&thread, NULL, reap_all, NULL), 0);
  gc_spawn(commands, 2, &hasty);
  stop = true;
  pthread_join(thread, NULL);
  assert_true(commands[0].end == GC_END_UNKNOWN || commands[0].end == GC_END_EXITED);
  assert_int_equal(commands[1].end, GC_END_LATE);
  assert_gone(number("child"));
  assert_gone(number("late"));

  signal(SIGCHLD, SIG_IGN);
  gc_spawn(commands, 1, &patient);
  assert_gone(number("child"));
}

/* The fastest start of several, in ms. */
static double fastest_start(void)
{
  double fastest = 1e9;

  for (int i = 0; i < 30; i++) {
    struct gc_command command = SELF("nothing");
    const double start = gc_now_ms();
    double ms;

    gc_spawn(&command, 1, &patient);
    ms = gc_now_ms() - start;
    assert_int_equal(command.end, GC_END_EXITED);
    fastest = ms < fastest ? ms : fastest;
  }
  return fastest;
}

#define GIB ((size_t)1 << 30)

/* A fork would copy the page tables: more than 20 ms for 2 GiB. Pages that are only read need page
 * tables, but no memory. */
static void a_start_costs_the_same_in_a_big_process(void **state)
{
  const double small = fastest_start();
  volatile char *memory;
  double big;

  (void)state;
  memory = mmap(NULL, 2 * GIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
  if (memory == MAP_FAILED) {
    print_message("no 2 GiB can be mapped\n");
    skip();
  }
  madvise((void *)memory, 2 * GIB, MADV_NOHUGEPAGE); /* many pages */
  *memory = 1; /* a fork copies the tables of memory that has been written to */
  for (size_t at = 0; at < 2 * GIB; at += 4096)
    (void)memory[at];
  big = fastest_start();
  munmap((void *)memory, 2 * GIB);
  print_message("a start takes %.2f ms, in a process of 2 GiB %.2f ms\n", small, big);
  if (big > 3 * small + 10)
    fail_msg("%.2f ms instead of %.2f ms", big, small);
}

/* stderr is unchanged, and so is the process group. */
static void passing_stderr(void **state)
{
  struct gc_command command =
      SH("echo 'hwloc-gpucache: seen' >&2; cut -d' ' -f5 /proc/self/stat > group");
  struct gc_spawn_options options = {.seconds = 60, .pass_stderr = true};
  int file = open("stderr", O_RDWR | O_CREAT | O_CLOEXEC, 0600), saved = dup(STDERR_FILENO);
  char text[64] = "";

  (void)state;
  dup2(file, STDERR_FILENO);
  gc_spawn(&command, 1, &options);
  dup2(saved, STDERR_FILENO);
  close(saved);
  assert_true(pread(file, text, sizeof(text) - 1, 0) > 0);
  close(file);
  assert_string_equal(text, "hwloc-gpucache: seen\n");
  assert_string_equal(command.message, "");
  assert_int_equal(number("group"), getpgrp());
}

static void output_goes_where_it_is_wanted(void **state)
{
  struct gc_command commands[] = {SH("echo 4711"), SH("echo lost")};
  int file = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

  (void)state;
  commands[0].output = file;
  gc_spawn(commands, 2, &patient);
  close(file);
  assert_int_equal(number("out"), 4711);
}

static void no_descriptor_is_left(void **state)
{
  unsigned before = descriptors();

  (void)state;
  for (int i = 0; i < 20; i++) {
    struct gc_command commands[] = {SH("exit 0"), SH(""), SH("kill -9 $$")};

    commands[1].argv = (const char *const[]){"/nowhere", NULL};
    gc_spawn(commands, 3, &patient);
  }
  assert_int_equal(descriptors(), before);
}

static void write_number(const char *file, long value)
{
  FILE *stream = fopen(file, "w");

  if (stream) {
    fprintf(stream, "%ld\n", value);
    fclose(stream);
  }
}

/* This program as a command. */
static int act(const char *what)
{
  if (!strcmp(what, "leave-group")) {
    setpgid(0, getpgid(getppid()));
    write_number("group", getpgrp());
    sleep(30);
  } else if (!strcmp(what, "become-root")) {
    if (setresuid(0, 0, 0))
      return 77;
    write_number("pid", getpid());
    sleep(30);
  }
  return 0;
}

/* Each one counts those that run beside it. */
#define COUNT SH("mkdir me$$; set -- me*; echo $# >>counts; sleep 0.05; rmdir me$$")

static void only_some_run_together(void **state)
{
  struct gc_spawn_options options = patient;
  struct gc_command commands[] = {COUNT, COUNT, SH("exit 7"), COUNT, COUNT, SH(""), COUNT, COUNT};
  long together, lines = 0;
  FILE *counts;

  (void)state;
  commands[5].argv = (const char *const[]){"/nowhere/to/be/found", NULL};
  options.at_once = 2;
  for (int i = 0; i < 8; i++)
    commands[i].waits = true;
  gc_spawn(commands, 8, &options);
  for (int i = 0; i < 8; i++)
    assert_int_equal(commands[i].end, i == 5 ? GC_END_NOT_STARTED : GC_END_EXITED);
  assert_int_equal(commands[2].status, 7);
  assert_int_equal(commands[5].status, ENOENT);
  counts = fopen("counts", "r");
  assert_non_null(counts);
  while (fscanf(counts, "%ld", &together) == 1) {
    assert_in_range(together, 1, 2);
    lines++;
  }
  fclose(counts);
  assert_int_equal(lines, 6);
  no_child_is_left();
}

static void what_has_not_begun_at_the_deadline_is_late(void **state)
{
  struct gc_spawn_options options = hasty;
  struct gc_command commands[] = {SH("exit 0"), SH("sleep 1000"), SH("echo 1 >begun")};

  (void)state;
  options.at_once = 1;
  for (int i = 0; i < 3; i++)
    commands[i].waits = true;
  gc_spawn(commands, 3, &options);
  assert_int_equal(commands[0].end, GC_END_EXITED);
  assert_int_equal(commands[1].end, GC_END_LATE);
  assert_int_equal(commands[2].end, GC_END_LATE);
  assert_int_equal(number("begun"), -1);
  no_child_is_left();
}

int main(int argc, char **argv)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(ends),
      TEST(there_is_no_dev_null),
      TEST(none_at_all),
      TEST(messages),
      TEST(side_by_side),
      TEST(late_ones_are_killed_with_their_group),
      TEST(what_is_left_behind_is_killed),
      TEST(closing_stderr_is_not_the_end),
      TEST(environment),
      TEST(nothing_is_inherited),
      TEST(sigchld_is_ignored),
      TEST(others_are_not_reaped),
      TEST(what_cannot_be_killed_is_abandoned),
      TEST(one_that_has_left_its_group_is_killed),
      TEST(one_of_another_user_is_abandoned),
      TEST(orphans_of_the_group_are_reaped),
      TEST(the_group_is_killed_though_another_one_reaps),
      TEST(a_start_costs_the_same_in_a_big_process),
      TEST(passing_stderr),
      TEST(output_goes_where_it_is_wanted),
      TEST(no_descriptor_is_left),
      TEST(only_some_run_together),
      TEST(what_has_not_begun_at_the_deadline_is_late),
  };

  if (argc > 1)
    return act(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
