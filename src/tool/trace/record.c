/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tool/trace/record.h"

#include "tool/print/messages.h"
#include "tool/process/environment.h"
#include "tool/trace/join.h"
#include "tool/trace/pack.h"
#include "tool/trace/toolkit.h"
#include "trace/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INJECTION_ENV "CUDA_INJECTION64_PATH"

extern char **environ;

static pid_t child;

static void pass_on(int number)
{
  if (child > 0)
    kill(child, number);
}

/* ^C and ^\ on a terminal reach the program by themselves; what it wrote until then is kept. */
static void take_signals(void)
{
  static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    sigaction(passed[i], &(struct sigaction){.sa_handler = pass_on, .sa_flags = SA_RESTART}, NULL);
}

static int start(char *const *program, bool to_stderr)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t all;
  int status;

  posix_spawnattr_init(&attributes);
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init(&files);
  if (to_stderr)
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  status = posix_spawnp(&child, program[0], &files, &attributes, program, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return status;
}

/* Runs the program; the exit status as a shell has it. */
static int run_program(char *const *program, bool to_stderr)
{
  int status = start(program, to_stderr);

  if (status) {
    gc_say(NULL, "cannot run %s: %s", program[0], strerror(status));
    return status == ENOENT ? 127 : 126;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void remove_directory(const char *directory)
{
  char pattern[GC_TOOLKIT_PATH + 2];
  glob_t files;

  snprintf(pattern, sizeof pattern, "%s/*", directory);
  if (!glob(pattern, 0, NULL, &files)) {
    for (size_t i = 0; i < files.gl_pathc; i++)
      unlink(files.gl_pathv[i]);
    globfree(&files);
  }
  rmdir(directory);
}

static const char *plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

/* What is in the trace and what is not. GC_EXIT_FAILED: nothing is. */
static int report(const struct gc_joined *joined, const struct gc_recorded *recorded)
{
  if (!joined->processes) {
    gc_say(NULL, "%s did not use CUDA (or has no dynamic loader): there is nothing to trace",
           recorded->program[0]);
    return GC_EXIT_FAILED;
  }
  if (joined->left_out || *joined->why.text)
    gc_say(NULL, "%" PRIu64 " launch%s not traced: %s", joined->left_out,
           joined->left_out == 1 ? " was" : "es were", joined->why.text);
  if (joined->in_graphs)
    gc_say(NULL, "%" PRIu64 " kernel%s of CUDA graphs %s not traced", joined->in_graphs,
           plural(joined->in_graphs), joined->in_graphs == 1 ? "was" : "were");
  if (!joined->ended)
    gc_say(NULL, "a process ended early: the trace has the launches that were complete");
  if (joined->without_code)
    gc_say(NULL, "the machine code of %" PRIu64 " kernel%s is not known (nvdisasm of the CUDA "
           "Toolkit reads it): predict then takes each load for one that the warp waits for",
           joined->without_code, plural(joined->without_code));
  if (!joined->kernels) {
    gc_say(NULL, "no kernel was traced");
    return GC_EXIT_FAILED;
  }
  if (!recorded->to_stderr)
    gc_say(NULL, "%s: %" PRIu64 " kernel%s, %" PRIu64 " of them with a part of their blocks",
           recorded->output, joined->kernels, plural(joined->kernels), joined->partial);
  return GC_EXIT_DONE;
}

static int write_trace(const char *directory, const char *nvdisasm, const char *output,
                       struct gc_joined *joined, struct gc_error *err)
{
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  FILE *trace = file < 0 ? NULL : gc_pack(file);
  int status;

  if (!trace)
    return gc_fail(err, -errno, "cannot write %s: %s", output, strerror(errno));
  status = gc_trace_join(directory, nvdisasm, trace, joined, err);
  if (fclose(trace) && !status)
    status = gc_fail(err, -EIO, "cannot write %s: %s", output, strerror(errno));
  return status;
}

static int trace_in(const char *directory, const struct gc_trace_settings *settings,
                    const struct gc_toolkit *toolkit, const struct gc_recorded *recorded, int *ended)
{
  struct gc_joined joined = {.verbose = recorded->verbose};
  struct gc_error err = {""};
  int status = gc_trace_settings_write(directory, settings, &err);

  if (!status && (setenv(INJECTION_ENV, toolkit->library, 1) || setenv(GC_TRACE_ENV, directory, 1)))
    status = gc_fail(&err, -ENOMEM, "out of memory");
  if (!status) {
    take_signals();
    *ended = run_program(recorded->program, recorded->to_stderr);
    unsetenv(INJECTION_ENV);
    unsetenv(GC_TRACE_ENV);
    if (*ended == 126 || *ended == 127)
      return GC_EXIT_FAILED;
    status = write_trace(directory, toolkit->nvdisasm, recorded->output, &joined, &err);
  }
  if (status) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  return report(&joined, recorded);
}

const char *gc_temporary(void)
{
  const char *const directory = getenv("TMPDIR");

  return directory && *directory ? directory : "/tmp";
}

int gc_record_trace(const struct gc_tool *tool, const struct gc_recorded *recorded, int *ended)
{
  struct gc_trace_settings settings = {.first = tool->launches[0],
                                       .last = tool->launches[1],
                                       .blocks = tool->blocks,
                                       .limit = tool->limit};
  struct gc_toolkit toolkit;
  struct gc_error err = {""};
  char directory[GC_TOOLKIT_PATH];
  int status;

  *ended = 0;
  if (gc_toolkit_find(&toolkit, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  snprintf(settings.sanitizer, sizeof settings.sanitizer, "%s", toolkit.sanitizer);
  snprintf(settings.ptxas, sizeof settings.ptxas, "%s", toolkit.ptxas);
  snprintf(settings.kernel, sizeof settings.kernel, "%s", tool->kernel ? tool->kernel : "");
  snprintf(directory, sizeof directory, "%s/hwloc-gpucache-XXXXXX", gc_temporary());
  if (!mkdtemp(directory)) {
    gc_say(NULL, "cannot make the temporary directory %s: %s", directory, strerror(errno));
    return GC_EXIT_FAILED;
  }
  gc_environment_give_back();
  status = trace_in(directory, &settings, &toolkit, recorded, ended);
  remove_directory(directory);
  return status;
}
