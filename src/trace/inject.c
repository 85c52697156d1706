/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library that `hwloc-gpucache trace` has the CUDA driver load into each process
 * (CUDA_INJECTION64_PATH). Through NVIDIA's Sanitizer API it puts the functions of kernels/trace.c
 * into all kernels. When a kernel has ended, it fetches their records.
 *
 * The mutex `tracing` is held from the begin to the end of a recorded launch, of a kernel or a
 * graph, and the launch waits for its kernels. So recorded launches run one after another. `lock`
 * is held for lists, ptxas and writing, and not while the driver is called for a launch. Both are
 * recursive, because functions of the API call back. A failure never ends the program: the launch
 * is left out, and the part says so.
 *
 * In a sample of the launches, our functions are in the kernels only during a recorded call of the
 * driver. They are put in and taken out in the callbacks before and after the call (on_call); in
 * that at the begin of a launch, the driver holds a lock for which the API would wait. What calls.h
 * says about graphs and captures was found by trial on an H200 (doc/results/trace.md).
 */
#include "trace/api.h"
#include "trace/calls.h"
#include "trace/contexts.h"
#include "trace/launches.h"
#include "trace/memsets.h"
#include "trace/modules.h"
#include "trace/sample.h"
#include "trace/settings.h"

#include "device/cuda_symbols.h"
#include "predict/wanted.h"
#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* After that, a launch is left out: the thread whose launch is being recorded may wait for a lock
 * of this thread. */
#define MOST_WAIT_SECONDS 2

/* Recording may cost this time, and this part of the time of the program itself. */
#define FREE_MS 5000
#define REST 3

static struct {
  struct gc_trace_settings settings;
  bool sampling; /* a sample of the launches is recorded */
  struct gc_wanted_names names;
  pthread_mutex_t lock; /* of the following */
  struct gc_part part;
  uint64_t seen, left_out, in_graphs; /* launches */
  struct gc_error why;  /* of the first launch that was left out */
  struct gc_error full; /* why no more launches are traced; "": they are */
  struct gc_error not_now;    /* why a launch of the sample was not recorded; "": all were */
  double begin_ms, cost_ms;   /* of the process; of recording, without writing the trace file */

  pthread_mutex_t tracing;     /* of the following */
  struct gc_launches launches; /* that are recorded now */
  unsigned captures;           /* of streams */
} tracer = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
            .tracing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* Of this thread: the launch that is recorded, NULL if there is none, and the graph that is being
 * launched. */
static _Thread_local Sanitizer_LaunchHandle recorded;
static _Thread_local enum {
  NO_GRAPH,
  GRAPH_UPLOAD,
  GRAPH_PASSED, /* it is not in the sample */
  GRAPH_LEFT_OUT,
  GRAPH_RECORDED
} graph;
static _Thread_local Sanitizer_StreamHandle graph_stream;
static _Thread_local struct gc_error graph_why; /* it is left out */

/* Of this thread: the call of the driver that launches, for a sample. */
static _Thread_local struct {
  struct gc_kind *kind; /* NULL: no kernel */
  bool wanted;          /* it is to be recorded */
  bool patched;         /* our functions are in kernels */
  double begin_ms;
} call;

/* A launch that is wanted. */
struct wanted {
  uint64_t number;
  struct gc_kind *kind; /* NULL: not of a sample */
  uint64_t stands;      /* for so many launches */
};

static void leave_out(const struct wanted *wanted, const struct gc_error *err)
{
  pthread_mutex_lock(&tracer.lock);
  if (!tracer.left_out++)
    tracer.why = *err;
  if (wanted->kind)
    gc_kind_give_back(wanted->kind, wanted->stands);
  pthread_mutex_unlock(&tracer.lock);
}

/* What the launch needs. Memory is taken without the lock, because the driver may wait for a thread
 * that waits for the lock. */
static int find(const Sanitizer_LaunchData *data, struct gc_context_memory *memory,
                const struct gc_traced_module **module, struct gc_error *err)
{
  int status;

  pthread_mutex_lock(&tracer.lock);
  status = gc_contexts_find(data->context, memory, err);
  if (!status)
    status = gc_modules_find(data->module, module, err);
  pthread_mutex_unlock(&tracer.lock);
  if (!status && !memory->launches) {
    status = gc_contexts_allocate(data->context, memory, err);
    pthread_mutex_lock(&tracer.lock);
    if (!status)
      gc_contexts_keep(data->context, memory);
    pthread_mutex_unlock(&tracer.lock);
  }
  return status;
}

/* The launch is recorded, or left out. of_graph: NULL, or the stream of the graph. */
static bool add(const Sanitizer_LaunchData *data, const struct wanted *wanted,
                Sanitizer_StreamHandle of_graph)
{
  struct gc_recorded_launch *launch;
  const struct gc_traced_module *module;
  struct gc_trace_touched *touched;
  struct gc_context_memory memory;
  struct gc_error err = {""};
  int status = find(data, &memory, &module, &err);

  if (!status)
    status = gc_launches_add(&tracer.launches, &memory, module, wanted->number,
                             tracer.settings.blocks, data, of_graph, &err);
  if (status) {
    leave_out(wanted, &err);
    return false;
  }
  launch = &tracer.launches.launches[tracer.launches.count - 1];
  launch->kind = wanted->kind;
  launch->stands = wanted->stands;
  pthread_mutex_lock(&tracer.lock);
  touched = gc_contexts_touched(data->context);
  if (touched) {
    launch->touched = *touched;
    touched->count = 0;
  }
  pthread_mutex_unlock(&tracer.lock);
  return true;
}

static struct gc_kind *kind_of(const Sanitizer_LaunchData *data)
{
  const uint32_t sizes[GC_KIND_SIZES] = {data->gridDim_x,  data->gridDim_y,  data->gridDim_z,
                                         data->blockDim_x, data->blockDim_y, data->blockDim_z};

  return call.kind ? call.kind : gc_kinds_find(data->functionName, sizes, &tracer.names);
}

/* Numbers each launch, and counts it in its kind. */
static bool is_wanted(const Sanitizer_LaunchData *data, struct wanted *wanted)
{
  struct gc_kind *kind;
  bool is = false;

  pthread_mutex_lock(&tracer.lock);
  *wanted = (struct wanted){.number = ++tracer.seen};
  if (!tracer.sampling) {
    is = gc_wanted_has(&tracer.names, data->functionName, wanted->number);
  } else {
    kind = kind_of(data);
    is = kind && kind->wanted && call.wanted;
    wanted->kind = kind;
    if (is)
      wanted->stands = gc_kind_take(kind);
    else if (kind)
      gc_kind_pass(kind, &tracer.part);
  }
  pthread_mutex_unlock(&tracer.lock);
  return is;
}

static bool is_full(struct gc_error *err)
{
  pthread_mutex_lock(&tracer.lock);
  *err = tracer.full;
  pthread_mutex_unlock(&tracer.lock);
  return *err->text;
}

/* From now on, this thread records. It does not, and err says why, if no more launches are traced,
 * or if another thread records for too long. */
static bool begin_recording(struct gc_error *err)
{
  struct timespec until;

  if (is_full(err))
    return false;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MOST_WAIT_SECONDS;
  if (recorded || pthread_mutex_timedlock(&tracer.tracing, &until)) {
    gc_fail(err, -EBUSY, "another launch was being recorded");
    return false;
  }
  if (!is_full(err))
    return true;
  pthread_mutex_unlock(&tracer.tracing);
  return false;
}

static void begin_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err;
  struct wanted wanted;

  if (graph != NO_GRAPH || !is_wanted(data, &wanted))
    return;
  if (!begin_recording(&err))
    leave_out(&wanted, &err);
  else if (add(data, &wanted, NULL))
    recorded = data->hLaunch;
  else {
    gc_launches_pass_over(NULL, data);
    pthread_mutex_unlock(&tracer.tracing);
  }
}

/* Waits for the launches, and writes them. */
static int write_launches(Sanitizer_StreamHandle stream, struct gc_error *err)
{
  struct gc_launches *launches = &tracer.launches;
  const double begin_ms = gc_now_ms();
  int status = GC_SANITIZER(sanitizerStreamSynchronize, (stream), err);
  const double kernel_ms = gc_now_ms() - begin_ms;

  if (!status)
    status = gc_launches_fetch(launches, stream, err);
  if (status)
    return status;
  pthread_mutex_lock(&tracer.lock);
  status = gc_launches_write(launches, kernel_ms, tracer.part.file, err);
  status = gc_part_end_launch(&tracer.part, status, err);
  for (size_t i = 0; i < launches->count && !status; i++)
    if (launches->launches[i].kind)
      gc_kind_recorded(launches->launches[i].kind, launches->launches[i].stands,
                       launches->launches[i].stands_at, &tracer.part);
  if (status == -EIO)
    tracer.full = *err;
  else if ((uint64_t)tracer.part.good > tracer.settings.limit)
    gc_fail(&tracer.full, 0, "the trace of this process has reached --limit");
  pthread_mutex_unlock(&tracer.lock);
  return status;
}

/* err: why the launches are left out, or "". */
static void end_recording(Sanitizer_StreamHandle stream, struct gc_error *err)
{
  if (tracer.launches.count && (*err->text || write_launches(stream, err)))
    for (size_t i = 0; i < tracer.launches.count; i++)
      leave_out(&(struct wanted){.kind = tracer.launches.launches[i].kind,
                                 .stands = tracer.launches.launches[i].stands},
                err);
  gc_launches_forget(&tracer.launches);
  pthread_mutex_unlock(&tracer.tracing);
}

static void end_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err = {""};

  if (!recorded || recorded != data->hLaunch)
    return;
  recorded = NULL;
  end_recording(data->hStream, &err);
}

/* The driver does not say so of a launch that fails. */
static void end_failed_graph(void)
{
  struct gc_error err;

  if (graph == GRAPH_RECORDED) {
    gc_fail(&err, -ECANCELED, "the driver did not say that the launch of a graph ended");
    end_recording(graph_stream, &err);
  }
  graph = NO_GRAPH;
}

static void begin_graph(const Sanitizer_GraphLaunchData *data)
{
  end_failed_graph();
  graph = data->isGraphUpload                  ? GRAPH_UPLOAD
          : tracer.sampling && !call.wanted    ? GRAPH_PASSED
          : begin_recording(&graph_why)        ? GRAPH_RECORDED
                                               : GRAPH_LEFT_OUT;
  graph_stream = data->hStream;
}

static void end_graph(void)
{
  struct gc_error err = {""};

  if (graph == GRAPH_RECORDED)
    end_recording(graph_stream, &err);
  graph = NO_GRAPH;
}

static void begin_node(const Sanitizer_LaunchData *data)
{
  struct wanted wanted;

  if (graph == NO_GRAPH) { /* drivers before 510 do not announce graph launches */
    pthread_mutex_lock(&tracer.lock);
    tracer.in_graphs++;
    pthread_mutex_unlock(&tracer.lock);
  } else if (graph == GRAPH_LEFT_OUT) {
    if (is_wanted(data, &wanted))
      leave_out(&wanted, &graph_why);
    gc_launches_pass_over(NULL, data);
  } else if (graph == GRAPH_PASSED) {
    is_wanted(data, &wanted);
  } else if (graph == GRAPH_RECORDED &&
             !(is_wanted(data, &wanted) && add(data, &wanted, graph_stream))) {
    gc_launches_pass_over(&tracer.launches, data);
  }
}

/* The driver copies or sets memory. */
static void on_driver(Sanitizer_CallbackDomain domain, const void *data)
{
  const Sanitizer_MemsetData *memset = data;
  const Sanitizer_MemcpyData *copy = data;

  pthread_mutex_lock(&tracer.lock);
  if (domain == SANITIZER_CB_DOMAIN_MEMSET)
    gc_touched_by_memset(gc_contexts_touched(memset->context), memset);
  else if (domain == SANITIZER_CB_DOMAIN_MEMCPY)
    gc_touched_by_copy(gc_contexts_touched(copy->srcContext), gc_contexts_touched(copy->dstContext),
                       copy);
  pthread_mutex_unlock(&tracer.lock);
}

static void on_graph(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_GraphNodeLaunchData *node = data;

  if (id == SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN)
    begin_graph(data);
  else if (id == SANITIZER_CBID_GRAPHS_LAUNCH_END)
    end_graph();
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN &&
           node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL)
    begin_node(&node->launchData);
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN && graph != GRAPH_UPLOAD)
    on_driver(node->nodeType == CU_GRAPH_NODE_TYPE_MEMCPY   ? SANITIZER_CB_DOMAIN_MEMCPY
              : node->nodeType == CU_GRAPH_NODE_TYPE_MEMSET ? SANITIZER_CB_DOMAIN_MEMSET
                                                            : 0,
              &node->memcpyData);
}

/* The launch of a sample that is due is not recorded now. */
static bool refuse(const char *why)
{
  pthread_mutex_lock(&tracer.lock);
  if (!*tracer.not_now.text)
    gc_fail(&tracer.not_now, -EAGAIN, "%s", why);
  pthread_mutex_unlock(&tracer.lock);
  return false;
}

/* Whether recording has not cost too much. */
static bool may_cost(void)
{
  const double own_ms = gc_now_ms() - tracer.begin_ms - tracer.cost_ms;

  return tracer.cost_ms <= FREE_MS + own_ms / REST;
}

static bool can_record(void)
{
  if (tracer.captures)
    return refuse("a stream was being captured");
  return may_cost() || refuse("recording rested, so that the program ends in time");
}

/* The caller holds `tracing`. */
static void put_in(void *context)
{
  struct gc_traced_module *module;

  call.begin_ms = gc_now_ms();
  call.patched = true;
  gc_contexts_wait();
  pthread_mutex_lock(&tracer.lock);
  module = gc_modules_first();
  pthread_mutex_unlock(&tracer.lock);
  for (; module; module = module->next)
    if (module->context == context)
      gc_module_put_in(module);
}

static void take_out(void)
{
  struct gc_traced_module *module;

  gc_contexts_wait();
  pthread_mutex_lock(&tracer.lock);
  module = gc_modules_first();
  pthread_mutex_unlock(&tracer.lock);
  for (; module; module = module->next)
    gc_module_take_out(module);
  tracer.cost_ms += gc_now_ms() - call.begin_ms;
  call.patched = false;
}

static void enter_launch(enum gc_call which, const Sanitizer_CallbackData *data)
{
  uint32_t sizes[GC_KIND_SIZES];
  struct gc_error err;
  bool due;

  gc_call_sizes(which, data->functionParams, sizes);
  pthread_mutex_lock(&tracer.lock);
  call.kind = gc_kinds_find(data->symbolName, sizes, &tracer.names);
  due = call.kind && gc_kind_is_due(call.kind);
  pthread_mutex_unlock(&tracer.lock);
  if (!due)
    return;
  call.wanted = is_full(&err);
  if (call.wanted)
    return; /* it is left out when it begins */
  if (!begin_recording(&err)) {
    refuse(err.text);
    return;
  }
  call.wanted = can_record();
  if (call.wanted)
    put_in(data->context);
  else
    pthread_mutex_unlock(&tracer.tracing);
}

static void exit_launch(void)
{
  struct gc_error err;

  if (call.patched) {
    if (recorded) {
      gc_fail(&err, -ECANCELED, "the driver did not say that the launch ended");
      recorded = NULL;
      end_recording(NULL, &err);
    }
    take_out();
    pthread_mutex_unlock(&tracer.tracing);
  }
  call.kind = NULL;
  call.wanted = false;
}

/* Launches of the graph that a call is for. NULL: there is no such graph. */
static struct gc_kind *kind_of_graph(enum gc_call which, const Sanitizer_CallbackData *data)
{
  struct gc_kind *kind;

  pthread_mutex_lock(&tracer.lock);
  kind = gc_kinds_find_graph(gc_call_graph(which, data->functionParams));
  pthread_mutex_unlock(&tracer.lock);
  return kind;
}

/* `tracing` is held. */
static bool is_due(struct gc_kind *graph_kind)
{
  if (graph_kind && !graph_kind->wanted)
    refuse("a graph was changed after it was instantiated, or instantiated during a capture");
  if (graph_kind && gc_kind_is_due(graph_kind) && can_record()) {
    gc_kind_take(graph_kind);
    return true;
  }
  if (graph_kind)
    graph_kind->seen++;
  return false;
}

static void enter_other(enum gc_call which, const Sanitizer_CallbackData *data)
{
  struct gc_kind *changed;

  if (which == GC_CALL_GRAPH_LAUNCH)
    call.wanted = is_due(kind_of_graph(which, data));
  else if (which == GC_CALL_GRAPH_CHANGE && (changed = kind_of_graph(which, data)))
    changed->wanted = false;
  else if (which == GC_CALL_CAPTURE_BEGIN)
    tracer.captures++;
  if (call.wanted || (which == GC_CALL_GRAPH_INSTANTIATE && !tracer.captures))
    put_in(data->context);
}

/* A graph was instantiated. */
static void begin_kind(struct gc_kind *graph_kind)
{
  if (!graph_kind)
    return;
  graph_kind->wanted = call.patched;
  graph_kind->seen = 0;
  graph_kind->due = 1;
}

static void exit_other(enum gc_call which, const Sanitizer_CallbackData *data)
{
  const CUresult result = *(const CUresult *)data->functionReturnValue;

  if (which == GC_CALL_GRAPH_LAUNCH)
    end_failed_graph();
  else if (which == GC_CALL_GRAPH_INSTANTIATE && !result)
    begin_kind(kind_of_graph(which, data));
  else if ((which == GC_CALL_CAPTURE_BEGIN && result) ||
           (which == GC_CALL_CAPTURE_END && gc_call_ends_capture(result)))
    tracer.captures -= tracer.captures > 0;
  if (call.patched)
    take_out();
  call.wanted = false;
}

/* The program calls a function of the driver. */
static void on_call(const Sanitizer_CallbackData *data)
{
  const enum gc_call which = gc_call_of(data->functionName);
  const bool enters = data->callbackSite == SANITIZER_API_ENTER;

  if (which == GC_CALL_LAUNCH || which == GC_CALL_LAUNCH_EX) {
    if (enters)
      enter_launch(which, data);
    else
      exit_launch();
  } else if (which != GC_CALL_OTHER && enters) {
    pthread_mutex_lock(&tracer.tracing);
    enter_other(which, data);
  } else if (which != GC_CALL_OTHER) {
    exit_other(which, data);
    pthread_mutex_unlock(&tracer.tracing);
  }
}

static void on_module(const Sanitizer_ResourceModuleData *data)
{
  struct gc_traced_module *module;

  pthread_mutex_lock(&tracer.lock);
  module = gc_modules_add(data, &tracer.part);
  if (module && !tracer.sampling)
    gc_module_put_in(module);
  pthread_mutex_unlock(&tracer.lock);
  if (module && call.patched) /* the launch loads its module */
    gc_module_put_in(module);
}

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_ResourceContextData *context = data;
  const Sanitizer_ResourceModuleData *module = data;

  if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
    on_module(module);
    return;
  }
  pthread_mutex_lock(&tracer.lock);
  switch (id) {
  case SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED:
    gc_contexts_add(context, &tracer.settings, &tracer.part);
    break;
  case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
    gc_contexts_remove(context->context);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
    gc_modules_remove(module->module);
    break;
  default:
    break;
  }
  pthread_mutex_unlock(&tracer.lock);
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                     const void *data)
{
  (void)unused;
  switch (domain) {
  case SANITIZER_CB_DOMAIN_LAUNCH:
    if (id == SANITIZER_CBID_LAUNCH_BEGIN)
      begin_launch(data);
    else if (id == SANITIZER_CBID_LAUNCH_END)
      end_launch(data);
    break;
  case SANITIZER_CB_DOMAIN_GRAPHS:
    on_graph(id, data);
    break;
  case SANITIZER_CB_DOMAIN_DRIVER_API:
    on_call(data);
    break;
  case SANITIZER_CB_DOMAIN_RESOURCE:
    on_resource(id, data);
    break;
  default:
    on_driver(domain, data);
  }
}

static int start(const char *directory, struct gc_error *err)
{
  static const Sanitizer_CallbackDomain domains[] = {
      SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_MEMCPY,
      SANITIZER_CB_DOMAIN_MEMSET, SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CB_DOMAIN_DRIVER_API};
  struct gc_trace_settings *settings = &tracer.settings;
  Sanitizer_SubscriberHandle handle;
  int status = gc_part_open(&tracer.part, directory, err);

  if (!status)
    status = gc_trace_settings_read(directory, settings, err);
  if (!status)
    status = gc_wanted_compile(&tracer.names,
                               &(struct gc_wanted){*settings->kernel ? settings->kernel : NULL,
                                                   settings->first, settings->last},
                               err);
  if (!status)
    status = gc_sanitizer_load(settings->sanitizer, err);
  if (!status)
    status = GC_SANITIZER(sanitizerSubscribe, (&handle, callback, NULL), err);
  tracer.begin_ms = gc_now_ms();
  tracer.sampling = !settings->first;
  /* the last one is only for samples */
  for (size_t i = 0; i < sizeof domains / sizeof *domains - !tracer.sampling && !status; i++)
    status = GC_SANITIZER(sanitizerEnableDomain, (1, handle, domains[i]), err);
  return status;
}

/* Does nothing in a forked child, or while another thread writes. */
static void finish(void)
{
  FILE *file = tracer.part.file;

  if (tracer.part.process != (int)getpid() || pthread_mutex_trylock(&tracer.lock))
    return;
  if (!tracer.left_out)
    tracer.why = tracer.not_now;
  tracer.left_out += gc_kinds_alone();
  if (tracer.left_out)
    fprintf(file, "left-out %" PRIu64 "\nbecause %s\n", tracer.left_out, tracer.why.text);
  if (tracer.in_graphs)
    fprintf(file, "in-graphs %" PRIu64 "\n", tracer.in_graphs);
  fputs("ended\n", file);
  fflush(file);
  pthread_mutex_unlock(&tracer.lock);
}

/* A child must not write what another thread of the parent was writing. */
static void in_child(void)
{
  __fpurge(tracer.part.file);
}

/* The driver calls this when the program initializes CUDA. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
  const char *const directory = secure_getenv(GC_TRACE_ENV);
  struct gc_error err = {""};

  if (!directory || tracer.part.file)
    return 0;
  if (!start(directory, &err)) {
    pthread_atfork(NULL, NULL, in_child);
    atexit(finish);
    return 1;
  }
  if (tracer.part.file) {
    fprintf(tracer.part.file, "failed %s\n", err.text);
    fflush(tracer.part.file);
  } else {
    fprintf(stderr, "hwloc-gpucache: %s\n", err.text);
  }
  return 0;
}
