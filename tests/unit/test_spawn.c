/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Children of all kinds, from a process in all kinds of states.
 */
#include "tree.h"

#include "util/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* A shell command. */
#define SH(text)                                                                                   \
  {                                                                                                \
    .argv = (const char *const[])                                                                  \
    {                                                                                              \
      "/bin/sh", "-c", text, NULL                                                                  \
    }                                                                                              \
  }

static const struct gc_spawn_options patient = {.seconds = 60};
static const struct gc_spawn_options hasty = {.seconds = 2}; /* for what never ends */

static int setup(void **state)
{
  make_root(state);
  return chdir(root);
}

static int teardown(void **state)
{
  signal(SIGCHLD, SIG_DFL);
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

/* It may take its adopter a moment to collect it: a zombie counts as gone. */
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

/* Each waits for what the other does: only together can they end. */
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
  struct gc_command command = SH("echo \"hwloc-gpucache: $GC_A $GC_B $GC_C\" >&2");
  const char *const set[] = {"GC_A=new", "GC_C=added", NULL};
  struct gc_spawn_options options = {.seconds = 60, .set_env = set};

  (void)state;
  setenv("GC_A", "old", 1);
  setenv("GC_B", "kept", 1);
  unsetenv("GC_C");
  gc_spawn(&command, 1, &options);
  assert_string_equal(command.message, "new kept added");
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
  /* 32 and 33 are the C library's own: glibc leaves them ignored in what it spawns. */
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

/* stderr as it is, in the caller's process group. */
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

static void no_descriptor_stays(void **state)
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

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(ends),
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
      TEST(passing_stderr),
      TEST(output_goes_where_it_is_wanted),
      TEST(no_descriptor_stays),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
