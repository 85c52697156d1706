/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "plugin/load.h"

#include "plugin/worker.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared with the thread, which may outlive the load. */
struct gc_load {
  struct gc_settings settings;
  char *root, *sims, *tool; /* copies for the settings */
  struct gc_env *env;
  char **environment;       /* of the commands */
  struct gc_worker *worker; /* looks the GPUs up; NULL: not started */
  double deadline;          /* gc_now_ms */
  const char *_Atomic doing;
  /* A copy of the list without driver tables. It is not changed after it was set. */
  struct gc_gpu *_Atomic listed;
  size_t listed_count;
  struct gc_found found;
  bool is_complete;
  void (*late)(const struct gc_late *late, void *data); /* may be NULL */
  void *data;
};

void gc_load_free(struct gc_found *found)
{
  for (size_t i = 0; found->outcomes && i < found->gpus.count; i++)
    gc_record_free(found->outcomes[i].record);
  free(found->outcomes);
  gc_gpus_free(&found->gpus);
}

static void release(void *data)
{
  struct gc_load *load = data;

  free(load->listed);
  free(load->root);
  free(load->sims);
  free(load->tool);
  free(load->env);
  free(load->environment);
  free(load);
}

static void release_all(void *data)
{
  gc_load_free(&((struct gc_load *)data)->found);
  release(data);
}

/* A copy with absolute paths (gc_env_absolute): other threads may change the working directory. */
static char *copy(const char *text, char separator, bool *is_missing)
{
  char *same = text ? gc_env_absolute(text, separator, separator != '\0') : NULL;

  *is_missing |= text && !same;
  return same;
}

static struct gc_load *make(const struct gc_settings *settings)
{
  struct gc_load *load = calloc(1, sizeof(*load));
  bool is_missing = false;

  if (!load)
    return NULL;
  load->settings = *settings;
  load->settings.root = load->root = copy(settings->root, '\0', &is_missing);
  load->settings.sims = load->sims = copy(settings->sims, ',', &is_missing);
  load->settings.tool = load->tool = copy(settings->tool, '\0', &is_missing);
  load->env = gc_env_copy();
  load->doing = "reading /proc and /sys";
  if (!is_missing && load->env)
    return load;
  release(load);
  return NULL;
}

/* Copies the list, so that the load can read the copy while the thread works on the original. */
static bool publish(struct gc_load *load)
{
  const size_t count = load->found.gpus.count;
  struct gc_gpu *copies = malloc(count * sizeof(*copies));

  if (!copies)
    return false;
  memcpy(copies, load->found.gpus.array, count * sizeof(*copies));
  for (size_t i = 0; i < count; i++)
    copies[i].tables = NULL;
  load->listed_count = count;
  load->listed = copies;
  return true;
}

static void list(struct gc_load *load)
{
  struct gc_found *found = &load->found;

  if (gc_gpus_list_known(load->settings.root, load->settings.sims, &found->gpus) < 0)
    return;
  load->is_complete = found->gpus.count == 0;
  if (load->is_complete || !publish(load))
    return;
  found->outcomes = calloc(found->gpus.count, sizeof(*found->outcomes));
  load->is_complete = found->outcomes != NULL;
  if (found->outcomes)
    gc_plugin_look_up(&found->gpus, &load->settings, &load->doing, found->outcomes);
}

/* In the thread, which may run while the application changes its environment. */
static void look_up(void *data)
{
  struct gc_load *load = data;

  gc_env_use(load->env);
  list(load);
  gc_env_use(NULL);
}

/* Makes "NAME=VALUE". NULL: out of memory, or there is no value; then the variable stays as it is. */
static char *setting(const char *name, const char *value)
{
  char *text;

  return value && *value && asprintf(&text, "%s=%s", name, value) >= 0 ? text : NULL;
}

/* The environment of the commands, made in the thread of the application. The tool uses hwloc to
 * write the record, and must not start itself. It is to find the same files as this load, so the
 * paths are absolute. */
static void make_environment(struct gc_load *load)
{
  const char *set[5] = {HWLOC_GPUCACHE_ENV "=off"};
  char *const paths[] = {
      setting(gc_env_name(GC_ENV_DIR), load->env->values[GC_ENV_DIR]),
      setting(gc_env_name(GC_ENV_SIM_PATH), load->env->values[GC_ENV_SIM_PATH]),
      setting("HWLOC_FSROOT", load->root),
  };
  size_t count = 1;

  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
    if (paths[i])
      set[count++] = paths[i];
  load->environment = gc_env_merge(set);
  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
    free(paths[i]);
}

static void measure(void *data)
{
  struct gc_load *load = data;

  gc_env_use(load->env);
  gc_plugin_measure(&load->found.gpus, &load->settings, load->environment, load->deadline,
                    &load->doing, load->found.outcomes);
  gc_env_use(NULL);
}

static void report(const struct gc_load *load, struct gc_late *late)
{
  late->gpus = load->listed;
  late->count = late->gpus ? load->listed_count : 0;
  load->late(late, load->data);
}

static void report_late(void *data)
{
  const struct gc_load *load = data;
  struct gc_late late = {.gpus = NULL};
  char seconds[32];

  if (!load->late)
    return;
  gc_number_seconds(load->settings.seconds, seconds);
  snprintf(late.why, sizeof(late.why),
           "%s did not end within %s s; a file system or a driver does not respond, or the machine "
           "is overloaded",
           load->doing, seconds);
  report(load, &late);
}

static struct gc_work work_of(struct gc_load *load, void (*run)(void *data))
{
  return (struct gc_work){.run = run, .late = report_late, .release = release_all, .data = load};
}

struct gc_load *gc_load_begin(const struct gc_settings *settings)
{
  struct gc_load *load = make(settings);
  const struct gc_work work = work_of(load, look_up);

  if (load && gc_worker_start(&work, 0, &load->worker))
    load->worker = NULL;
  return load;
}

/* Does the work before the deadline, in the thread that was started for it, if any. False: it is
 * late, or other loads are; load was freed, or its thread frees it. */
static bool finish(struct gc_load *load, void (*run)(void *data), double end)
{
  const struct gc_work work = work_of(load, run);
  struct gc_worker *worker = load->worker;
  struct gc_late late = {.gpus = NULL};
  int status;

  load->worker = NULL;
  status = worker ? gc_worker_wait(worker, end) : gc_worker_run(&work, end);
  if (status == -EBUSY) {
    snprintf(late.why, sizeof(late.why),
             "not read: %d other loads still wait for a file system or a driver that does not "
             "respond",
             GC_WORKERS);
    report(load, &late);
    release_all(load);
  }
  return !status;
}

bool gc_load_end(struct gc_load *load, struct gc_found *found,
                 void (*late)(const struct gc_late *late, void *data), void *data)
{
  const double deadline = gc_now_ms() + 1e3 * load->settings.seconds;
  bool is_complete;

  load->late = late;
  load->data = data;
  if (!finish(load, look_up, deadline + GC_GRACE_MS))
    return false;
  load->deadline = deadline;
  if (load->is_complete && gc_plugin_is_wanted(&load->found.gpus, load->found.outcomes)) {
    make_environment(load);
    load->is_complete = load->environment != NULL;
    if (load->is_complete && !finish(load, measure, deadline + GC_GRACE_MS))
      return false;
  }
  *found = load->found;
  is_complete = load->is_complete;
  release(load);
  if (!is_complete)
    gc_load_free(found);
  return is_complete;
}

void gc_load_cancel(struct gc_load *load)
{
  if (!load->worker || !gc_worker_wait(load->worker, gc_now_ms() + GC_GRACE_MS))
    release_all(load);
}
