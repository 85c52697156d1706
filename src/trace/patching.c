/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/patching.h"

#include "device/cuda_symbols.h"
#include "trace/calls.h"
#include "trace/contexts.h"
#include "trace/modules.h"
#include "trace/recorder.h"

#include "util/clock.h"

#include <errno.h>
#include <time.h>

/* Recording may cost this time, and this part of the time of the program itself. */
#define FREE_MS 5000
#define REST 3

#define MOST_WAIT_SECONDS 2

/* Held for reading during all calls of calls.h, for writing while our functions are in kernels. So
 * nothing is launched, captured or unloaded while they are put in or taken out, and only the launch
 * that is recorded runs with them. */
static pthread_rwlock_t calling = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static int captures;   /* of streams */
static double cost_ms; /* of recording; for the writer */

/* Calls of this thread that are under way, one in another; and of the outermost: */
static _Thread_local unsigned depth;
static _Thread_local double begin_ms;

static bool refuse(const char *why)
{
  gc_recorder_call.refused = why;
  return false;
}

static bool costs_too_much(void)
{
  static double start_ms;
  const double now = gc_now_ms();

  if (!start_ms)
    start_ms = now;
  return cost_ms > FREE_MS + (now - start_ms - cost_ms) / REST;
}

/* Whether functions may be put into kernels now; then this thread is the only one that may. */
static bool lock_all(void)
{
  struct timespec until;

  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MOST_WAIT_SECONDS;
  if (pthread_rwlock_timedwrlock(&calling, &until))
    return refuse("other threads launched all the time");
  if (!__atomic_load_n(&captures, __ATOMIC_SEQ_CST) && !costs_too_much())
    return true;
  refuse(captures ? "a stream was being captured"
                  : "recording rested, so that the program ends in time");
  pthread_rwlock_unlock(&calling);
  return false;
}

/* The modules of a context; NULL: those that have functions. */
static void change(void (*how)(struct gc_traced_module *), const void *context)
{
  struct gc_traced_module *module;

  gc_contexts_wait();
  pthread_mutex_lock(&gc_recorder.lock);
  module = gc_modules_first();
  pthread_mutex_unlock(&gc_recorder.lock);
  for (; module; module = module->next)
    if (context ? module->context == context : module->patched)
      how(module);
}

/* Puts functions into the kernels, or prevents others from it. */
static void begin_call(bool with_functions, const void *context)
{
  if (with_functions && lock_all()) {
    begin_ms = gc_now_ms();
    gc_recorder_call.patched = true;
    change(gc_module_put_in, context);
  } else {
    pthread_rwlock_rdlock(&calling);
  }
}

static void end_call(void)
{
  if (gc_recorder_call.patched) {
    change(gc_module_take_out, NULL);
    cost_ms += gc_now_ms() - begin_ms;
  }
  gc_recorder_call = (struct gc_recorder_call){.kind = NULL};
  pthread_rwlock_unlock(&calling);
}

static bool is_due(const struct gc_launch_kind *kind)
{
  bool due;

  pthread_mutex_lock(&gc_recorder.lock);
  due = kind && gc_launch_kind_is_due(kind);
  pthread_mutex_unlock(&gc_recorder.lock);
  return due;
}

static void enter_launch(enum gc_call call, const Sanitizer_CallbackData *data)
{
  uint32_t sizes[GC_LAUNCH_SIZES];
  struct gc_launch_kind *kind;
  struct gc_error err;
  bool due, full;

  gc_call_sizes(call, data->functionParams, sizes);
  pthread_mutex_lock(&gc_recorder.lock);
  kind =
      data->symbolName ? gc_launch_kinds_find(data->symbolName, sizes, &gc_recorder.names) : NULL;
  pthread_mutex_unlock(&gc_recorder.lock);
  due = is_due(kind);
  full = due && gc_recorder_is_full(&err);
  begin_call(due && !full, data->context);
  gc_recorder_call.kind = kind;
  gc_recorder_call.wanted = full || gc_recorder_call.patched; /* if full, it is left out later */
}

/* Launches of the graph that a call is for. */
static struct gc_launch_kind *kind_of_graph(enum gc_call call, const Sanitizer_CallbackData *data)
{
  struct gc_launch_kind *kind;

  pthread_mutex_lock(&gc_recorder.lock);
  kind = gc_launch_kinds_find_graph(gc_call_graph(call, data->functionParams));
  pthread_mutex_unlock(&gc_recorder.lock);
  return kind;
}

static void enter_graph_launch(const Sanitizer_CallbackData *data)
{
  struct gc_launch_kind *const kind = kind_of_graph(GC_CALL_GRAPH_LAUNCH, data);

  if (kind && !kind->wanted)
    refuse("a graph was changed after it was instantiated, or instantiated without functions");
  begin_call(is_due(kind), data->context);
  gc_recorder_call.wanted = gc_recorder_call.patched;
  pthread_mutex_lock(&gc_recorder.lock);
  if (kind && gc_recorder_call.wanted)
    gc_launch_kind_take(kind);
  else if (kind)
    kind->seen++;
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* A graph can be launched with functions only if it was instantiated with them, and not changed
 * since. */
static void note_graph(struct gc_launch_kind *kind, bool with_functions)
{
  pthread_mutex_lock(&gc_recorder.lock);
  if (kind) {
    kind->wanted = with_functions;
    kind->seen = 0;
    kind->due = 1;
  }
  pthread_mutex_unlock(&gc_recorder.lock);
}

static void enter(enum gc_call call, const Sanitizer_CallbackData *data)
{
  switch (call) {
  case GC_CALL_LAUNCH:
  case GC_CALL_LAUNCH_EX:
    enter_launch(call, data);
    break;
  case GC_CALL_GRAPH_LAUNCH:
    enter_graph_launch(data);
    break;
  default:
    begin_call(call == GC_CALL_GRAPH_INSTANTIATE, data->context);
    if (call == GC_CALL_CAPTURE_BEGIN)
      __atomic_add_fetch(&captures, 1, __ATOMIC_SEQ_CST);
    else if (call == GC_CALL_GRAPH_CHANGE)
      note_graph(kind_of_graph(call, data), false);
  }
}

static void leave(enum gc_call call, const Sanitizer_CallbackData *data)
{
  const CUresult result = *(const CUresult *)data->functionReturnValue;

  if (call == GC_CALL_GRAPH_INSTANTIATE && !result)
    note_graph(kind_of_graph(call, data), gc_recorder_call.patched);
  else if (call == GC_CALL_CAPTURE_BEGIN
               ? result != 0
               : call == GC_CALL_CAPTURE_END && gc_call_ends_capture(result))
    __atomic_sub_fetch(&captures, 1, __ATOMIC_SEQ_CST);
  gc_recorder_end_failed();
  end_call();
}

void gc_patching_on_call(const Sanitizer_CallbackData *data)
{
  const enum gc_call call = gc_call_of(data->functionName);

  if (call == GC_CALL_OTHER)
    return;
  if (data->callbackSite == SANITIZER_API_ENTER) {
    if (!depth++)
      enter(call, data);
  } else if (depth && !--depth) {
    leave(call, data);
  }
}
