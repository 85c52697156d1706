/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "plugin/gpu_records.h"

#include "graft/graft.h"
#include "plugin/messages.h"
#include "store/store.h"
#include "util/clock.h"
#include "util/cpus.h"
#include "util/number.h"
#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MEASURED "not measured: "

/* Advice after "/usr/bin/hwloc-gpucache cannot be started: No such file or directory". */
#define MISSING_TOOL "; install it there, or set HWLOC_GPUCACHE_TOOL"

/* The command that measures one GPU. */
struct job {
  const struct gc_gpu *gpu;
  struct gc_outcome *outcome;
  const char *argv[9];
};

/* Appends a reason to the status of a GPU without values, unless the status has it already. */
static void give_up(struct gc_outcome *outcome, const char *why)
{
  size_t length = strlen(outcome->status);
  char part[301];

  snprintf(part, sizeof(part), "%s", why);
  if (!strstr(outcome->status, part))
    snprintf(outcome->status + length, sizeof(outcome->status) - length, "%s%s", length ? "; " : "",
             part);
}

/* Finds the record in the store; *record is NULL on failure. *moved: it lacks what was measured of
 * the host, because the GPU is elsewhere now. */
static int find(const struct gc_gpu *gpu, const char *root, struct gc_record **record, bool *moved,
                struct gc_error *err)
{
  struct gc_record *found = NULL;
  int status = gc_store_find(&gpu->identity, &found, err);

  *record = status == 0 ? found : NULL;
  *moved = *record && gc_gpus_drop_host(root, gpu, *record);
  return status;
}

/* Whether the store has a valid note of a failed measurement: then it is too early to try again. */
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

/* Measuring again has failed: the earlier record stays valid. */
static void keep_earlier(struct gc_outcome *outcome, const char *why)
{
  gc_record_status(outcome->record, why, outcome->status, sizeof(outcome->status));
}

/* The GPUs, and whether gc_gpus_restrict was called for them. It is called as soon as one of them
 * needs to be measured. */
struct known {
  struct gc_gpus *gpus;
  bool restricted;
};

static void restrict_once(struct known *known, const struct gc_settings *settings)
{
  if (!known->restricted)
    gc_gpus_restrict(settings->root, known->gpus);
  known->restricted = true;
}

/* Whether a new record might be stored. If not, the tool need not be started. Nothing is written
 * here: the tool does that, because writing may block. */
static bool can_store(struct gc_outcome *outcome)
{
  struct gc_error err;

  if (!gc_store_usable(&err))
    return true;
  outcome->failed = true;
  if (outcome->record)
    keep_earlier(outcome, err.text);
  else
    give_up(outcome, err.text);
  return false;
}

/* Takes the record from the store. Returns whether the GPU is to be measured. */
static bool look_up(const struct gc_gpu *gpu, const struct gc_settings *settings,
                    struct known *known, struct gc_outcome *outcome)
{
  struct gc_error err;
  bool moved;
  int status;

  if (gpu->problem[0] && gpu->vendor == GC_VENDOR_SIM) {
    give_up(outcome, gpu->problem);
    outcome->failed = true; /* the user named it */
    return false;
  }
  /* A GPU that cannot be measured now, or by this user, may have a record from earlier, or from
   * root. */
  status = find(gpu, settings->root, &outcome->record, &moved, &err);
  if (status == 0)
    gc_record_status(outcome->record, NULL, outcome->status, sizeof(outcome->status));
  else if (status != -ENOENT)
    give_up(outcome, err.text); /* stays in the status if measuring fails, too */
  if (status < 0 || settings->mode == GC_MODE_REFRESH)
    restrict_once(known, settings);
  if (gpu->problem[0]) {
    if (status < 0)
      give_up(outcome, gpu->problem);
    else if (settings->mode == GC_MODE_REFRESH)
      keep_earlier(outcome, gpu->problem);
    return false;
  }
  if (settings->mode == GC_MODE_REFRESH)
    return can_store(outcome);
  if (status == 0) {
    if (settings->mode == GC_MODE_CACHED ||
        !gc_store_is_due(&gpu->identity, outcome->record, moved))
      return false;
    restrict_once(known, settings);
    return !gpu->problem[0] && can_store(outcome);
  }
  if (settings->mode != GC_MODE_CACHED)
    return !has_failed(gpu, outcome) && can_store(outcome);
  give_up(outcome, status == -ENOENT ? "no record; HWLOC_GPUCACHE=cached forbids measuring"
                                     : "HWLOC_GPUCACHE=cached forbids measuring");
  return false;
}

/* The word for this GPU's profile on the command line: its path, because a name may mean another
 * file there. A path with a comma cannot be in a list of names. */
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

/* Why this GPU is going to be measured; look_up has left the reason in the status. */
static const char *occasion(const struct gc_settings *settings, const struct gc_outcome *outcome)
{
  if (settings->mode == GC_MODE_REFRESH && outcome->record)
    return "HWLOC_GPUCACHE=refresh";
  return outcome->status[0] ? outcome->status : "no record";
}

/* The message of the tool without its name for the GPU, which may differ from the name here. */
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

/* Writes why there is no record after the command has ended. */
static void explain(const struct gc_command *command, const char *seconds, const char *store_says,
                    char *why, size_t size)
{
  if (command->end == GC_END_LATE) {
    snprintf(why, size,
             "not measured within %s s; run hwloc-gpucache measure, which has no time limit, "
             "or raise " HWLOC_GPUCACHE_TIMEOUT_ENV,
             seconds);
  } else if (command->end == GC_END_ABANDONED) {
    snprintf(why, size,
             "not measured within %s s, and process %d that measures cannot be killed; look for "
             "a file system or a driver that hangs",
             seconds, command->status);
  } else if (command->end == GC_END_KILLED) {
    snprintf(why, size, "measuring was killed by signal %d", command->status);
  } else if (command->end == GC_END_NOT_STARTED) {
    const bool missing = command->status == ENOENT || command->status == EACCES;
    char cause[100];

    gc_spawn_why(command, cause, sizeof(cause));
    snprintf(why, size, "%.160s cannot be started: %.70s%s", command->argv[0], cause,
             !command->lacks_null && missing ? MISSING_TOOL : "");
  } else if (command->message[0]) {
    snprintf(why, size, "%s", sentence(command->message));
  } else if (command->end == GC_END_EXITED && command->status != 0) {
    snprintf(why, size, "measuring ended with exit status %d and no message", command->status);
  } else {
    snprintf(why, size, "measured, but %.280s", store_says);
  }
  gc_make_printable(why); /* it may contain a path */
}

/* Whether a user, a batch system, or the kernel (when memory runs out) has ended the process. Then
 * another process may succeed at once. */
static bool is_from_outside(int number)
{
  return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
         number == SIGQUIT;
}

/* Notes a failure that the command could not note itself. The reason may pass, for example the load
 * of the machine. moved: see find. store_says: why there is no record. */
static void remember(const struct job *job, const struct gc_command *command, const char *seconds,
                     bool moved, const char *store_says)
{
  enum gc_failure_kind kind = GC_FAILURE_PASSES;
  char why[320];

  if (job->gpu->vendor == GC_VENDOR_SIM)
    return;
  if (command->end == GC_END_LATE) {
    snprintf(why, sizeof(why), "it takes longer than %.20s s", seconds);
  } else if (command->end == GC_END_ABANDONED) {
    snprintf(why, sizeof(why), "it takes longer than %.20s s, and process %d cannot be killed",
             seconds, command->status);
  } else if (command->end == GC_END_KILLED) {
    snprintf(why, sizeof(why), "measuring was killed by signal %d", command->status);
    if (is_from_outside(command->status))
      kind = GC_FAILURE_KILLED;
  } else if (command->end == GC_END_EXITED && command->status == 0) {
    snprintf(why, sizeof(why), "measured, but %.280s", store_says);
  } else {
    return;
  }
  gc_store_remember_failure(&job->gpu->identity, gc_store_environment(), why,
                            kind | (moved ? GC_FAILURE_MOVED : 0), NULL);
}

/* After the command has ended, the store decides, not the message of the command. */
static void collect(struct job *job, const struct gc_settings *settings,
                    const struct gc_command *command, const char *seconds)
{
  struct gc_outcome *outcome = job->outcome;
  bool done =
      command->end == GC_END_UNKNOWN || (command->end == GC_END_EXITED && command->status == 0);
  struct gc_record *earlier = outcome->record;
  struct gc_error err = {""};
  char why[320];
  bool moved;
  int status;

  status = find(job->gpu, settings->root, &outcome->record, &moved, &err);
  if (status == 0 && (done || !earlier)) {
    if (moved) /* the command sees another place; no later load tries again at once */
      remember(job, command, seconds, true, "the record is of another place");
    outcome->fresh = true;
    gc_record_status(outcome->record, NULL, outcome->status, sizeof(outcome->status));
    gc_record_free(earlier);
    return;
  }
  outcome->failed = true;
  outcome->late = command->end == GC_END_LATE;
  explain(command, seconds, err.text, why, sizeof(why));
  moved = earlier && gc_gpus_drop_host(settings->root, job->gpu, earlier);
  if (!earlier || gc_provisional_why(earlier) || moved) /* else no later load tries again */
    remember(job, command, seconds, moved, err.text);
  if (!earlier) {
    give_up(outcome, why);
    return;
  }
  gc_record_free(outcome->record);
  outcome->record = earlier;
  keep_earlier(outcome, why);
}

/* Whether nobody waits for this thread any more. It must then end soon, without using what the
 * application may change meanwhile, such as variables. */
static bool is_over(double deadline)
{
  return gc_now_ms() >= deadline + GC_GRACE_MS;
}

/* Runs the commands until the deadline. Simulated GPUs compute on the CPUs: if all of them shared
 * these, none might be ready at the deadline, and a real GPU would look as if another program used
 * it. A real GPU must not wait for another; the list has the real ones first. */
static void measure(struct job *jobs, size_t count, const struct gc_settings *settings,
                    char *const *environment, double deadline)
{
  const double left = (deadline - gc_now_ms()) / 1e3;
  struct gc_spawn_options options = {.seconds = left > 0 ? left : 1e-3,
                                     .at_once = gc_cpus(),
                                     .environment = environment};
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
    commands[i].waits = jobs[i].gpu->vendor == GC_VENDOR_SIM;
    if (settings->verbose)
      gc_plugin_say(jobs[i].gpu, "%s; measuring for at most %s s",
                    occasion(settings, jobs[i].outcome), seconds);
  }
  if (commands) {
    gc_spawn(commands, count, &options);
    for (size_t i = 0; i < count && !is_over(deadline); i++)
      collect(&jobs[i], settings, &commands[i], seconds);
  }
  free(commands);
}

/* Reads the driver tables of a GPU without a record. The tables of a simulated GPU are not
 * facts. */
static void fall_back(struct gc_gpu *gpu, const struct gc_settings *settings,
                      struct gc_outcome *outcome)
{
  char why[sizeof(outcome->status)];

  if (outcome->record || gpu->vendor == GC_VENDOR_SIM || gc_gpus_read_tables(settings->root, gpu) ||
      !gpu->tables)
    return;
  memcpy(why, outcome->status, sizeof(why));
  /* the status says already that nothing was measured */
  snprintf(outcome->status, sizeof(outcome->status), GC_STATUS_TABLES ": %.700s",
           strncmp(why, NOT_MEASURED, strlen(NOT_MEASURED)) ? why : why + strlen(NOT_MEASURED));
}

/* How the GPUs reach each other is in a record of its own, which only the command measures. */
static void add_peers(const struct gc_gpus *gpus, struct gc_outcome *outcomes)
{
  for (int vendor = 0; vendor < GC_VENDORS; vendor++) {
    struct gc_identity identity;
    struct gc_record *node;

    if (gc_gpus_node(gpus, (enum gc_vendor)vendor, &identity) < 2 ||
        gc_store_find(&identity, &node, NULL))
      continue;
    for (size_t i = 0; i < gpus->count; i++)
      if (outcomes[i].record)
        gc_record_merge_node(outcomes[i].record, node);
    gc_record_free(node);
  }
}

void gc_plugin_look_up(struct gc_gpus *gpus, const struct gc_settings *settings,
                       const char *_Atomic *doing, struct gc_outcome *outcomes)
{
  struct known known = {.gpus = gpus};

  *doing = "reading the records";
  for (size_t i = 0; i < gpus->count; i++)
    outcomes[i].wanted = look_up(&gpus->array[i], settings, &known, &outcomes[i]);
  add_peers(gpus, outcomes);
  *doing = "reading the tables of the kernel driver";
  for (size_t i = 0; i < gpus->count; i++)
    if (!outcomes[i].wanted)
      fall_back(&gpus->array[i], settings, &outcomes[i]);
}

bool gc_plugin_is_wanted(const struct gc_gpus *gpus, const struct gc_outcome *outcomes)
{
  for (size_t i = 0; i < gpus->count; i++)
    if (outcomes[i].wanted)
      return true;
  return false;
}

void gc_plugin_measure(struct gc_gpus *gpus, const struct gc_settings *settings,
                       char *const *environment, double deadline, const char *_Atomic *doing,
                       struct gc_outcome *outcomes)
{
  struct job *jobs = calloc(gpus->count, sizeof(*jobs));
  size_t count = 0;

  *doing = "starting and ending the command hwloc-gpucache, and reading its results";
  for (size_t i = 0; i < gpus->count; i++) {
    if (!outcomes[i].wanted)
      continue;
    if (jobs)
      jobs[count++] = (struct job){.gpu = &gpus->array[i], .outcome = &outcomes[i]};
    else
      give_up(&outcomes[i], "out of memory");
  }
  if (count > 0 && !is_over(deadline))
    measure(jobs, count, settings, environment, deadline);
  if (!is_over(deadline))
    add_peers(gpus, outcomes);
  *doing = "reading the tables of the kernel driver";
  for (size_t i = 0; i < gpus->count && !is_over(deadline); i++)
    if (outcomes[i].wanted)
      fall_back(&gpus->array[i], settings, &outcomes[i]);
  free(jobs);
}
