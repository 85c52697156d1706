/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures one GPU in this process: lock, open, measure, export, store.
 */
#include "config.h"

#include "tool/tool.h"

#include "device/device.h"
#include "graft/graft.h"
#include "measure/measure.h"
#include "store/store.h"
#include "util/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc/gpucache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long another process may keep the record's lock before we give up; it is measuring. */
#define LOCK_SECONDS 120
/* How long a busy GPU is waited for. */
#define PATIENCE_SECONDS 3.0

static bool left_open;

struct here {
  const struct gc_tool *tool;
  struct gc_result *result;
  char who[128];
  int lock;
  int turn; /* of partitions of one GPU; -1: none */
  bool storing;
  time_t started;
  uint64_t environment; /* as it was then: a vendor's library has variables changed */
  bool tried;           /* the GPU itself, so that a failure is its own */
  struct gc_command rest; /* of the process that measures what is left, while there is one */
};

bool gc_left_open(void)
{
  return left_open;
}

static void at_end(void *data)
{
  const struct here *here = data;

  gc_child_end(&here->rest, 1);
  gc_leave_raw(here->tool);
  if (here->lock >= 0)
    gc_store_unlock(here->lock);
}

static void show_progress(void *data, unsigned done, unsigned total, const char *what)
{
  const struct here *here = data;

  gc_progress(here->who, done, total, what);
}

static void say_spent(void *data, const char *what, double milliseconds, uint64_t launches)
{
  const struct here *here = data;

  gc_say(here->result->gpu->name, "%s took %.2f ms, %llu launch%s", what, milliseconds,
         (unsigned long long)launches, launches == 1 ? "" : "es");
}

static void say_complaint(void *data, const char *sentence)
{
  const struct here *here = data;

  gc_say(here->result->gpu->name, "%s", sentence);
}

/* Notes and says why there is no record. */
static void give_up(struct gc_result *result, int status, const struct gc_error *err)
{
  result->status = status;
  result->problem = *err;
  gc_say(result->gpu->name, "%s", err->text);
}

/* Whether this is the record that was to be measured again, and not what another process has made since. */
static bool is_partial(const struct gc_record *record, const struct gc_record *partial)
{
  const struct gc_infos *infos = &record->infos;

  if (!partial || infos->count != partial->infos.count)
    return false;
  for (size_t i = 0; i < infos->count; i++) {
    const char *before = gc_infos_get(&partial->infos, infos->array[i].name);

    if (!before || strcmp(before, infos->array[i].value)) /* the date, and what measuring cost */
      return false;
  }
  return true;
}

/* A deadline that comes first would be said in place of what was waited for: who waits gives up before it. */
static double lock_seconds(double timeout)
{
  const double left = timeout - (timeout / 4 < 0.5 ? timeout / 4 : 0.5);

  return timeout > 0 && left < LOCK_SECONDS ? left : LOCK_SECONDS;
}

/* As gc_store_lock, and whoever looks on learns what takes so long. */
static int await_lock(const struct here *here, struct gc_error *err)
{
  const struct gc_gpu *gpu = here->result->gpu;
  const double seconds = lock_seconds(here->tool->timeout);
  struct gc_error why = {""};
  int lock = gc_store_lock(gpu->identity.id, 0, err);

  if (lock != -ETIMEDOUT)
    return lock;
  gc_say(gpu->name, "%s; waiting", err->text);
  lock = gc_store_lock(gpu->identity.id, seconds, &why);
  if (lock == -ETIMEDOUT)
    return gc_fail(err, lock, "%.400s; waited %g s for it, given up", why.text, seconds);
  *err = why;
  return lock;
}

/* For who measures and wants to see it. Others, whom the store tells the same, cannot go without. */
static void advise(struct gc_error *err)
{
  struct gc_error why = *err;

  if (strstr(why.text, HWLOC_GPUCACHE_DIR_ENV))
    gc_fail(err, 0, "%.470s (measure --no-store needs none)", why.text);
}

/* Takes the lock. False: settled already, by a failure or by the record of another process. */
static bool take_lock(struct here *here)
{
  struct gc_result *result = here->result;
  const struct gc_tool *tool = here->tool;
  struct gc_failure failure;
  struct gc_error err = {""};
  int lock;

  if (!here->storing)
    return true;
  gc_watch_hold(); /* it may make a file for a moment */
  lock = gc_store_check(result->gpu->identity.id, &err);
  gc_watch_release();
  if (!lock)
    lock = await_lock(here, &err);
  if (lock < 0) {
    if (tool->must_store || lock == -ETIMEDOUT) {
      advise(&err);
      give_up(result, GC_EXIT_FAILED, &err);
      return false;
    }
    gc_say(result->gpu->name, "the record will not be stored: %s", err.text);
    here->storing = false;
    return true;
  }
  gc_watch_hold();
  here->lock = lock;
  gc_watch_release();
  /* whoever had the lock before us may have done the work, or failed for all of us */
  if (tool->force)
    return true;
  if (!gc_store_find(&result->gpu->identity, &result->record, NULL)) {
    if (!is_partial(result->record, result->partial))
      return false;
    gc_record_free(result->record);
    result->record = NULL;
    return true;
  }
  if (gc_store_find_failure(&result->gpu->identity, here->environment, &failure) ||
      failure.when <= here->started)
    return true;
  gc_fail(&err, 0, "another process has just failed: %.400s", failure.why);
  give_up(result, GC_EXIT_FAILED, &err);
  return false;
}

/* Waits for its turn at a GPU that has partitions, and leaves time to say so when it does not come. Who goes on
 * for another process has that one's. False: settled, by a failure. */
static bool take_turn(struct here *here)
{
  const double timeout = here->tool->timeout;
  struct gc_error err = {""};

  if (here->tool->resume ||
      !gc_gpus_take_turn(gc_targets_root(), here->result->gpu,
                         timeout > 0 && timeout < LOCK_SECONDS ? 0.75 * timeout : LOCK_SECONDS,
                         &here->turn, &err))
    return true;
  give_up(here->result, GC_EXIT_FAILED, &err);
  return false;
}

/* A sentence for others, who may call this GPU by another number: each "gpu0" becomes "this GPU". */
static void unname(const char *sentence, const char *name, char *text, size_t size)
{
  const size_t length = strlen(name);
  size_t at = 0;

  for (const char *s = sentence; *s && at + 1 < size;) {
    const bool found = !strncmp(s, name, length) && !isalnum((unsigned char)s[length]) &&
                       (s == sentence || !isalnum((unsigned char)s[-1]));

    at += (size_t)snprintf(text + at, size - at, "%.*s", found ? 8 : 1, found ? "this GPU" : s);
    s += found ? length : 1;
  }
}

/* So that not every load of a topology fails anew. Only that no kernels of ours run there lasts: libraries
 * come, drivers start, other jobs end, groups and containers are given a device. A simulated GPU fails at
 * once, and for what its profile says. */
static void remember_failure(const struct here *here, int status, const struct gc_error *why)
{
  const struct gc_gpu *gpu = here->result->gpu;
  const bool passing = status != -ENOTSUP && status != -EINVAL;
  struct gc_error err = {""};
  char text[sizeof why->text] = "";

  if (!here->storing || gpu->vendor == GC_VENDOR_SIM)
    return;
  unname(why->text, gpu->name, text, sizeof text);
  gc_watch_hold();
  if (gc_store_remember_failure(&gpu->identity, here->environment, text, passing, &err) &&
      here->tool->verbose)
    gc_say(gpu->name, "%s", err.text);
  gc_watch_release();
}

/* What the measurement itself does not know. 0 or -ENOMEM. */
static int add_facts(struct gc_record *record)
{
  struct gc_infos *infos = &record->infos;
  time_t now = time(NULL);
  struct tm utc;
  char date[32];

  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  /* with --only, the outermost element may be missing, and it is what a record hangs on */
  if ((!gc_record_find(record, GC_DEVICE_MEMORY) && !gc_record_add(record, GC_DEVICE_MEMORY)) ||
      gc_infos_set(infos, "Status", GC_STATUS_MEASURED) ||
      gc_infos_set(infos, "Measured", date) ||
      gc_infos_set(infos, "Version", PACKAGE_VERSION))
    return -ENOMEM;
  return 0;
}

/* --raw: files are opened before anything is measured, and written whatever came of it. */
static int open_raw(const struct here *here, struct gc_raw **raw, struct gc_error *err)
{
  const struct gc_gpu *gpu = here->result->gpu;
  char model[120];
  int status;

  *raw = NULL;
  if (!here->tool->raw)
    return 0;
  /* nobody shall take a picture of it for one of the real thing */
  snprintf(model, sizeof model, "%s%s", gpu->identity.model,
           gpu->vendor == GC_VENDOR_SIM ? " (simulated)" : "");
  gc_watch_hold(); /* what is written to try the directory does not stay */
  status = gc_raw_open(here->tool->raw,
                       &(struct gc_raw_source){gpu->name, gpu->identity.id, model, here->tool->command,
                                               here->tool->resume > 0},
                       raw, err);
  gc_watch_release();
  return status;
}

static void close_raw(struct here *here, struct gc_raw *raw, const struct gc_record *record)
{
  struct gc_error err = {""};

  gc_watch_hold(); /* leaves no half-written file */
  if (gc_raw_close(raw, record, &err)) {
    gc_say(here->result->gpu->name, "%s", err.text);
    here->result->status = GC_EXIT_FAILED; /* and what was measured is kept all the same */
  }
  gc_watch_release();
}

/* Who waits for a busy GPU must be able to say so before the time is over. */
static double patience(double timeout)
{
  return timeout > 0 && timeout / 2 < PATIENCE_SECONDS ? timeout / 2 : PATIENCE_SECONDS;
}

/* A new record, or the one that another process began. */
static int begin_record(const struct here *here, struct gc_record **record, struct gc_error *err)
{
  const struct gc_identity *identity = &here->result->gpu->identity;
  struct gc_error why = {""};
  int status;

  if (!here->tool->resume) {
    *record = gc_record_new(identity);
    return *record ? 0 : gc_fail(err, -ENOMEM, "out of memory");
  }
  if ((status = gc_child_read(STDIN_FILENO, record, err)))
    return gc_fail_in(err, status, "--resume needs a record on its standard input");
  /* the driver may have changed meanwhile */
  if ((status = gc_store_judge(*record, identity, &why)))
    gc_fail(err, status, "the record that --resume is to go on with %.400s", why.text);
  return status;
}

/* Runs the plan on the device, as far as that goes. */
static int run_plan(struct here *here, struct gc_measure_rest *rest, struct gc_record **record,
                    struct gc_error *err)
{
  struct gc_measure_options options = {
    .only = here->tool->only, .progress = show_progress, .complain = say_complaint,
    .spent = here->tool->times ? say_spent : NULL, .data = here,
    .rest = rest, .patience = patience(here->tool->timeout), .known = here->result->gpu->known};
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_device *device = NULL;
  int status;

  gc_progress(here->who, 0, 1, "opening the device");
  status = open_raw(here, &options.raw, err);
  if (!status)
    status = begin_record(here, record, err);
  here->tried = !status;
  if (!status)
    status = gc_device_open(gpu, &device, err);
  if (!status) {
    left_open = gpu->vendor != GC_VENDOR_SIM;
    status = gc_measure(device, &options, *record, err);
    /* a broken device is closed, so that nothing of it disturbs the next process */
    if (!left_open || rest->left)
      gc_ops(device)->close(device);
  }
  gc_progress_erase();
  close_raw(here, options.raw, *record);
  if (!status && add_facts(*record))
    status = gc_fail(err, -ENOMEM, "out of memory");
  return status;
}

/* All that there is to know. NULL with result settled when it failed. */
static struct gc_record *measure(struct here *here)
{
  struct gc_measure_rest rest = {.next = here->tool->resume};
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_record *record = NULL;
  struct gc_error err = {""};
  bool said = false;
  int status = run_plan(here, &rest, &record, &err);

  if (!status && rest.left)
    status = gc_measure_rest(here->tool, gpu, rest.next, &here->rest, &record, &said, &err);
  /* with --only nobody asked for them */
  if (!status && gpu->known && !here->tool->only && gc_record_merge_known(record, gpu->known))
    status = gc_fail(&err, -ENOMEM, "out of memory");
  if (!status)
    return record;
  gc_record_free(record);
  if (here->tried)
    remember_failure(here, status, &err);
  here->result->status = status == -ENODEV ? GC_EXIT_NO_GPU : GC_EXIT_FAILED;
  here->result->error = status;
  here->result->problem = err;
  if (!said)
    gc_say(gpu->name, "%s", err.text);
  return NULL;
}

static void store(struct here *here)
{
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_error err = {""};
  char *xml = NULL, dir[4096];
  size_t length;
  int status = gc_export(here->result->record, gpu->name, &xml, &length, &err);

  if (!status) {
    gc_watch_hold(); /* a record is written whole or not at all, and leaves no temporary file */
    status = gc_store_write(&gpu->identity, xml, length, &err);
    gc_watch_release();
  }
  free(xml);
  if (status) {
    gc_say(gpu->name, "%s", err.text);
    if (here->tool->must_store)
      here->result->status = GC_EXIT_FAILED; /* and what was measured is shown all the same */
  } else if (here->tool->verbose && !gc_store_dir(dir, sizeof dir, NULL)) {
    gc_say(gpu->name, "stored as %s/%s.xml", dir, gpu->identity.id);
  }
}

void gc_measure_here(const struct gc_tool *tool, struct gc_result *result)
{
  const struct gc_gpu *gpu = result->gpu;
  struct here here = {.tool = tool, .result = result, .lock = -1, .turn = -1,
                      .storing = !tool->no_store && !tool->only, .started = time(NULL),
                      .environment = gc_store_environment()};
  struct gc_error err = {""};

  snprintf(here.who, sizeof here.who, "%s %s", gpu->name, gpu->identity.model);
  if (gc_watch_start(tool->timeout, gpu->name, at_end, &here, &err)) {
    give_up(result, GC_EXIT_FAILED, &err);
    return;
  }
  if (take_lock(&here) && take_turn(&here)) {
    result->record = measure(&here);
    result->fresh = result->record != NULL;
    if (result->record && here.storing)
      store(&here);
  }
  gc_watch_stop();
  if (here.turn >= 0)
    close(here.turn);
  if (here.lock >= 0)
    gc_store_unlock(here.lock);
}
