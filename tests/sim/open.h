/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a simulated GPU: its device, a record, a measurement whose steps can be run one by one, and
 * a second model of the same GPU, which states the true values.
 */
#ifndef GC_TESTS_SIM_OPEN_H
#define GC_TESTS_SIM_OPEN_H

#include "device/open.h"
#include "device/sim.h"
#include "measure/core/clock.h"
#include "measure/core/measurement.h"
#include "measure/measure.h"
#include "measure/plan/plan.h"
#include "measure/results/earned.h"
#include "measure/results/publish.h"
#include "measure/walk/overhead.h"
#include "model/truth.h"
#include "record/reader.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct opened {
  char name[300]; /* for messages */
  struct gc_gpus gpus;
  const struct gc_gpu *gpu; /* the only one of them */
  bool own;                 /* the profile is a temporary file; close_gpu removes it */
  struct gc_device *device;
  struct gc_record *record;
  struct gc_model *model;
  struct gc_measurement m;    /* after open_bench */
  struct gc_results *results; /* of m; NULL before open_bench */
  struct gc_error err;
};

static inline void must(const struct opened *o, int status, const char *what)
{
  if (status)
    fail_msg("%s: %s: %d: %s", o->name, what, status, o->err.text);
}

/* The directory of the profiles. "make check" sets the variable. If you run a test by hand, start
 * it in the top directory of the sources. */
static inline const char *profile_folder(void)
{
  setenv("HWLOC_GPUCACHE_SIM_PATH", "data/sim", 0);
  return getenv("HWLOC_GPUCACHE_SIM_PATH");
}

/* The text of a file, valid until the next call. */
static inline const char *text_of(const char *path)
{
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  size_t length;

  if (!file)
    fail_msg("cannot open %s", path);
  length = fread(text, 1, sizeof(text) - 1, file);
  assert_true(length < sizeof(text) - 1);
  text[length] = '\0';
  fclose(file);
  return text;
}

/* name: of a profile, or the path of one. */
static inline void open_gpu(struct opened *o, const char *name)
{
  const char *text;

  memset(o, 0, sizeof(*o));
  snprintf(o->name, sizeof(o->name), "%s", name);
  profile_folder();
  assert_int_equal(gc_gpus_list("/nonexistent", name, &o->gpus), 0);
  assert_int_equal(o->gpus.count, 1);
  o->gpu = &o->gpus.array[0];
  assert_string_equal(o->gpu->problem, "");
  must(o, gc_device_open(o->gpu, &o->device, &o->err), "device");
  assert_non_null(o->record = gc_record_new(&o->gpu->identity));
  text = text_of(o->gpu->profile);
  must(o, gc_model_new(name, text, strlen(text), &o->model, &o->err), "model");
}

/* Reads what make wrote about a GPU of data/sim: its record (xml) or its messages, see tests/records. */
static inline const char *text_of_measured(const char *name, const char *what)
{
  const char *build = getenv("top_builddir");
  char path[512];

  snprintf(path, sizeof(path), "%s/tests/records/%s.%s", build ? build : ".", name, what);
  return text_of(path);
}

/* Opens a GPU of data/sim with the record that make has measured. */
static inline void open_measured(struct opened *o, const char *name)
{
  const char *text;

  open_gpu(o, name);
  gc_record_free(o->record);
  text = text_of_measured(name, "xml");
  must(o, gc_record_read_xml(text, strlen(text), &o->record, &o->err), "record");
}

/* Is it one of those that only tests of tier ci measure (RECENT_GPUS, tests/local.mk)? */
static inline bool is_recent(const char *name)
{
  const size_t length = strlen(name);

  for (const char *at = getenv("RECENT_GPUS"); at && *at; at += strcspn(at, " "), at += *at == ' ')
    if (!strncmp(at, name, length) && (at[length] == ' ' || !at[length]))
      return true;
  return false;
}

/* Opens a GPU with a profile that the test formats. */
__attribute__((format(printf, 2, 3))) static inline void open_profile(struct opened *o, const char *format, ...)
{
  char path[] = "/tmp/gpucache-sim-XXXXXX";
  const int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  va_list values;

  assert_non_null(file);
  va_start(values, format);
  vfprintf(file, format, values);
  va_end(values);
  assert_int_equal(fclose(file), 0);
  open_gpu(o, path);
  o->own = true;
}

/* Replaces the first `from` in a text. */
static inline void replace(char *text, size_t size, const char *from, const char *to)
{
  char *at = strstr(text, from);
  const char *rest = at + strlen(from);

  assert_non_null(at);
  assert_true(strlen(text) + strlen(to) < size);
  memmove(at + strlen(to), rest, strlen(rest) + 1);
  memcpy(at, to, strlen(to));
}

/* The most edits of one profile. */
#define EDITS 16

/* A profile of data/sim with some of its text replaced. */
struct edited {
  const char *name;
  const char *edits[EDITS][2]; /* from, to */
};

/* Opens such a GPU. */
static inline void open_edited(struct opened *o, const struct edited *edited)
{
  char path[512], text[1 << 14];

  snprintf(path, sizeof(path), "%s/%s", profile_folder(), edited->name);
  assert_true(snprintf(text, sizeof(text), "%s", text_of(path)) < (int)sizeof(text));
  for (size_t i = 0; i < EDITS && edited->edits[i][0]; i++)
    replace(text, sizeof(text), edited->edits[i][0], edited->edits[i][1]);
  open_profile(o, "%s", text);
}

/* Prepares an open GPU for single steps. */
static inline void open_bench(struct opened *o)
{
  assert_non_null(o->results = malloc(sizeof(*o->results)));
  gc_results_clear(o->results);
  must(o, gc_measurement_open(&o->m, o->device, o->gpu->tables, o->results, &o->err), "bench");
}

/* The same, with a steady clock and a measured timing overhead. */
static inline void open_warm_bench(struct opened *o)
{
  open_bench(o);
  must(o, gc_clock_warm_up(&o->m.bench), "warm up");
  must(o, gc_measure_overhead(&o->m), "timing");
}

/* Opens a new device and starts a new record, as another process does that continues the plan. */
static inline void reopen_device(struct opened *o)
{
  gc_record_free(o->record);
  assert_non_null(o->record = gc_record_new(&o->gpu->identity));
  gc_ops(o->device)->close(o->device);
  must(o, gc_device_open(o->gpu, &o->device, &o->err), "device");
}

static inline void close_gpu(struct opened *o)
{
  if (o->results)
    gc_measurement_close(&o->m);
  free(o->results);
  gc_model_free(o->model);
  gc_record_free(o->record);
  gc_ops(o->device)->close(o->device);
  if (o->own)
    unlink(o->gpu->profile);
  gc_gpus_free(&o->gpus);
}

/* Calls check for every GPU of data/sim. */
static inline void each_profile(void (*check)(struct opened *o))
{
  DIR *directory = opendir(profile_folder());
  const struct dirent *entry;
  unsigned count = 0;

  assert_non_null(directory);
  while ((entry = readdir(directory))) {
    struct opened o;

    if (strchr(entry->d_name, '.') || !strcmp(entry->d_name, "README"))
      continue;
    open_gpu(&o, entry->d_name);
    check(&o);
    close_gpu(&o);
    count++;
  }
  closedir(directory);
  assert_true(count >= 12);
}

/* --- results and record ------------------------------------------------------------------------ */

/* The typed results of an element. */
static inline struct gc_measured *measured(struct opened *o, enum gc_kind kind)
{
  return &o->results->element[kind];
}

/* Publishes the results so far; returns an element of the record, valid until the next call. */
static inline const struct gc_element *published(struct opened *o, enum gc_kind kind)
{
  gc_record_free(o->record);
  assert_non_null(o->record = gc_record_new(&o->gpu->identity));
  must(o, gc_publish(o->results, o->record), "publish");
  return gc_record_find(o->record, kind);
}

/* Does the step need more memory than may be used? Then the plan does not run it. */
static inline bool lacks_memory(struct opened *o, gc_step *step, enum gc_kind kind)
{
  for (unsigned i = 0; i < gc_plan_steps; i++)
    if (gc_plan[i].kind == kind && gc_plan[i].run == step)
      return gc_plan_lacks_memory(&o->m, &gc_plan[i]);
  return false;
}

/* Runs a step on an element as the plan does, and publishes the element. */
static inline const struct gc_element *run_step(struct opened *o, gc_step *step, enum gc_kind kind)
{
  struct gc_plan_step row = {.kind = kind, .name = "step", .run = step};

  for (unsigned i = 0; i < gc_plan_steps; i++)
    if (gc_plan[i].kind == kind && gc_plan[i].run == step)
      row = gc_plan[i];
  must(o, gc_plan_run(&o->m, &row), gc_kind_name(kind));
  return published(o, kind);
}

/* Sets the capacity as if it had been measured. */
static inline void claim(struct opened *o, enum gc_kind kind, uint64_t bytes)
{
  measured(o, kind)->tried = true;
  measured(o, kind)->capacity_bytes = bytes;
  gc_set_measured(measured(o, kind), GC_CAPACITY, 0.98);
}

/* An info of an element; "" if there is none, or if element is NULL. */
static inline const char *text(const struct gc_element *element, const char *key)
{
  const char *value = element ? gc_infos_get(&element->infos, key) : NULL;

  return value ? value : "";
}

/* The same as a number; NAN if there is none. */
static inline double number(const struct gc_element *element, const char *key)
{
  const char *value = text(element, key);

  return *value ? strtod(value, NULL) : NAN;
}

/* The confidence to expect, in a record of the whole plan, of a property whose method is as sure as
 * `wanted` or surer: that, or what such values have earned if it is less. */
static inline double earned(const char *property, double wanted)
{
  double least = wanted;

  for (int i = 0; i < GC_PROPERTY_COUNT; i++)
    for (size_t bin = gc_earned_bin(wanted);
         bin < GC_EARNED_BINS && !strcmp(gc_properties_names[i], property); bin++)
      least = fmin(least, gc_earned_table[i][bin].most);
  return least;
}

#endif
