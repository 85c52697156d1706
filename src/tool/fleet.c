/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures several GPUs side by side, each in a process of its own: a vendor's library that crashes
 * or hangs with one GPU takes no other with it. A process is this very program with
 * "measure --xml" or "show --xml"; what it prints is the record.
 */
#include "tool/tool.h"

#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a process gets beyond its own deadline, to say that it is late. */
#define GRACE_SECONDS 2

struct member {
  struct gc_result *result;
  struct gc_child child;
  int output; /* memory file that takes its stdout */
};

struct fleet {
  const struct gc_tool *tool;
  struct gc_command *commands;
  struct member *members;
  size_t count;
};

/* Ends them as we are ended, and waits a moment so that none outlives us. */
static void end_all(void *data)
{
  const struct fleet *fleet = data;

  gc_child_end(fleet->commands, fleet->count);
  gc_leave_raw(fleet->tool);
}

/* A sentence of a process, without the name that it gives the GPU, which we give, too. */
static const char *without_name(const char *sentence, const char *gpu)
{
  size_t length = strlen(gpu);

  return strncmp(sentence, gpu, length) || strncmp(sentence + length, ": ", 2)
             ? sentence
             : sentence + length + 2;
}

/* Passes on what a process writes to stderr, be it ours or a library's. */
static void pass_on(const struct gc_command *command, const char *line, void *data)
{
  const struct fleet *fleet = data;
  const char *gpu = fleet->members[command - fleet->commands].result->gpu->name;
  size_t prefix = strlen(GC_SPAWN_PREFIX);

  if (!strncmp(line, GC_SPAWN_PREFIX, prefix))
    line = without_name(line + prefix, gpu);
  gc_say(gpu, "%s", line);
}

/* Turns the end of a process into a result. It has said itself why it failed, if it could. */
static void conclude(const struct gc_command *command, struct member *member)
{
  struct gc_result *result = member->result;
  struct gc_error err = {""};
  bool said = false;

  result->status = GC_EXIT_FAILED;
  if (command->end == GC_END_EXITED) {
    result->fresh = !gc_child_read(member->output, &result->record, &err);
    if (command->status <= GC_EXIT_NO_GPU && (result->fresh || command->status != GC_EXIT_DONE))
      result->status = command->status;
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

static void run(const struct gc_tool *tool, struct gc_command *commands, struct member *members,
                size_t count)
{
  char who[48];
  char parent[64];
  const char *env[3] = {NULL, NULL, NULL};
  struct fleet fleet = {tool, commands, members, count};
  struct gc_spawn_options options = {.set_env = env, .on_line = pass_on, .data = &fleet};
  struct gc_error err = {""};
  char *sims = gc_targets_sims(tool), *setting = NULL;

  if (tool->timeout > 0)
    options.seconds = tool->timeout + GRACE_SECONDS;
  /* so that a GPU has the same name there as here */
  if (!sims || asprintf(&setting, "%s=%s", HWLOC_GPUCACHE_SIM_ENV, sims) < 0) {
    setting = NULL;
    gc_say(NULL, "out of memory");
    goto out;
  }
  gc_child_name_parent(parent);
  env[0] = setting;
  env[1] = parent;
  for (size_t i = 0; i < count; i++) {
    gc_child_prepare(&members[i].child, tool, sims, members[i].result->gpu);
    commands[i].argv = members[i].child.argv;
    commands[i].output = members[i].output;
  }
  if (gc_watch_start(0, NULL, end_all, &fleet, &err)) {
    gc_say(NULL, "%s", err.text);
    goto out;
  }
  snprintf(who, sizeof who, "%zu GPUs", count);
  gc_progress(who, 0, (unsigned)count, "side by side");
  gc_spawn(commands, count, &options);
  gc_progress_erase();
  gc_watch_stop();
  for (size_t i = 0; i < count; i++)
    conclude(&commands[i], &members[i]);
out:
  free(setting);
  free(sims);
}

void gc_measure_fleet(const struct gc_tool *tool, struct gc_result **results, size_t count)
{
  struct gc_command *commands = calloc(count, sizeof *commands);
  struct member *members = calloc(count, sizeof *members);
  bool ready = commands && members;

  for (size_t i = 0; i < count; i++) {
    results[i]->status = GC_EXIT_FAILED; /* until we know better */
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
