/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of kernels in all traces of a pass is limited. Traces and the model are those of the
 * test. Linked with --wrap.
 */
#include "predict/pass.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 200000 /* doc/testing.md */

static unsigned long left; /* kernels of the trace that is open */
static unsigned long runs; /* of the model */

int __wrap_gc_trace_open(const char *path, struct gc_trace **trace, struct gc_error *err);
int __wrap_gc_trace_open(const char *path, struct gc_trace **trace, struct gc_error *err)
{
  (void)err;
  *trace = NULL;
  left = strtoul(path, NULL, 10); /* the name of a trace is the number of its kernels */
  return 0;
}

int __wrap_gc_trace_next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch,
                                struct gc_error *err);
int __wrap_gc_trace_next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch,
                                struct gc_error *err)
{
  (void)trace, (void)err;
  memset(launch, 0, sizeof *launch);
  return left ? left--, 1 : 0;
}

void __wrap_gc_trace_get_ignored(const struct gc_trace *trace, struct gc_trace_ignored *ignored);
void __wrap_gc_trace_get_ignored(const struct gc_trace *trace, struct gc_trace_ignored *ignored)
{
  (void)trace;
  memset(ignored, 0, sizeof *ignored);
}

void __wrap_gc_trace_close(struct gc_trace *trace);
void __wrap_gc_trace_close(struct gc_trace *trace)
{
  (void)trace;
}

int __wrap_gc_parameters_gpu(void);
int __wrap_gc_parameters_gpu(void)
{
  return 0;
}

int __wrap_gc_gpu_model_check(void);
int __wrap_gc_gpu_model_check(void)
{
  return 0;
}

void *__wrap_gc_cache_model_new(void);
void *__wrap_gc_cache_model_new(void)
{
  return malloc(1);
}

void __wrap_gc_cache_model_free(void *model);
void __wrap_gc_cache_model_free(void *model)
{
  free(model);
}

int __wrap_gc_cache_model_change_sms(void);
int __wrap_gc_cache_model_change_sms(void)
{
  return 0;
}

int __wrap_gc_cache_model_run(void);
int __wrap_gc_cache_model_run(void)
{
  runs++;
  return 0;
}

static int run(const char *const *traces, size_t count, struct gc_error *err)
{
  struct gc_pass pass = {.traces = traces, .trace_count = count};
  int status = gc_pass_run(&pass, err);

  if (!status)
    assert_int_equal(pass.count, runs);
  gc_pass_clear(&pass);
  return status;
}

static void kernels_of_all_traces_are_limited(void **state)
{
  static const char *const just[] = {"200000"}, *const two[] = {"150000", "50000"};
  static const char *const more[] = {"200001"}, *const both[] = {"150000", "50001"};
  struct gc_error err = {""};

  (void)state;
  assert_int_equal(run(just, 1, &err), 0);
  assert_int_equal(runs, MOST);
  runs = 0;
  assert_int_equal(run(two, 2, &err), 0);
  assert_int_equal(runs, MOST);
  runs = 0;
  assert_int_equal(run(more, 1, &err), -E2BIG);
  assert_int_equal(runs, MOST); /* refused before it runs */
  assert_string_equal(err.text, "200001: more than 200000 kernels in all traces");
  runs = 0;
  assert_int_equal(run(both, 2, &err), -E2BIG);
  assert_string_equal(err.text, "50001: more than 200000 kernels in all traces");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_of_all_traces_are_limited)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
