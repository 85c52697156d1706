/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures several GPUs in parallel, each in its own process: when a vendor's library crashes or
 * hangs with one GPU, the others are not affected. Each process runs this program with "measure
 * --xml" or "show --xml" and prints the record.
 */
#include "tool/measure/measure_several.h"

#include "tool/gpus/earlier_record.h"
#include "tool/gpus/targets.h"
#include "tool/measure/raw_dir.h"
#include "tool/print/messages.h"
#include "tool/print/progress.h"
#include "tool/process/child.h"
#include "tool/process/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Extra time for a process after its own deadline, to report that it is late. */
#define GRACE_SECONDS 2

struct member {
  struct gc_result *result;
  struct gc_child child;
  int output; /* memory file for its stdout */
};

struct fleet {
  const struct gc_tool *tool;
  struct gc_command *commands;
  struct member *members;
  size_t count;
  char (*lines)[GC_PROGRESS_LINE]; /* the progress of each GPU; NULL: not drawn */
};

/* This process is ended: ends the others, too, and waits for them. */
static void end_all(void *data)
{
  const struct fleet *fleet = data;

  gc_child_end(fleet->commands, fleet->count);
  gc_raw_dir_leave(fleet->tool);
}

static const struct gc_gpu *gpu_of(const struct fleet *fleet, size_t i)
{
  return fleet->members[i].result->gpu;
}

/* The message of a process without the name of the GPU, which is added again. */
static const char *without_name(const char *sentence, const char *gpu)
{
  size_t length = strlen(gpu);

  return strncmp(sentence, gpu, length) || strncmp(sentence + length, ": ", 2)
             ? sentence
             : sentence + length + 2;
}

/* Draws the line of each GPU, or the number of those that have ended if there are too many. */
static void draw(const struct fleet *fleet)
{
  const size_t room = gc_progress_room();
  unsigned ended = 0, failed = 0;
  char title[48], what[48] = "ready";

  for (size_t i = 0; i < fleet->count; i++) {
    const struct gc_command *command = &fleet->commands[i];
    const bool has_failed = command->end != GC_END_EXITED || command->status != GC_EXIT_DONE;

    if (command->pid || command->end == GC_END_NOT_STARTED) /* not yet */
      continue;
    ended++;
    failed += has_failed;
    snprintf(fleet->lines[i], GC_PROGRESS_LINE, "%s %.100s  %s", gpu_of(fleet, i)->name,
             gpu_of(fleet, i)->identity.model, has_failed ? "failed" : "ready");
  }
  snprintf(title, sizeof title, "%zu GPUs", fleet->count);
  if (failed)
    snprintf(what, sizeof what, "ended, %u failed", failed);
  if (fleet->count <= room)
    gc_progress_lines(*fleet->lines, fleet->count, GC_PROGRESS_LINE);
  else
    gc_progress(title, ended, (unsigned)fleet->count, what);
}

/* Takes the progress that a process reports. False: this line is something else. */
static bool take_progress(const struct fleet *fleet, size_t i, const char *line)
{
  const size_t mark = strlen(GC_PROGRESS_MARK);

  if (!fleet->lines || strncmp(line, GC_PROGRESS_MARK, mark))
    return false;
  snprintf(fleet->lines[i], GC_PROGRESS_LINE, "%s", line + mark);
  gc_make_printable(fleet->lines[i]);
  draw(fleet);
  return true;
}

/* Prints what a process or a library in it writes to stderr. */
static void pass_on(const struct gc_command *command, const char *line, void *data)
{
  const struct fleet *fleet = data;
  const size_t i = (size_t)(command - fleet->commands);
  const char *gpu = gpu_of(fleet, i)->name;
  size_t prefix = strlen(GC_SPAWN_PREFIX);

  if (take_progress(fleet, i, line))
    return;
  if (!strncmp(line, GC_SPAWN_PREFIX, prefix))
    line = without_name(line + prefix, gpu);
  gc_say(gpu, "%s", line);
}

/* Makes a result of the end of a process. The process has printed why it failed, if it could. */
static void conclude(const struct gc_tool *tool, const struct gc_command *command,
                     struct member *member)
{
  struct gc_result *result = member->result;
  struct gc_error err = {""};
  bool said = false;

  result->status = GC_EXIT_FAILED;
  if (command->end == GC_END_EXITED) {
    result->fresh = !gc_child_read(member->output, &result->record, &err);
    if (command->status <= GC_EXIT_NO_GPU && (result->fresh || command->status != GC_EXIT_DONE))
      result->status = command->status;
    if (result->fresh && result->status == GC_EXIT_FAILED)
      gc_keep_look(tool, result);
    if (result->fresh)
      return;
    said = command->status != GC_EXIT_DONE && command->message[0];
    if (said)
      gc_fail(&err, 0, "%s", without_name(command->message, result->gpu->name));
  } else {
    gc_child_problem(command, &err);
  }
  result->problem = err;
  if (!said)
    gc_say(result->gpu->name, "%s", err.text);
}

/* Makes a line for each GPU, and lets the processes report. Without memory, nothing is drawn. */
static void prepare_progress(struct fleet *fleet, struct gc_child_variables *environment)
{
  size_t n = 0;

  if (!gc_progress_room())
    return;
  fleet->lines = calloc(fleet->count, sizeof *fleet->lines);
  if (!fleet->lines)
    return;
  for (size_t i = 0; i < fleet->count; i++)
    snprintf(fleet->lines[i], sizeof *fleet->lines, "%s %.100s  starting", gpu_of(fleet, i)->name,
             gpu_of(fleet, i)->identity.model);
  while (environment->entries[n])
    n++;
  environment->entries[n] = GC_PROGRESS_ENV "=1";
  environment->entries[n + 1] = NULL;
}

static void run(const struct gc_tool *tool, struct gc_command *commands, struct member *members,
                size_t count)
{
  struct gc_child_variables environment;
  struct fleet fleet = {tool, commands, members, count, NULL};
  struct gc_spawn_options options = {
      .set_env = environment.entries, .on_line = pass_on, .data = &fleet};
  struct gc_error err = {""};
  char *sims = gc_targets_sims(tool);

  if (tool->timeout > 0)
    options.seconds = tool->timeout + GRACE_SECONDS;
  if (!sims || gc_child_environment(&environment, sims)) {
    gc_no_memory();
    free(sims);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    gc_child_prepare(&members[i].child, tool, sims, members[i].result->gpu);
    commands[i].argv = members[i].child.argv;
    commands[i].output = members[i].output;
  }
  if (gc_watch_start(0, NULL, end_all, &fleet, &err)) {
    gc_say(NULL, "%s", err.text);
    goto out;
  }
  prepare_progress(&fleet, &environment);
  if (fleet.lines)
    draw(&fleet);
  gc_spawn(commands, count, &options);
  gc_progress_erase();
  gc_watch_stop();
  for (size_t i = 0; i < count; i++)
    conclude(tool, &commands[i], &members[i]);
out:
  free(fleet.lines);
  gc_child_environment_free(&environment);
  free(sims);
}

void gc_measure_fleet(const struct gc_tool *tool, struct gc_result **results, size_t count)
{
  struct gc_command *commands = calloc(count, sizeof *commands);
  struct member *members = calloc(count, sizeof *members);
  bool ready = commands && members;

  for (size_t i = 0; i < count; i++) {
    results[i]->status = GC_EXIT_FAILED; /* until the process has ended */
    if (!members)
      continue;
    members[i].result = results[i];
    members[i].output = gc_child_file();
    ready &= members[i].output >= 0;
  }
  if (ready)
    run(tool, commands, members, count);
  else
    gc_say(NULL, "cannot prepare the measuring processes: %s", strerror(errno));
  for (size_t i = 0; members && i < count; i++)
    if (members[i].output >= 0)
      close(members[i].output);
  free(commands);
  free(members);
}
