/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of a back end with its stand-in library. Include it after fake-cuda.h or fake-hip.h, which
 * define fake_gpu.
 */
#ifndef TESTS_UNIT_BACKEND_H
#define TESTS_UNIT_BACKEND_H

#include "device/open.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
  void *library;
  fake_gpu *fake;
  struct gc_device *device;
  const struct gc_device_ops *ops;
  struct gc_gpu gpu;
  struct gc_error err;
};

/* A library of tests/unit. */
static inline void *load_library(const char *file)
{
  const char *top = getenv("top_builddir");
  char path[4096];
  void *library;

  snprintf(path, sizeof(path), "%s/tests/unit/%s", top ? top : ".", file);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail_msg("%s", dlerror());
  return library;
}

static inline int open_device(struct fixture *f)
{
  const int status = gc_device_open(&f->gpu, &f->device, &f->err);

  if (f->device)
    f->ops = gc_ops(f->device);
  return status;
}

static inline void must_open(struct fixture *f)
{
  if (open_device(f))
    fail_msg("%s", f->err.text);
}

static inline void close_device(struct fixture *f)
{
  if (f->device)
    f->ops->close(f->device);
  f->device = NULL;
}

static inline void says(const struct fixture *f, const char *words)
{
  if (!strstr(f->err.text, words))
    fail_msg("'%s' does not say '%s'", f->err.text, words);
}

static inline bool is_among(const char *name, const char *const *names, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

/* Calls the memory functions of a device up to the first error. */
static inline int use_memory(struct fixture *f, uint64_t bytes, uint64_t *address)
{
  struct gc_properties properties;
  uint64_t free_bytes, total;
  int status;

  *address = 0;
  status = f->ops->properties(f->device, &properties, &f->err);
  if (!status)
    status = f->ops->memory(f->device, &free_bytes, &total, &f->err);
  if (!status)
    status = f->ops->alloc(f->device, bytes, address, &f->err);
  if (!status)
    status = f->ops->upload(f->device, *address, "x", 1, &f->err);
  if (!status)
    status = f->ops->clear(f->device, *address, bytes, &f->err);
  return status;
}

/* Opens and uses the device while the environment variable has this function return this error.
 * Checks that the message has these words and names the GPU, and that everything is released. */
static inline int use_while_failing(struct fixture *f, int (*use)(struct fixture *f), const char *variable,
                                    const char *function, unsigned int error, const char *words)
{
  char fail[80];
  int status;

  snprintf(fail, sizeof(fail), "%s=%u", function, error);
  setenv(variable, fail, 1);
  *f->err.text = '\0';
  status = open_device(f);
  if (!status)
    status = use(f);
  says(f, words);
  if (!strstr(f->err.text, "gpu3") && !strstr(f->err.text, "device"))
    fail_msg("%s: '%s' names no GPU", fail, f->err.text);
  unsetenv(variable);
  close_device(f);
  assert_int_equal(f->fake->modules, 0);
  assert_int_equal(f->fake->allocations, 0);
  return status;
}

/* Checks the peak of device memory on an open device. */
static inline void check_the_most_memory(struct fixture *f)
{
  uint64_t a, b, c;

  assert_int_equal(f->ops->alloc(f->device, 1000, &a, &f->err), 0);
  assert_int_equal(f->ops->alloc(f->device, 500, &b, &f->err), 0);
  f->ops->release(f->device, a);
  assert_int_equal(f->ops->alloc(f->device, 700, &c, &f->err), 0);
  assert_int_equal(f->ops->counts(f->device)->device_bytes, 1200);
  assert_int_equal(f->ops->counts(f->device)->device_bytes_peak, 1500);
  f->ops->release(f->device, b);
  f->ops->release(f->device, c);
}

#endif
