/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "plugin/plugin.h"

#include "graft/graft.h"
#include "store/store.h"
#include "util/number.h"
#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MEASURED "not measured: "

/* The command that measures one GPU. */
struct job {
  const struct gc_gpu *gpu;
  struct gc_outcome *outcome;
  const char *argv[9];
};

/* The status in which a GPU without values is left; a part of it may be there already, and be the same. */
static void give_up(struct gc_outcome *outcome, const char *why)
{
  size_t length = strlen(outcome->status);
  char part[301];

  snprintf(part, sizeof(part), "%s", why);
  if (!strstr(outcome->status, part))
    snprintf(outcome->status + length, sizeof(outcome->status) - length, "%s%s", length ? "; " : "", part);
}

/* What the store has, and NULL when it fails. */
static int find(const struct gc_gpu *gpu, struct gc_record **record, struct gc_error *err)
{
  struct gc_record *found = NULL;
  int status = gc_store_find(&gpu->identity, &found, err);

  *record = status == 0 ? found : NULL;
  return status;
}

/* A failure that is remembered: then there is nothing to be gained from trying again so soon. */
static bool has_failed(const struct gc_gpu *gpu, struct gc_outcome *outcome)
{
  struct gc_failure failure;
  char why[320];

  if (gc_store_find_failure(&gpu->identity, gc_store_environment(), &failure))
    return false;
  snprintf(why, sizeof(why),
           NOT_MEASURED "%.200s (remembered since %s; hwloc-gpucache measure tries again)",
           failure.why, failure.since);
  give_up(outcome, why);
  return true;
}

/* A refresh that failed takes nothing away from what was valid before. */
static void keep_earlier(struct gc_outcome *outcome, const char *why)
{
  snprintf(outcome->status, sizeof(outcome->status), "measured earlier, not refreshed: %.600s", why);
}

/* Whether what would be measured now finds a place. If not, every load would do it, in vain. */
struct place {
  bool asked; /* once for all GPUs */
  int status;
  struct gc_error err;
};

static bool can_store(const struct gc_gpu *gpu, struct place *place, struct gc_outcome *outcome)
{
  if (!place->asked)
    place->status = gc_store_check(gpu->identity.id, &place->err);
  place->asked = true;
  if (!place->status)
    return true;
  outcome->failed = true;
  if (outcome->record)
    keep_earlier(outcome, place->err.text);
  else
    give_up(outcome, place->err.text);
  return false;
}

/* From the store. Returns whether measuring is called for. */
static bool look_up(const struct gc_gpu *gpu, const struct gc_settings *settings, struct place *place,
                    struct gc_outcome *outcome)
{
  struct gc_error err;
  int status;

  if (gpu->problem[0] && gpu->vendor == GC_VENDOR_SIM) {
    give_up(outcome, gpu->problem);
    outcome->failed = true; /* someone asked for it by name */
    return false;
  }
  /* One that cannot be measured now, or by this user, may have been before, or by root. */
  status = find(gpu, &outcome->record, &err);
  if (status == 0)
    snprintf(outcome->status, sizeof(outcome->status), GC_STATUS_MEASURED);
  else if (status != -ENOENT)
    give_up(outcome, err.text); /* stays in the status should measuring fail too */
  if (gpu->problem[0]) {
    if (status < 0)
      give_up(outcome, gpu->problem);
    return false;
  }
  if (settings->mode == GC_MODE_REFRESH)
    return can_store(gpu, place, outcome);
  if (status == 0)
    return false;
  if (settings->mode != GC_MODE_CACHED)
    return !has_failed(gpu, outcome) && can_store(gpu, place, outcome);
  give_up(outcome, status == -ENOENT ? "no record; HWLOC_GPUCACHE=cached forbids measuring"
                                     : "HWLOC_GPUCACHE=cached forbids measuring");
  return false;
}

/* How the tool is to call this GPU's profile: its path, as what a name means may differ there. A
 * path with a comma cannot be said in a list of names. */
static const char *profile_word(const struct gc_gpu *gpu)
{
  return strchr(gpu->profile, '/') && !strchr(gpu->profile, ',')
             ? gpu->profile
             : gpu->identity.id + strlen("sim-");
}

static void make_command(struct job *job, const struct gc_settings *settings, const char *seconds)
{
  size_t n = 0;

  job->argv[n++] = settings->tool;
  if (job->gpu->vendor == GC_VENDOR_SIM) {
    job->argv[n++] = "--sim";
    job->argv[n++] = profile_word(job->gpu);
  }
  job->argv[n++] = "measure";
  if (settings->mode == GC_MODE_REFRESH)
    job->argv[n++] = "--force";
  job->argv[n++] = "--timeout";
  job->argv[n++] = seconds;
  job->argv[n++] = job->gpu->identity.id;
  job->argv[n] = NULL;
}

/* Why this GPU is about to be measured; look_up left the reason behind. */
static const char *occasion(const struct gc_outcome *outcome)
{
  if (outcome->record)
    return "HWLOC_GPUCACHE=refresh";
  return outcome->status[0] ? outcome->status : "no record";
}

/* The tool's sentence without its own number for the GPU, which need not be ours. */
static const char *sentence(const char *message)
{
  const char *rest = message;

  if (strncmp(rest, "gpu", 3))
    return message;
  rest += 3;
  while (isdigit((unsigned char)*rest))
    rest++;
  return strncmp(rest, ": ", 2) ? message : rest + 2;
}

/* Why there is no record after the command has ended like this. */
static void explain(const struct gc_command *command, const char *seconds, const char *store_says,
                    char *why, size_t size)
{
  if (command->end == GC_END_LATE) {
    snprintf(why, size, "not measured within %s s; run hwloc-gpucache measure, which waits as long as it takes, "
             "or raise " HWLOC_GPUCACHE_TIMEOUT_ENV, seconds);
  } else if (command->end == GC_END_KILLED) {
    snprintf(why, size, "measuring was killed by signal %d", command->status);
  } else if (command->end == GC_END_NOT_STARTED) {
    errno = command->status;
    snprintf(why, size, "%.200s cannot be started: %m", command->argv[0]);
  } else if (command->message[0]) {
    snprintf(why, size, "%s", sentence(command->message));
  } else if (command->end == GC_END_EXITED && command->status != 0) {
    snprintf(why, size, "measuring ended with status %d and no explanation", command->status);
  } else {
    snprintf(why, size, "measured, but %.280s", store_says);
  }
  gc_make_printable(why); /* the path of the tool, say */
}

/* What the command could not remember itself. It may have been the machine's fault. */
static void remember(const struct job *job, const struct gc_command *command, const char *seconds)
{
  char why[80];

  if (job->gpu->vendor == GC_VENDOR_SIM)
    return;
  if (command->end == GC_END_LATE)
    snprintf(why, sizeof(why), "it takes longer than %.20s s", seconds);
  else if (command->end == GC_END_KILLED)
    snprintf(why, sizeof(why), "measuring was killed by signal %d", command->status);
  else
    return;
  gc_store_remember_failure(&job->gpu->identity, gc_store_environment(), why, true, NULL);
}

/* After the command: whatever it said, what counts is what the store holds now. */
static void collect(struct job *job, const struct gc_command *command, const char *seconds)
{
  struct gc_outcome *outcome = job->outcome;
  bool done =
      command->end == GC_END_UNKNOWN || (command->end == GC_END_EXITED && command->status == 0);
  struct gc_record *earlier = outcome->record;
  struct gc_error err = {""};
  char why[320];
  int status;

  status = find(job->gpu, &outcome->record, &err);
  if (status == 0 && (done || !earlier)) {
    outcome->fresh = true;
    snprintf(outcome->status, sizeof(outcome->status), GC_STATUS_MEASURED);
    gc_record_free(earlier);
    return;
  }
  outcome->failed = true;
  explain(command, seconds, err.text, why, sizeof(why));
  if (!earlier) {
    remember(job, command, seconds);
    give_up(outcome, why);
    return;
  }
  gc_record_free(outcome->record);
  outcome->record = earlier;
  keep_earlier(outcome, why);
}

static void measure(struct job *jobs, size_t count, const struct gc_settings *settings)
{
  /* The tool uses hwloc to write the record: it must never come to start itself. */
  static const char *const set_env[] = {"HWLOC_GPUCACHE=off", NULL};
  struct gc_spawn_options options = {.seconds = settings->seconds, .set_env = set_env};
  struct gc_command *commands = calloc(count, sizeof(*commands));
  char seconds[32];

  gc_number_seconds(settings->seconds, seconds);
  for (size_t i = 0; i < count; i++) {
    if (!commands) {
      give_up(jobs[i].outcome, "out of memory");
      continue;
    }
    make_command(&jobs[i], settings, seconds);
    commands[i].argv = jobs[i].argv;
    if (settings->verbose)
      gc_plugin_say(jobs[i].gpu, "%s; measuring for at most %s s", occasion(jobs[i].outcome), seconds);
  }
  if (commands) {
    gc_spawn(commands, count, &options);
    for (size_t i = 0; i < count; i++)
      collect(&jobs[i], &commands[i], seconds);
  }
  free(commands);
}

/* What is known of a GPU without a record. What a profile says a kernel driver would say is no fact. */
static void fall_back(struct gc_gpu *gpu, const struct gc_settings *settings,
                      struct gc_outcome *outcome)
{
  char why[sizeof(outcome->status)];

  if (outcome->record || gpu->vendor == GC_VENDOR_SIM || gc_gpus_know(settings->root, gpu) ||
      !gpu->known)
    return;
  memcpy(why, outcome->status, sizeof(why));
  /* that nothing was measured is said already */
  snprintf(outcome->status, sizeof(outcome->status), GC_STATUS_KNOWN ": %.700s",
           strncmp(why, NOT_MEASURED, strlen(NOT_MEASURED)) ? why : why + strlen(NOT_MEASURED));
}

void gc_plugin_obtain(struct gc_gpus *gpus, const struct gc_settings *settings,
                      struct gc_outcome *outcomes)
{
  struct job *jobs = calloc(gpus->count, sizeof(*jobs));
  struct place place = {.asked = false};
  size_t count = 0;

  for (size_t i = 0; i < gpus->count; i++) {
    if (!jobs)
      give_up(&outcomes[i], "out of memory");
    else if (look_up(&gpus->array[i], settings, &place, &outcomes[i]))
      jobs[count++] = (struct job){.gpu = &gpus->array[i], .outcome = &outcomes[i]};
  }
  if (count > 0)
    measure(jobs, count, settings);
  for (size_t i = 0; i < gpus->count; i++)
    fall_back(&gpus->array[i], settings, &outcomes[i]);
  free(jobs);
}
