/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/patching.h"

#include "device/cuda_symbols.h"
#include "trace/calls.h"
#include "trace/captures.h"
#include "trace/contexts.h"
#include "trace/modules.h"
#include "trace/recorder.h"
#include "trace/waiting.h"

#include "util/clock.h"

#include <errno.h>

/* Recording may cost this time, and this part of the time of the program itself. */
#define FREE_MS 5000
#define REST 3

/* Held for reading during all calls of calls.h, for writing while our functions are in kernels. So
 * nothing is launched, captured or unloaded while they are put in or taken out, and only the launch
 * that is recorded runs with them. */
static pthread_rwlock_t calling = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

/* Held while functions are put in or taken out. No kernel of the context runs then, so that nobody
 * waits for it for long. */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

/* Calls that did not get `calling` in time, because the launch that is recorded may be waiting for
 * them; under `changing`. Nothing is changed meanwhile. */
static unsigned strays;

/* Of recording; under gc_recorder.lock. */
static double cost_ms;

/* Nested calls of this thread that have begun; and of the outermost one, when it began, and whether
 * it is a stray. */
static _Thread_local unsigned depth;
static _Thread_local double begin_ms;
static _Thread_local bool strayed;

static bool refuse(const char *why)
{
  gc_recorder_call.refused = why;
  return false;
}

static void add_cost(double ms)
{
  pthread_mutex_lock(&gc_recorder.lock);
  cost_ms += ms;
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* Why nothing may be recorded now; NULL: it may. */
static const char *why_not(void)
{
  static double start_ms;
  const double now = gc_now_ms();
  const char *why = NULL;

  pthread_mutex_lock(&gc_recorder.lock);
  if (!start_ms)
    start_ms = now;
  if (gc_captures_any())
    why = "a stream was being captured";
  else if (cost_ms > FREE_MS + (now - start_ms - cost_ms) / REST)
    why = "recording paused, because it had cost more than 5 s plus a third of the program's time";
  pthread_mutex_unlock(&gc_recorder.lock);
  return why;
}

/* Whether functions may be put into kernels now; then this thread is the only one that may. */
static bool lock_all(void)
{
  const char *why = why_not();

  begin_ms = gc_now_ms();
  if (why)
    return refuse(why);
  if (!gc_wait_to_write(&calling)) {
    add_cost(gc_now_ms() - begin_ms);
    return refuse("other threads were calling the driver for too long");
  }
  if (!(why = why_not()))
    return true;
  pthread_rwlock_unlock(&calling);
  return refuse(why);
}

/* Calls how() for the modules of a context; context NULL: for those with our functions. False: not
 * now, because a call is a stray. */
static bool change(void (*how)(struct gc_traced_module *), const void *context)
{
  struct gc_traced_module *module;
  bool may;

  gc_contexts_wait();
  pthread_mutex_lock(&changing);
  may = !strays;
  pthread_mutex_lock(&gc_recorder.lock);
  module = gc_modules_first();
  pthread_mutex_unlock(&gc_recorder.lock);
  for (; module && may; module = module->next)
    if (context ? module->context == context : module->patched)
      how(module);
  pthread_mutex_unlock(&changing);
  return may;
}

/* Functions may stay in kernels: if they could not be taken out, or if a call was a stray. */
static void note_left_in(void)
{
  const struct gc_traced_module *module;

  pthread_mutex_lock(&gc_recorder.lock);
  gc_recorder.left_in = false;
  for (module = gc_modules_first(); module; module = module->next)
    gc_recorder.left_in |= module->patched;
  pthread_mutex_unlock(&gc_recorder.lock);
}

static void begin_alone(const void *context)
{
  gc_recorder_call.patched = change(gc_module_put_in, context);
  if (!gc_recorder_call.patched)
    refuse("another thread's call of the driver could not wait");
}

/* Together with others. But the launch that is recorded may wait for this call. */
static void begin_shared(void)
{
  strayed = !gc_wait_to_read(&calling);
  if (!strayed)
    return;
  pthread_mutex_lock(&changing);
  strays++;
  pthread_mutex_unlock(&changing);
  pthread_mutex_lock(&gc_recorder.lock);
  gc_recorder.left_in = true;
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* Puts functions into the kernels, or keeps other threads from doing so during this call. */
static void begin_call(bool with_functions, const void *context)
{
  strayed = false;
  if (with_functions && lock_all())
    begin_alone(context);
  else
    begin_shared();
}

static void end_call(void)
{
  const bool patched = gc_recorder_call.patched;

  if (patched) {
    change(gc_module_take_out, NULL);
    note_left_in();
    add_cost(gc_now_ms() - begin_ms);
  }
  gc_recorder_call = (struct gc_recorder_call){.kind = NULL};
  if (!strayed) {
    pthread_rwlock_unlock(&calling);
    return;
  }
  pthread_mutex_lock(&changing);
  strays--;
  pthread_mutex_unlock(&changing);
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
  struct gc_error err;
  const bool due = is_due(kind), full = due && gc_recorder_is_full(&err);

  begin_call(due && !full, data->context);
  gc_recorder_call.wanted = full || gc_recorder_call.patched; /* if full, it is left out later */
  pthread_mutex_lock(&gc_recorder.lock);
  if (kind && !kind->wanted)
    refuse("a graph was changed after it was instantiated, or was instantiated while nothing could "
           "be recorded");
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

/* Whether there was one. */
static bool end_capture(const Sanitizer_CallbackData *data)
{
  bool ended;

  pthread_mutex_lock(&gc_recorder.lock);
  ended = gc_captures_end(gc_call_stream(data->functionParams), data->context);
  pthread_mutex_unlock(&gc_recorder.lock);
  return ended;
}

static void begin_capture(const Sanitizer_CallbackData *data)
{
  pthread_mutex_lock(&gc_recorder.lock);
  if (!gc_captures_begin(gc_call_stream(data->functionParams), data->context))
    gc_fail(&gc_recorder.full, -ENOMEM, "out of memory");
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* The capture ends when the call begins, because a new stream may have the same handle before the
 * call ends. If the call fails, the capture goes on. */
static void destroy_stream(const Sanitizer_CallbackData *data)
{
  static _Thread_local bool captured;

  if (data->callbackSite == SANITIZER_API_ENTER)
    captured = end_capture(data);
  else if (captured && *(const CUresult *)data->functionReturnValue)
    begin_capture(data);
}

static void enter(enum gc_call call, const Sanitizer_CallbackData *data)
{
  struct gc_error err;

  switch (call) {
  case GC_CALL_LAUNCH:
  case GC_CALL_LAUNCH_EX:
    enter_launch(call, data);
    break;
  case GC_CALL_GRAPH_LAUNCH:
    enter_graph_launch(data);
    break;
  default:
    if (call == GC_CALL_NOT_MEANWHILE)
      refuse("the program launches with a function of the driver whose launches a sample lacks");
    begin_call(call == GC_CALL_GRAPH_INSTANTIATE && !gc_recorder_is_full(&err), data->context);
    if (call == GC_CALL_CAPTURE_BEGIN)
      begin_capture(data);
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
    end_capture(data);
  end_call();
}

void gc_patching_on_call(const Sanitizer_CallbackData *data)
{
  const enum gc_call call = gc_call_of(data->functionName);

  if (call == GC_CALL_OTHER)
    return;
  if (call == GC_CALL_STREAM_DESTROY) {
    destroy_stream(data);
    return;
  }
  if (data->callbackSite == SANITIZER_API_ENTER) {
    if (!depth++ && gc_recorder.sampling)
      enter(call, data);
  } else if (depth && !--depth) {
    gc_recorder_end_failed();
    if (gc_recorder.sampling)
      leave(call, data);
  }
}
