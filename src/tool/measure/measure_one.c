/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order: lock, open the device, measure, export, store.
 */
#include "config.h"

#include "tool/measure/measure_one.h"

#include "device/open.h"
#include "gpus/gpu_lock.h"
#include "graft/graft.h"
#include "measure/measure.h"
#include "store/store.h"
#include "tool/gpus/earlier_record.h"
#include "tool/gpus/hwloc_xml.h"
#include "tool/measure/raw_dir.h"
#include "tool/measure/rest_of_plan.h"
#include "tool/print/messages.h"
#include "tool/print/progress.h"
#include "tool/process/child.h"
#include "tool/process/environment.h"
#include "tool/process/watch.h"
#include "util/clock.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc/gpucache.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long to wait for the lock of the record, which another process holds while it measures. */
#define LOCK_SECONDS 120
/* How long to wait for a busy GPU. */
#define PATIENCE_SECONDS 3.0
#define KEPT_BYTES (32 << 20) /* the most that the C library accepts */

static bool left_open;

struct here {
  const struct gc_tool *tool;
  struct gc_result *result;
  char title[128];
  int lock;      /* of the record; -1: none */
  bool lockless; /* the directory of records has no locks: gpu_lock takes its place */
  int gpu_lock;  /* -1: none */
  bool storing;
  time_t started;
  double began; /* gc_now_ms */
  uint64_t environment; /* at the start: a vendor's library may change variables */
  bool tried;           /* the GPU was used, so a failure is one of the GPU */
  bool host_only;       /* the rest is in result->earlier */
  struct gc_command rest; /* of the process that measures the rest, while it runs */
};

bool gc_left_open(void)
{
  return left_open;
}

static void at_end(void *data)
{
  const struct here *here = data;

  gc_child_end(&here->rest, 1);
  gc_raw_dir_leave(here->tool);
  if (here->lock >= 0)
    gc_store_unlock(here->lock);
}

static void show_progress(void *data, unsigned done, unsigned total, const char *what)
{
  const struct here *here = data;

  gc_progress(here->title, done, total, what);
}

static void say_spent(void *data, const char *what, double milliseconds, uint64_t launches)
{
  const struct here *here = data;

  gc_say(here->result->gpu->name, "%s took %.2f ms, %llu launch%s", what, milliseconds,
         (unsigned long long)launches, launches == 1 ? "" : "es");
}

static void say_warning(void *data, const char *sentence)
{
  const struct here *here = data;

  gc_say(here->result->gpu->name, "%s", sentence);
}

/* One line, because a caller may use the last one only. */
static void say_failure(const struct gc_result *result, const struct gc_error *err)
{
  char kept[80];

  gc_keep_words(result, kept, sizeof kept);
  gc_say(result->gpu->name, "%s%s", err->text, kept);
}

/* Stores and prints why there is no record. */
static void give_up(struct gc_result *result, int status, const struct gc_error *err)
{
  result->status = status;
  result->problem = *err;
  say_failure(result, err);
}

/* How long to wait for a lock: all of the time that is left before the deadline but a quarter, which is
 * at most `reserve` seconds. So the message names the lock and not the deadline. */
static double lock_seconds(const struct here *here, double reserve)
{
  const double left = here->tool->timeout - (gc_now_ms() - here->began) / 1e3;
  const double until = left - fmin(left / 4, reserve);

  if (!(here->tool->timeout > 0) || until > LOCK_SECONDS)
    return LOCK_SECONDS;
  return until > 0 ? until : 0;
}

/* As gc_store_lock, and prints why it waits. */
static int await_lock(const struct here *here, struct gc_error *err)
{
  const struct gc_gpu *gpu = here->result->gpu;
  const double seconds = lock_seconds(here, 0.5);
  struct gc_error why = {""};
  int lock = gc_store_lock(gpu->identity.id, 0, err);

  if (lock != -ETIMEDOUT)
    return lock;
  gc_say(gpu->name, "%s; waiting", err->text);
  lock = gc_store_lock(gpu->identity.id, seconds, &why);
  if (lock == -ETIMEDOUT)
    return gc_fail(err, lock, "%.400s; gave up after %.1f s", why.text, seconds);
  *err = why;
  return lock;
}

/* Adds advice for a user of measure: the record need not be stored. A load needs the stored
 * record. */
static void advise(struct gc_error *err)
{
  struct gc_error why = *err;

  if (!gc_environment_for_load() && strstr(why.text, HWLOC_GPUCACHE_DIR_ENV))
    gc_fail(err, 0, "%.470s (measure --no-store does not need it)", why.text);
}

static void note_failure(const struct here *here, enum gc_failure_kind kind,
                         const struct gc_error *why);

/* Whether the store has a record of the GPU, so that the GPU need not be measured again. Another
 * process may have stored it meanwhile. The record is then the result. */
static bool is_done(struct here *here)
{
  struct gc_result *result = here->result;
  const struct gc_identity *identity = &result->gpu->identity;

  if (here->tool->force || gc_store_find(identity, &result->record, NULL))
    return false;
  if (!gc_keep_is_due(here->tool, result->gpu, result->record))
    return true;
  gc_record_free(result->record);
  result->record = NULL;
  return false;
}

/* Takes the lock of a GPU with partitions, or of any GPU if its record has none. Stops waiting early
 * enough to report the failure before the deadline. With --resume, the parent holds the lock. False:
 * failed. */
static bool take_gpu_lock(struct here *here)
{
  struct gc_error err = {""};

  int status = here->tool->resume
                   ? 0
                   : gc_gpus_lock(gc_environment_root(), here->result->gpu, here->lockless,
                                  lock_seconds(here, INFINITY), &here->gpu_lock, &err);

  if (status == GC_GPUS_LOCK_IGNORED)
    gc_say(here->result->gpu->name, "%s", err.text);
  if (status >= 0)
    return true;
  if (status == -ETIMEDOUT)
    note_failure(here, GC_FAILURE_HELD, &err);
  give_up(here->result, GC_EXIT_FAILED, &err);
  return false;
}

/* Whether the result is final, because another process has measured the GPU, or failed to, while this
 * one waited for its lock. */
static bool is_settled(struct here *here)
{
  struct gc_result *result = here->result;
  struct gc_failure failure;
  struct gc_error err = {""};

  if (is_done(here))
    return true;
  if (here->tool->force ||
      gc_store_find_failure(&result->gpu->identity, here->environment, &failure) ||
      failure.kind == GC_FAILURE_HELD || failure.when <= here->started)
    return false;
  gc_fail(&err, 0, "another process has just failed: %.400s", failure.why);
  give_up(result, GC_EXIT_FAILED, &err);
  return true;
}

/* Decides what happens without the lock of the record. False: the result is final. */
static bool go_without_lock(struct here *here, int status, struct gc_error *err)
{
  const bool is_held = status == -ETIMEDOUT;

  if (is_held && is_done(here))
    return false;
  /* the holder may hang; a note keeps later loads from waiting for it */
  if (is_held)
    note_failure(here, GC_FAILURE_HELD, err);
  if (here->tool->must_store || is_held) {
    if (!is_held)
      note_failure(here, GC_FAILURE_PASSES, err); /* there may be room for a note */
    advise(err);
    give_up(here->result, GC_EXIT_FAILED, err);
    return false;
  }
  gc_say(here->result->gpu->name, "the record will not be stored: %s", err->text);
  here->storing = false;
  return true;
}

/* Takes the lock of the record. False: the result is final, because of a failure or of a record
 * of another process. */
static bool take_lock(struct here *here)
{
  struct gc_error err = {""};
  int lock;

  if (!here->storing)
    return true;
  gc_watch_hold(); /* it may create a file for a moment */
  lock = gc_store_check(here->result->gpu->identity.id, &err);
  gc_watch_release();
  if (!lock) {
    lock = await_lock(here, &err);
    here->lockless = lock == -EOPNOTSUPP;
  }
  if (lock < 0 && !here->lockless)
    return go_without_lock(here, lock, &err);
  if (here->lockless && !take_gpu_lock(here))
    return false;
  gc_watch_hold();
  here->lock = here->lockless ? -1 : lock;
  gc_watch_release();
  if (is_settled(here))
    return false;
  gc_keep_begin(here->tool, here->result);
  return true;
}

/* Replaces each "gpu0" by "this GPU": other users of the sentence may have another name for it. */
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

/* Notes the failure, so that not every load of a topology tries again. A simulated GPU needs no
 * note: it fails at once. */
static void note_failure(const struct here *here, enum gc_failure_kind kind,
                         const struct gc_error *why)
{
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_error err = {""};
  char text[sizeof why->text] = "";

  if (!here->storing || gpu->vendor == GC_VENDOR_SIM)
    return;
  unname(why->text, gpu->name, text, sizeof text);
  gc_watch_hold();
  if (here->result->earlier &&
      gc_gpus_drop_host(gc_environment_root(), gpu, here->result->earlier))
    kind |= GC_FAILURE_MOVED;
  if (gc_store_remember_failure(&gpu->identity, here->environment, text, kind, &err) &&
      here->tool->verbose)
    gc_say(gpu->name, "%s", err.text);
  gc_watch_release();
}

/* Only one reason lasts: there are no kernels for this GPU. All others may pass: a library is
 * installed, a driver starts, another job ends, a group or a container gets access. */
static void remember_failure(const struct here *here, int status, const struct gc_error *why)
{
  note_failure(here, status == -ENOTSUP || status == -EINVAL ? GC_FAILURE_LASTS : GC_FAILURE_PASSES,
               why);
}

/* Adds the facts that the measurement does not determine. 0 or -ENOMEM. */
static int add_facts(const struct here *here, struct gc_record *record)
{
  struct gc_infos *infos = &record->infos;
  char date[GC_DATE], state[400], place[GC_GPUS_PLACE_BYTES];

  gc_date_write(here->started, date);
  gc_record_status(record, NULL, state, sizeof state);
  gc_gpus_place(gc_environment_root(), here->result->gpu, place);
  /* with --only, the outermost element may be missing, but every record needs it */
  if ((!gc_record_find(record, GC_DEVICE_MEMORY) && !gc_record_add(record, GC_DEVICE_MEMORY)) ||
      (*place && gc_infos_set(infos, "HostPlace", place)) ||
      gc_infos_set(infos, "Status", state) ||
      gc_infos_set(infos, "Measured", date) ||
      gc_infos_set(infos, "Version", PACKAGE_VERSION))
    return -ENOMEM;
  return 0;
}

/* --raw: opens the files before anything is measured; they are written also after a failure. */
static int open_raw(const struct here *here, struct gc_raw **raw, struct gc_error *err)
{
  const struct gc_gpu *gpu = here->result->gpu;
  char model[120];
  int status;

  *raw = NULL;
  if (!here->tool->raw)
    return 0;
  /* pictures of it must show that it is simulated */
  snprintf(model, sizeof model, "%s%s", gpu->identity.model,
           gpu->vendor == GC_VENDOR_SIM ? " (simulated)" : "");
  gc_watch_hold(); /* the file that tests the directory must not stay */
  status =
      gc_raw_open(here->tool->raw,
                  &(struct gc_raw_source){gpu->name, gpu->identity.id, model, here->tool->command,
                                          here->started, here->tool->resume > 0},
                  raw, err);
  gc_watch_release();
  return status;
}

static void close_raw(struct here *here, struct gc_raw *raw, const struct gc_record *record)
{
  struct gc_error err = {""};

  gc_watch_hold(); /* no file is left half-written */
  if (gc_raw_close(raw, record, &err)) {
    gc_say(here->result->gpu->name, "%s", err.text);
    here->result->status = GC_EXIT_FAILED; /* the record is kept nevertheless */
  }
  gc_watch_release();
}

/* Stops waiting for a busy GPU early enough to report it before the deadline. */
static double patience(double timeout)
{
  return timeout > 0 && timeout / 2 < PATIENCE_SECONDS ? timeout / 2 : PATIENCE_SECONDS;
}

/* Checks that the results of another process are those of this GPU as it is now: the driver may
 * have been replaced meanwhile. */
static int judge_identity(const struct gc_identity *began, const struct gc_identity *now,
                          struct gc_error *err)
{
  struct gc_record *record = gc_record_new(began);
  struct gc_error why = {""};
  int status = record ? gc_store_judge(record, now, &why) : gc_fail(err, -ENOMEM, "out of memory");

  if (record && status)
    gc_fail(err, status, "the record for --resume %.400s", why.text);
  gc_record_free(record);
  return status;
}

/* Makes a new record and, with --resume, reads the results of the process that began. */
static int begin(const struct here *here, struct gc_handover *handover, struct gc_record **record,
                 struct gc_error *err)
{
  const struct gc_identity *identity = &here->result->gpu->identity;
  struct gc_identity began;
  int status = 0;

  *record = gc_record_new(identity);
  if (!*record)
    return gc_fail(err, -ENOMEM, "out of memory");
  if (here->tool->resume &&
      (status = gc_handover_read(handover, &began, STDIN_FILENO, err)))
    return gc_fail_in(err, status,
                      "--resume needs the results of another process on its standard input");
  return here->tool->resume ? judge_identity(&began, identity, err) : status;
}

/* Measurements allocate and free up to some MiB again and again. If the C library gives them back
 * to the kernel, each new page costs a fault. */
static void keep_memory(void)
{
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

/* Runs the plan on the device until its end or a failure. */
static int run_plan(struct here *here, struct gc_handover *handover, struct gc_record **record,
                    struct gc_error *err)
{
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_measure_options options = {.only = here->tool->only,
                                       .progress = show_progress,
                                       .warn = say_warning,
                                       .spent = here->tool->times ? say_spent : NULL,
                                       .data = here,
                                       .handover = here->host_only ? NULL : handover,
                                       .host_only = here->host_only,
                                       .left_open = gpu->vendor != GC_VENDOR_SIM,
                                       .patience = patience(here->tool->timeout),
                                       .tables = gpu->tables};
  struct gc_device *device = NULL;
  int status;

  keep_memory();
  gc_progress(here->title, 0, 1, "opening the device");
  status = open_raw(here, &options.raw, err);
  if (!status)
    status = begin(here, handover, record, err);
  here->tried = !status;
  if (!status)
    status = gc_device_open(gpu, &device, err);
  if (!status) {
    left_open = options.left_open;
    status = gc_measure(device, &options, *record, err);
    /* a broken device is closed, so that it cannot disturb the next process */
    if (!left_open || handover->left)
      gc_ops(device)->close(device);
  }
  gc_progress_erase();
  close_raw(here, options.raw, *record);
  if (!status &&
      (add_facts(here, *record) || (here->host_only && gc_keep_merge(here->result, record))))
    status = gc_fail(err, -ENOMEM, "out of memory");
  return status;
}

/* Measures the GPU. NULL after a failure, which is in the result. */
static struct gc_record *measure(struct here *here)
{
  struct gc_handover handover = {.next = here->tool->resume};
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_record *record = NULL;
  struct gc_error err = {""};
  struct gc_elsewhere elsewhere = {.handover = &handover, .command = &here->rest};
  int status = run_plan(here, &handover, &record, &err);

  if (!status && handover.left)
    status = gc_continue_elsewhere(here->tool, gpu, &elsewhere, &record, &err);
  gc_handover_free(&handover);
  /* --only asks for measured elements only */
  if (!status && gpu->tables && !here->tool->only && gc_record_merge_tables(record, gpu->tables))
    status = gc_fail(&err, -ENOMEM, "out of memory");
  if (!status)
    return record;
  gc_record_free(record);
  if (here->tried)
    remember_failure(here, status, &err);
  here->result->status = status == -ENODEV ? GC_EXIT_NO_GPU : GC_EXIT_FAILED;
  here->result->error = status;
  here->result->problem = err;
  if (!elsewhere.said)
    say_failure(here->result, &err);
  return NULL;
}

static void store(struct here *here)
{
  const struct gc_gpu *gpu = here->result->gpu;
  struct gc_error err = {""};
  char *xml = NULL, dir[4096];
  size_t length;
  int status;

  if (!gc_keep_allows(here->tool, here->result, &err)) {
    here->result->kept = true;
    if (here->tool->must_store)
      here->result->status = GC_EXIT_FAILED;
    gc_say(gpu->name, "%s", err.text);
    return;
  }
  status = gc_keep_note_try(here->result) ? gc_fail(&err, -ENOMEM, "out of memory") : 0;
  if (!status)
    status = gc_export(here->result->record, gpu->name, &xml, &length, &err);
  if (!status) {
    gc_watch_hold(); /* a record is written completely or not at all, and no temporary file stays */
    status = gc_store_write(&gpu->identity, xml, length, &err);
    gc_watch_release();
  }
  free(xml);
  if (status) {
    gc_fail_in(&err, status, "measured, but not stored");
    note_failure(here, GC_FAILURE_PASSES, &err);
    gc_say(gpu->name, "%s", err.text);
    if (here->tool->must_store)
      here->result->status = GC_EXIT_FAILED; /* the record is printed nevertheless */
  } else if (here->tool->verbose && !gc_store_dir(dir, sizeof dir, NULL)) {
    gc_say(gpu->name, "stored as %s/%s.xml", dir, gpu->identity.id);
  }
}

void gc_measure_here(const struct gc_tool *tool, struct gc_result *result)
{
  const struct gc_gpu *gpu = result->gpu;
  struct here here = {.tool = tool, .result = result, .lock = -1, .gpu_lock = -1,
                      .storing = !tool->no_store && !tool->only, .started = time(NULL), .began = gc_now_ms(),
                      .environment = gc_store_environment()};
  struct gc_error err = {""};
  void (*at_broken_pipe)(int);

  snprintf(here.title, sizeof here.title, "%s %s", gpu->name, gpu->identity.model);
  /* The program that reads our messages may end. The record is stored all the same. */
  at_broken_pipe = signal(SIGPIPE, SIG_IGN);
  if (gc_watch_start(tool->timeout, gpu->name, at_end, &here, &err)) {
    give_up(result, GC_EXIT_FAILED, &err);
    signal(SIGPIPE, at_broken_pipe);
    return;
  }
  if (take_lock(&here) && (here.lockless || take_gpu_lock(&here))) {
    here.host_only = gc_keep_all_but_host(tool, result);
    result->record = measure(&here);
    result->fresh = result->record != NULL;
    if (result->record && here.storing)
      store(&here);
  }
  gc_watch_stop();
  signal(SIGPIPE, at_broken_pipe);
  if (here.gpu_lock >= 0)
    close(here.gpu_lock);
  if (here.lock >= 0)
    gc_store_unlock(here.lock);
}
