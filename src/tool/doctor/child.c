/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/child.h"

#include "tool/gpus/targets.h"
#include "tool/process/child.h"
#include "tool/process/environment.h"
#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct gc_command *_Atomic running;

void gc_errand_end(void)
{
  const struct gc_command *command = running;

  if (command)
    gc_child_end(command, 1);
}

/* The present settings of the user, and ours after them. The caller frees the list and *sims. NULL:
 * out of memory. */
static const char **environment_of(const struct gc_errand *errand, char **sims)
{
  const char *const *user = gc_environment_user_entries(), **entries;
  const char *mode = gc_environment_user(HWLOC_GPUCACHE_ENV);
  char *names;
  size_t n = 0;

  while (user[n])
    n++;
  entries = calloc(n + 5, sizeof *entries);
  *sims = NULL;
  if (!entries)
    return NULL;
  n = 0;
  for (size_t i = 0; user[i]; i++)
    if (errand->environment == GC_CHILD_PLAIN || strcasecmp(mode ? mode : "", "off") == 0 ||
        strncmp(user[i], HWLOC_GPUCACHE_ENV, strcspn(user[i], "=")))
      entries[n++] = user[i];
  if (errand->environment == GC_CHILD_PLAIN)
    return entries;
  if (!mode || strcasecmp(mode, "off"))
    entries[n++] = HWLOC_GPUCACHE_ENV "=cached";
  entries[n++] = "HWLOC_COMPONENTS_VERBOSE=1";
  entries[n++] = "HWLOC_PLUGINS_VERBOSE=1";
  if (errand->tool->sims) {
    names = gc_targets_sims(&(struct gc_tool){.sims = errand->tool->sims});
    if (names && asprintf(sims, HWLOC_GPUCACHE_SIM_ENV "=%s", names) < 0)
      *sims = NULL;
    free(names);
    if (*sims)
      entries[n++] = *sims;
  }
  return entries;
}

static void read_output(struct gc_errand *errand, int fd)
{
  const size_t size = gc_child_printed(fd);
  ssize_t length = 0;

  if (!(errand->output = malloc(size + 1)))
    return;
  while (errand->length < size &&
         (length = pread(fd, errand->output + errand->length, size - errand->length,
                         (off_t)errand->length)) > 0)
    errand->length += (size_t)length;
  errand->output[errand->length] = '\0';
}

static int judge(const struct gc_command *command, double seconds, struct gc_error *how)
{
  char why[100];

  switch (command->end) {
  case GC_END_EXITED:
    return command->status ? gc_fail(how, -ECHILD, "ended with exit status %d", command->status)
                           : 0;
  case GC_END_KILLED:
    return gc_fail(how, -ECHILD, "died of signal %d (%s)", command->status,
                   strsignal(command->status));
  case GC_END_LATE:
    return gc_fail(how, -ETIMEDOUT, "did not end within %g s, so it was killed", seconds);
  case GC_END_ABANDONED:
    return gc_fail(how, -ETIMEDOUT, "did not end within %g s, and process %d cannot be killed",
                   seconds, command->status);
  case GC_END_NOT_STARTED:
    gc_spawn_why(command, why, sizeof why);
    return gc_fail(how, -ENOENT, "cannot be started: %s", why);
  default:
    return gc_fail(how, -ECHILD, "was lost");
  }
}

static void pass_on(const struct gc_command *command, const char *line, void *data)
{
  const struct gc_errand *errand = data;

  (void)command;
  if (errand->on_line)
    errand->on_line(line, errand->data);
}

int gc_errand_run(struct gc_errand *errand, struct gc_error *how)
{
  char *sims;
  const char **entries = environment_of(errand, &sims);
  struct gc_command command = {.argv = errand->argv, .output = gc_child_file()};
  struct gc_spawn_options options = {
      .seconds = errand->seconds, .set_env = entries, .on_line = pass_on, .data = errand};
  int status;

  errand->output = NULL;
  errand->length = 0;
  if (!entries || command.output < 0) {
    status = gc_fail(how, -ENOMEM, "cannot be started: out of memory or descriptors");
  } else {
    running = &command;
    gc_spawn(&command, 1, &options);
    running = NULL;
    read_output(errand, command.output);
    status = errand->length == gc_child_bytes()
                 ? gc_fail(how, -EFBIG, "printed more than %zu MiB", gc_child_bytes() >> 20)
                 : judge(&command, errand->seconds, how);
  }
  if (command.output >= 0)
    close(command.output);
  free(entries);
  free(sims);
  return status;
}
