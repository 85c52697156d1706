/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tool/trace/record.h"

#include "gpus/gpus.h"
#include "tool/print/messages.h"
#include "tool/process/environment.h"
#include "tool/process/watch.h"
#include "tool/trace/join.h"
#include "tool/trace/pack.h"
#include "tool/trace/toolkit.h"
#include "trace/settings.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INJECTION_ENV "CUDA_INJECTION64_PATH"
#define NOT_STARTED (-1)

static volatile pid_t child;

/* The kernel sends ^C and ^\ on a terminal, and its hangup, to the program, too; kill(1) does not.
 * If somebody sends a signal to both, the program gets it twice. */
static void pass_on(int number, siginfo_t *info, void *unused)
{
  (void)unused;
  if (child > 0 && info->si_code <= 0)
    kill(child, number);
}

static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define PASSED (sizeof passed / sizeof *passed)

/* Signals that are ignored stay ignored, here and in the program (nohup). */
static void take_signals(struct sigaction before[PASSED])
{
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};

  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < PASSED; i++) {
    sigaction(passed[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN)
      sigaction(passed[i], &action, NULL);
  }
}

static void give_signals_back(const struct sigaction before[PASSED])
{
  for (size_t i = 0; i < PASSED; i++)
    sigaction(passed[i], &before[i], NULL);
}

/* Starts the program with this signal mask. 0, or an errno. */
static int start(const struct gc_recorded *recorded, const sigset_t *mask)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t ignored_here;
  pid_t started = 0;
  int status;

  posix_spawnattr_init(&attributes);
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_init(&files);
  if (recorded->to_stderr)
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  status =
      posix_spawnp(&started, recorded->program[0], &files, &attributes, recorded->program, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  child = status ? 0 : started;
  return status;
}

static void wait_for_program(const struct sigaction before[PASSED], struct gc_ended *ended)
{
  siginfo_t info;
  int status = 0;

  /* The process id stays that of the program until signals are no longer passed on. */
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR)
    ;
  give_signals_back(before);
  ended->started = true;
  ended->status = GC_EXIT_FAILED;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return;
  child = 0;
  ended->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended->status = ended->signal ? 128 + ended->signal : WEXITSTATUS(status);
}

/* 0, or NOT_STARTED. */
static int run_program(const struct gc_recorded *recorded, struct gc_ended *ended)
{
  struct sigaction before[PASSED];
  sigset_t all, mask, program_mask;
  int status;

  signal(SIGCHLD, SIG_DFL); /* if it is ignored, nobody learns how a process ended */
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  take_signals(before);
  program_mask = mask;
  sigdelset(&program_mask, SIGPIPE); /* it is blocked here */
  status = start(recorded, &program_mask);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (status) {
    give_signals_back(before);
    gc_say(NULL, "cannot run %s: %s", recorded->program[0], strerror(status));
    ended->status = status == ENOENT ? 127 : 126;
    return NOT_STARTED;
  }
  wait_for_program(before, ended);
  return 0;
}

/* What must not stay if a signal or the deadline ends this process. */
struct leftovers {
  char *directory;                /* NULL: it stays */
  const char *path, *placeholder; /* files; NULL: none */
};

static void remove_directory(void *path)
{
  const char *const directory = path;
  DIR *const files = opendir(directory);
  const struct dirent *entry;

  while (files && (entry = readdir(files)))
    if (*entry->d_name != '.')
      unlinkat(dirfd(files), entry->d_name, 0);
  if (files)
    closedir(files);
  rmdir(directory);
}

static void remove_leftovers(void *data)
{
  const struct leftovers *leftovers = data;

  if (leftovers->path)
    unlink(leftovers->path);
  if (leftovers->placeholder)
    unlink(leftovers->placeholder);
  if (leftovers->directory)
    remove_directory(leftovers->directory);
}

static const char *plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

static void report_left_out(const struct gc_joined *joined)
{
  if (joined->failed)
    gc_say(NULL, "%" PRIu64 " process%s could not be recorded: %s", joined->failed,
           joined->failed == 1 ? "" : "es", joined->why_failed.text);
  if (joined->left_out)
    gc_say(NULL, "%" PRIu64 " launch%s not recorded: %s", joined->left_out,
           joined->left_out == 1 ? " was" : "es were", joined->why.text);
  if (joined->in_graphs)
    gc_say(NULL, "%" PRIu64 " kernel%s of CUDA graphs %s not recorded", joined->in_graphs,
           plural(joined->in_graphs), joined->in_graphs == 1 ? "was" : "were");
  if (joined->early)
    gc_say(NULL, "%" PRIu64 " process%s ended early: the trace has the launches that were complete",
           joined->early, joined->early == 1 ? "" : "es");
  if (joined->running)
    gc_say(NULL, "%" PRIu64 " process%s still run%s: the trace has the launches that were complete",
           joined->running, joined->running == 1 ? "" : "es", joined->running == 1 ? "s" : "");
  if (joined->can_launch)
    gc_say(NULL, "%s", gc_joined_can_launch);
  for (size_t i = 0; joined->without_code[i].kernels; i++)
    gc_say(NULL,
           "%" PRIu64 " kernel%s without machine code, so predict assumes that a warp waits for "
           "each load: %s",
           joined->without_code[i].kernels, joined->without_code[i].kernels == 1 ? " is" : "s are",
           joined->without_code[i].why.text);
}

/* Says how many launches there were, if only a sample of them was recorded. */
static const char *for_launches(const struct gc_joined *joined, char text[64])
{
  const uint64_t all = joined->launches + joined->left_out + joined->in_graphs;

  *text = '\0';
  if (all > joined->kernels)
    snprintf(text, 64, " of %" PRIu64 " launches", all);
  return text;
}

static void report_nothing(const struct gc_joined *joined, const struct gc_tool *tool,
                           const char *program)
{
  const bool some = tool->launches[0] > 1 || tool->launches[1]; /* not all launches */

  if (joined->failed || joined->left_out || joined->in_graphs || joined->early || joined->running)
    gc_say(NULL, "no kernel was recorded");
  else
    gc_say(NULL, "no kernel was recorded: %s launched none%s", program,
           tool->kernel && some ? " that --kernel and --launches choose"
           : tool->kernel       ? " that --kernel chooses"
           : some               ? " that --launches chooses"
                                : "");
}

/* The end of a sentence, if no program can use CUDA here. */
static const char *for_gpus(void)
{
  const char *const root = gc_environment_root();
  bool any = gc_gpus_why_unseen(root);
  struct gc_gpus gpus;

  if (gc_gpus_list(root, "", &gpus))
    return "";
  for (size_t i = 0; i < gpus.count; i++)
    any |= gpus.array[i].vendor == GC_VENDOR_NVIDIA;
  gc_gpus_free(&gpus);
  return any ? "" : "; this machine has no NVIDIA GPU";
}

/* Says what the trace has and what it lacks. GC_EXIT_FAILED: it has no kernel. */
static int report(const struct gc_joined *joined, const struct gc_tool *tool,
                  const struct gc_recorded *recorded)
{
  char text[64];

  report_left_out(joined);
  if (!joined->processes)
    gc_say(NULL, "%s did not use CUDA (or has no dynamic loader): there is nothing to record%s",
           recorded->program[0], for_gpus());
  else if (!joined->kernels)
    report_nothing(joined, tool, recorded->program[0]);
  else if (!recorded->to_stderr || recorded->verbose)
    gc_say(NULL, "%s: %" PRIu64 " kernel%s%s (%" PRIu64 " without some blocks)",
           recorded->to_stderr ? recorded->program[0] : recorded->output, joined->kernels,
           plural(joined->kernels), for_launches(joined, text), joined->sampled);
  return joined->kernels ? GC_EXIT_DONE : GC_EXIT_FAILED;
}

/* A new file beside the output, so that it can be renamed. Its descriptor; negative: there is none,
 * with a message. */
static int create_output(const char *output, char *path, size_t size)
{
  const char *why = NULL;
  const mode_t mask = umask(0);
  struct stat status;
  int file = -1;

  umask(mask);
  if (!stat(output, &status) && !S_ISREG(status.st_mode))
    why = S_ISDIR(status.st_mode) ? strerror(EISDIR) : "not a regular file";
  else if (snprintf(path, size, "%s.XXXXXX", output) >= (int)size)
    why = strerror(ENAMETOOLONG);
  else if ((file = mkostemp(path, O_CLOEXEC)) < 0)
    why = strerror(errno);
  else
    fchmod(file, 0666 & ~mask);
  if (why)
    gc_say(NULL, "cannot write %s: %s", output, why);
  return file;
}

/* Puts the trace together in the file. */
static int write_trace(const char *directory, const struct gc_toolkit *toolkit, int file,
                       struct gc_joined *joined, struct gc_error *err)
{
  FILE *trace = gc_pack(file);
  int status;

  if (!trace)
    return gc_fail(err, -ENOMEM, "out of memory");
  status = gc_trace_join(directory, toolkit->nvdisasm, trace, joined, err);
  if (!gc_file_close(trace) && !status)
    status = gc_fail(err, -EIO, "cannot write the trace: %s", strerror(errno));
  return status;
}

/* Writes the trace, and removes the directory. If the trace cannot be written, the directory stays,
 * and its name in place of a program writes the trace later. */
static int finish_trace(char *directory, const struct gc_toolkit *toolkit,
                        const struct gc_tool *tool, const struct gc_recorded *recorded,
                        const char *path, int file)
{
  const bool again = directory == recorded->program[0];
  struct gc_joined joined = {.verbose = recorded->verbose};
  struct leftovers leftovers = {again ? NULL : directory, path,
                                recorded->to_stderr ? recorded->output : NULL};
  struct gc_error err = {""};
  int status = gc_watch_start(0, NULL, remove_leftovers, &leftovers, &err);
  const bool watched = !status;

  status = write_trace(directory, toolkit, file, &joined, &err);
  if (!status && joined.kernels && rename(path, recorded->output))
    status = gc_fail(&err, -errno, "cannot write %s: %s", recorded->output, strerror(errno));
  if (watched)
    gc_watch_stop();
  if (status || !joined.kernels)
    unlink(path);
  if (status) {
    gc_say(NULL, "%s; to write it elsewhere: hwloc-gpucache trace --output FILE %s", err.text,
           directory);
    return GC_EXIT_FAILED;
  }
  if (again && !joined.kernels) {
    gc_say(NULL, "%s has no complete launch", directory);
    return GC_EXIT_FAILED;
  }
  if (!again || !joined.running)
    remove_directory(directory);
  return report(&joined, tool, recorded);
}

/* The trace of an earlier call, which could not write it. */
static int write_again(const struct gc_toolkit *toolkit, const struct gc_tool *tool,
                       const struct gc_recorded *recorded)
{
  char path[PATH_MAX];
  const int file = create_output(recorded->output, path, sizeof path);

  return file < 0 ? GC_EXIT_FAILED
                  : finish_trace(recorded->program[0], toolkit, tool, recorded, path, file);
}

static int trace_in(char *directory, const struct gc_toolkit *toolkit, const struct gc_tool *tool,
                    const struct gc_recorded *recorded, struct gc_ended *ended)
{
  char path[PATH_MAX];
  const int file = create_output(recorded->output, path, sizeof path);

  if (file < 0) {
    remove_directory(directory);
    return GC_EXIT_FAILED;
  }
  gc_environment_give_back();
  if (setenv(INJECTION_ENV, toolkit->library, 1) || setenv(GC_TRACE_ENV, directory, 1) ||
      run_program(recorded, ended) == NOT_STARTED) {
    close(file);
    unlink(path);
    remove_directory(directory);
    return GC_EXIT_FAILED;
  }
  unsetenv(INJECTION_ENV);
  unsetenv(GC_TRACE_ENV);
  return finish_trace(directory, toolkit, tool, recorded, path, file);
}

/* A new directory, with an absolute path. NULL: there is none, with a message. */
static char *make_directory(void)
{
  char path[PATH_MAX], *absolute = NULL;

  if (snprintf(path, sizeof path, "%s/hwloc-gpucache-XXXXXX", gc_temporary()) < (int)sizeof path &&
      mkdtemp(path))
    absolute = realpath(path, NULL);
  if (!absolute)
    gc_say(NULL, "cannot make a temporary directory in %s: %s", gc_temporary(), strerror(errno));
  return absolute;
}

/* Whether --kernel fits into the file of settings, and no other tool uses the injection. If not,
 * says why. */
static bool can_pass(const struct gc_tool *tool, const struct gc_trace_settings *settings)
{
  if (tool->kernel &&
      (strlen(tool->kernel) + 1 >= sizeof settings->kernel || strchr(tool->kernel, '\n')))
    gc_say(NULL, "--kernel needs less than %zu characters, and no newline",
           sizeof settings->kernel - 1);
  else if (getenv(INJECTION_ENV))
    gc_say(NULL, INJECTION_ENV " is set, for another tool: unset it, because CUDA loads only one");
  else
    return true;
  return false;
}

int gc_record_trace(const struct gc_tool *tool, const struct gc_recorded *recorded,
                    struct gc_ended *ended)
{
  struct gc_trace_settings settings = {.first = tool->launches[0],
                                       .last = tool->launches[1],
                                       .blocks = tool->blocks,
                                       .limit = tool->limit},
                           earlier;
  struct gc_toolkit toolkit;
  struct gc_error err = {""};
  sigset_t before;
  char *directory;
  int status;

  *ended = (struct gc_ended){0};
  if (!can_pass(tool, &settings))
    return GC_EXIT_FAILED;
  if (gc_toolkit_find(&toolkit, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  if (!recorded->to_stderr && !gc_trace_settings_read(recorded->program[0], &earlier, &err))
    return write_again(&toolkit, tool, recorded);
  snprintf(settings.sanitizer, sizeof settings.sanitizer, "%s", toolkit.sanitizer);
  snprintf(settings.ptxas, sizeof settings.ptxas, "%s", toolkit.ptxas);
  snprintf(settings.kernel, sizeof settings.kernel, "%s", tool->kernel ? tool->kernel : "");
  directory = make_directory();
  if (!directory)
    return GC_EXIT_FAILED;
  if (gc_trace_settings_write(directory, &settings, &err)) {
    gc_say(NULL, "%s", err.text);
    remove_directory(directory);
    status = GC_EXIT_FAILED;
  } else {
    gc_watch_hold_pipe(&before); /* so that the directory does not stay */
    status = trace_in(directory, &toolkit, tool, recorded, ended);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  free(directory);
  return status;
}
