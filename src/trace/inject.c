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
 */
#include "trace/api.h"
#include "trace/contexts.h"
#include "trace/launches.h"
#include "trace/settings.h"
#include "trace/memsets.h"

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

static struct {
  struct gc_trace_settings settings;
  struct gc_wanted_names names;
  pthread_mutex_t lock; /* of the following */
  struct gc_part part;
  uint64_t seen, left_out, in_graphs; /* launches */
  struct gc_error why;  /* of the first launch that was left out */
  struct gc_error full; /* why no more launches are traced; "": they are */

  pthread_mutex_t tracing;     /* of the following */
  struct gc_launches launches; /* that are recorded now */
} tracer = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
            .tracing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* Of this thread: the launch that is recorded, NULL if there is none, and the graph that is being
 * launched. */
static _Thread_local Sanitizer_LaunchHandle recorded;
static _Thread_local enum { NO_GRAPH, GRAPH_UPLOAD, GRAPH_LEFT_OUT, GRAPH_RECORDED } graph;
static _Thread_local Sanitizer_StreamHandle graph_stream;
static _Thread_local struct gc_error graph_why; /* it is left out */

static void leave_out(const struct gc_error *err)
{
  pthread_mutex_lock(&tracer.lock);
  if (!tracer.left_out++)
    tracer.why = *err;
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
static bool add(const Sanitizer_LaunchData *data, uint64_t number, Sanitizer_StreamHandle of_graph)
{
  const struct gc_traced_module *module;
  struct gc_trace_touched *touched;
  struct gc_context_memory memory;
  struct gc_error err = {""};
  int status = find(data, &memory, &module, &err);

  if (!status)
    status = gc_launches_add(&tracer.launches, &memory, module, number, tracer.settings.blocks,
                             data, of_graph, &err);
  if (status) {
    leave_out(&err);
    return false;
  }
  pthread_mutex_lock(&tracer.lock);
  touched = gc_contexts_touched(data->context);
  if (touched) {
    tracer.launches.launches[tracer.launches.count - 1].touched = *touched;
    touched->count = 0;
  }
  pthread_mutex_unlock(&tracer.lock);
  return true;
}

/* Numbers each launch. */
static bool is_wanted(const Sanitizer_LaunchData *data, uint64_t *number)
{
  pthread_mutex_lock(&tracer.lock);
  *number = ++tracer.seen;
  pthread_mutex_unlock(&tracer.lock);
  return gc_wanted_has(&tracer.names, data->functionName, *number);
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
  uint64_t number;

  if (graph != NO_GRAPH || !is_wanted(data, &number))
    return;
  if (!begin_recording(&err))
    leave_out(&err);
  else if (add(data, number, NULL))
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
      leave_out(err);
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

static void begin_graph(const Sanitizer_GraphLaunchData *data)
{
  struct gc_error err;

  if (graph == GRAPH_RECORDED) {
    gc_fail(&err, -ECANCELED, "the driver did not say that the launch of a graph ended");
    end_recording(graph_stream, &err);
  }
  graph = data->isGraphUpload           ? GRAPH_UPLOAD
          : begin_recording(&graph_why) ? GRAPH_RECORDED
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
  uint64_t number;

  if (graph == NO_GRAPH) { /* drivers before 510 do not announce graph launches */
    pthread_mutex_lock(&tracer.lock);
    tracer.in_graphs++;
    pthread_mutex_unlock(&tracer.lock);
  } else if (graph == GRAPH_LEFT_OUT) {
    if (is_wanted(data, &number))
      leave_out(&graph_why);
    gc_launches_pass_over(NULL, data);
  } else if (graph == GRAPH_RECORDED &&
             !(is_wanted(data, &number) && add(data, number, graph_stream))) {
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

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_ResourceContextData *context = data;
  const Sanitizer_ResourceModuleData *module = data;

  switch (id) {
  case SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED:
    gc_contexts_add(context, &tracer.settings, &tracer.part);
    break;
  case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
    gc_contexts_remove(context->context);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
    gc_modules_add(module, &tracer.part);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
    gc_modules_remove(module->module);
    break;
  default:
    break;
  }
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                     const void *data)
{
  (void)unused;
  if (domain == SANITIZER_CB_DOMAIN_LAUNCH) {
    if (id == SANITIZER_CBID_LAUNCH_BEGIN)
      begin_launch(data);
    else if (id == SANITIZER_CBID_LAUNCH_END)
      end_launch(data);
    return;
  }
  if (domain == SANITIZER_CB_DOMAIN_GRAPHS) {
    on_graph(id, data);
    return;
  }
  if (domain != SANITIZER_CB_DOMAIN_RESOURCE) {
    on_driver(domain, data);
    return;
  }
  pthread_mutex_lock(&tracer.lock);
  on_resource(id, data);
  pthread_mutex_unlock(&tracer.lock);
}

static int start(const char *directory, struct gc_error *err)
{
  static const Sanitizer_CallbackDomain domains[] = {
      SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_MEMCPY,
      SANITIZER_CB_DOMAIN_MEMSET, SANITIZER_CB_DOMAIN_GRAPHS};
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
  for (size_t i = 0; i < sizeof domains / sizeof *domains && !status; i++)
    status = GC_SANITIZER(sanitizerEnableDomain, (1, handle, domains[i]), err);
  return status;
}

/* Does nothing in a forked child, or while another thread writes. */
static void finish(void)
{
  FILE *file = tracer.part.file;

  if (tracer.part.process != (int)getpid() || pthread_mutex_trylock(&tracer.lock))
    return;
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
