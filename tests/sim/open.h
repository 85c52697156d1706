/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated GPU, opened: its device, a record and a bench, and a model of the test's own that knows the truth.
 */
#ifndef GC_TESTS_SIM_OPEN_H
#define GC_TESTS_SIM_OPEN_H

#include "measure/bench.h"
#include "measure/measure.h"
#include "model/model.h"

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
  bool own;                 /* its profile goes with it */
  struct gc_device *device;
  struct gc_record *record;
  struct gc_model *model;
  struct gc_bench bench; /* after open_bench */
  struct gc_error err;
};

static inline void must(const struct opened *o, int status, const char *what)
{
  if (status)
    fail_msg("%s: %s: %d: %s", o->name, what, status, o->err.text);
}

/* The directory of the profiles: make check says where, and who runs a test by hand stands where it is. */
static inline const char *profile_folder(void)
{
  setenv("HWLOC_GPUCACHE_SIM_PATH", "data/sim", 0);
  return getenv("HWLOC_GPUCACHE_SIM_PATH");
}

/* What a file says, until the next call. */
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

/* name: a profile's, or the path of one. */
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

/* A GPU with a profile of the test's own, as by printf. */
__attribute__((format(printf, 2, 3))) static inline void open_form(struct opened *o, const char *form, ...)
{
  char path[] = "/tmp/gpucache-sim-XXXXXX";
  const int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  va_list values;

  assert_non_null(file);
  va_start(values, form);
  vfprintf(file, form, values);
  va_end(values);
  assert_int_equal(fclose(file), 0);
  open_gpu(o, path);
  o->own = true;
}

static inline void open_bench(struct opened *o)
{
  must(o, gc_bench_open_known(&o->bench, o->device, o->gpu->known, o->record, &o->err), "bench");
}

/* Ready to measure with. */
static inline void open_warm_bench(struct opened *o)
{
  open_bench(o);
  must(o, gc_warm_up(&o->bench), "warm up");
  must(o, gc_calibrate_window(&o->bench), "timing");
}

/* As another process that goes on with the record. */
static inline void reopen_device(struct opened *o)
{
  gc_ops(o->device)->close(o->device);
  must(o, gc_device_open(o->gpu, &o->device, &o->err), "device");
}

static inline void close_gpu(struct opened *o)
{
  if (o->bench.device)
    gc_bench_close(&o->bench);
  gc_model_free(o->model);
  gc_record_free(o->record);
  gc_ops(o->device)->close(o->device);
  if (o->own)
    unlink(o->gpu->profile);
  gc_gpus_free(&o->gpus);
}

/* Every GPU of data/sim. */
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

/* --- what the record says -------------------------------------------------------------------------- */

static inline struct gc_element *element_of(struct opened *o, enum gc_kind kind)
{
  struct gc_element *element = gc_record_find(o->record, kind);

  if (!element)
    element = gc_record_add(o->record, kind);
  assert_non_null(element);
  return element;
}

/* An info of an element, which may be NULL, or "". */
static inline const char *text(const struct gc_element *element, const char *key)
{
  const char *value = element ? gc_infos_get(&element->infos, key) : NULL;

  return value ? value : "";
}

static inline double number(const struct gc_element *element, const char *key)
{
  const char *value = text(element, key);

  return *value ? strtod(value, NULL) : NAN;
}

#endif
