/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/recorder.h"

#include "trace/api.h"
#include "trace/contexts.h"
#include "trace/launches.h"
#include "trace/modules.h"
#include "trace/waiting.h"

#include "util/clock.h"

#include <errno.h>

struct gc_recorder gc_recorder = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
_Thread_local struct gc_recorder_call gc_recorder_call;

/* The launches that are recorded now. */
static pthread_mutex_t tracing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* of them */
static struct gc_launches launches;

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

/* A launch that is wanted. */
struct wanted {
  uint64_t number;
  struct gc_launch_kind *kind; /* NULL: not of a sample */
  uint64_t stands;             /* for so many launches */
  bool left_in;                /* our functions may be in its kernel even if it is not recorded */
};

static void leave_out(const struct wanted *wanted, const struct gc_error *err)
{
  pthread_mutex_lock(&gc_recorder.lock);
  if (!gc_recorder.left_out++)
    gc_recorder.why = *err;
  if (wanted->kind)
    gc_launch_kind_give_back(wanted->kind, wanted->stands);
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* What the launch needs. Memory is taken without the lock, because the driver may wait for a thread
 * that waits for the lock. */
static int find(const Sanitizer_LaunchData *data, struct gc_context_memory *memory,
                const struct gc_traced_module **module, struct gc_error *err)
{
  int status;

  pthread_mutex_lock(&gc_recorder.lock);
  status = gc_contexts_find(data->context, memory, err);
  if (!status)
    status = gc_modules_find(data->module, module, err);
  pthread_mutex_unlock(&gc_recorder.lock);
  if (!status && !memory->launches) {
    status = gc_contexts_allocate(data->context, memory, err);
    pthread_mutex_lock(&gc_recorder.lock);
    if (!status)
      gc_contexts_keep(data->context, memory);
    pthread_mutex_unlock(&gc_recorder.lock);
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
    status = gc_launches_add(&launches, &memory, module, wanted->number,
                             gc_recorder.settings.blocks, data, of_graph, &err);
  if (status) {
    leave_out(wanted, &err);
    return false;
  }
  launch = &launches.launches[launches.count - 1];
  launch->kind = wanted->kind;
  launch->stands = wanted->stands;
  pthread_mutex_lock(&gc_recorder.lock);
  touched = gc_contexts_touched(data->context);
  if (touched) {
    launch->touched = *touched;
    touched->count = 0;
  }
  pthread_mutex_unlock(&gc_recorder.lock);
  return true;
}

static struct gc_launch_kind *kind_of(const Sanitizer_LaunchData *data)
{
  const uint32_t sizes[GC_LAUNCH_SIZES] = {data->gridDim_x,  data->gridDim_y,  data->gridDim_z,
                                           data->blockDim_x, data->blockDim_y, data->blockDim_z};

  return gc_recorder_call.kind
             ? gc_recorder_call.kind
             : gc_launch_kinds_find(data->functionName, sizes, &gc_recorder.names);
}

static void pass(struct gc_launch_kind *kind)
{
  gc_launch_kind_pass(kind, &gc_recorder.part);
  if (kind->alone && !gc_recorder.why_alone)
    gc_recorder.why_alone = gc_recorder_call.refused;
}

/* Numbers each launch, and counts it in its kind. */
static bool is_wanted(const Sanitizer_LaunchData *data, struct wanted *wanted)
{
  struct gc_launch_kind *kind;
  bool is = false;

  pthread_mutex_lock(&gc_recorder.lock);
  *wanted = (struct wanted){.number = ++gc_recorder.seen, .left_in = gc_recorder.left_in};
  if (!gc_recorder.sampling) {
    is = gc_wanted_has(&gc_recorder.names, data->functionName, wanted->number);
  } else {
    kind = kind_of(data);
    is = kind && gc_recorder_call.wanted && gc_launch_kind_is_due(kind);
    wanted->kind = kind;
    if (is)
      wanted->stands = gc_launch_kind_take(kind);
    else if (kind)
      pass(kind);
  }
  pthread_mutex_unlock(&gc_recorder.lock);
  return is;
}

bool gc_recorder_is_full(struct gc_error *err)
{
  pthread_mutex_lock(&gc_recorder.lock);
  *err = gc_recorder.full;
  pthread_mutex_unlock(&gc_recorder.lock);
  return *err->text;
}

/* From now on, this thread records. It does not, and err says why, if no more launches are traced,
 * or if another thread records for too long. */
static bool begin_recording(struct gc_error *err)
{
  if (gc_recorder_is_full(err))
    return false;
  if (recorded || !gc_wait_for_mutex(&tracing)) {
    gc_fail(err, -EBUSY, "another launch was being recorded");
    return false;
  }
  if (!gc_recorder_is_full(err))
    return true;
  pthread_mutex_unlock(&tracing);
  return false;
}

void gc_recorder_begin_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err;
  struct wanted wanted;

  if (graph != NO_GRAPH)
    return;
  if (!is_wanted(data, &wanted)) {
    if (wanted.left_in || gc_recorder_call.patched)
      gc_launches_pass_over(NULL, data);
    return;
  }
  if (!begin_recording(&err))
    leave_out(&wanted, &err);
  else if (add(data, &wanted, NULL))
    recorded = data->hLaunch;
  else {
    gc_launches_pass_over(NULL, data);
    pthread_mutex_unlock(&tracing);
  }
}

/* Waits for the launches, and writes them. */
static int write_launches(Sanitizer_StreamHandle stream, struct gc_error *err)
{
  const double begin_ms = gc_now_ms();
  struct gc_wait_message message;
  double kernel_ms;
  int status;

  gc_wait_begin(&message);
  status = GC_SANITIZER(sanitizerStreamSynchronize, (stream), err);
  gc_wait_end(&message);
  kernel_ms = gc_now_ms() - begin_ms;
  if (!status)
    status = gc_launches_fetch(&launches, stream, err);
  if (status)
    return status;
  pthread_mutex_lock(&gc_recorder.lock);
  status = gc_launches_write(&launches, kernel_ms, gc_recorder.part.file, err);
  status = gc_part_end_launch(&gc_recorder.part, status, err);
  for (size_t i = 0; i < launches.count && !status; i++)
    if (launches.launches[i].kind)
      gc_launch_kind_recorded(launches.launches[i].kind, launches.launches[i].stands,
                              launches.launches[i].stands_at, &gc_recorder.part);
  if (status == -EIO)
    gc_recorder.full = *err;
  else if ((uint64_t)gc_recorder.part.good - GC_PART_END > gc_recorder.settings.limit)
    gc_fail(&gc_recorder.full, 0, "the trace of this process has reached --limit");
  pthread_mutex_unlock(&gc_recorder.lock);
  return status;
}

/* err: why the launches are left out, or "". */
static void end_recording(Sanitizer_StreamHandle stream, struct gc_error *err)
{
  if (launches.count && (*err->text || write_launches(stream, err)))
    for (size_t i = 0; i < launches.count; i++)
      leave_out(&(struct wanted){.kind = launches.launches[i].kind,
                                 .stands = launches.launches[i].stands},
                err);
  gc_launches_forget(&launches);
  pthread_mutex_unlock(&tracing);
}

void gc_recorder_end_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err = {""};

  if (!recorded || recorded != data->hLaunch)
    return;
  recorded = NULL;
  end_recording(data->hStream, &err);
}

void gc_recorder_end_failed(void)
{
  struct gc_error err;

  if (recorded || graph == GRAPH_RECORDED) {
    gc_fail(&err, -ECANCELED, "the driver did not say that the launch of a %s ended",
            recorded ? "kernel" : "graph");
    end_recording(graph_stream, &err);
  }
  recorded = NULL;
  graph = NO_GRAPH;
}

void gc_recorder_begin_graph(const Sanitizer_GraphLaunchData *data)
{
  graph = data->isGraphUpload                                ? GRAPH_UPLOAD
          : gc_recorder.sampling && !gc_recorder_call.wanted ? GRAPH_PASSED
          : begin_recording(&graph_why)                      ? GRAPH_RECORDED
                                                             : GRAPH_LEFT_OUT;
  graph_stream = data->hStream;
}

void gc_recorder_end_graph(void)
{
  struct gc_error err = {""};

  if (graph == GRAPH_RECORDED)
    end_recording(graph_stream, &err);
  graph = NO_GRAPH;
}

void gc_recorder_begin_node(const Sanitizer_LaunchData *data)
{
  struct wanted wanted;

  if (graph == NO_GRAPH) { /* drivers before 510 do not announce graph launches */
    pthread_mutex_lock(&gc_recorder.lock);
    gc_recorder.in_graphs++;
    pthread_mutex_unlock(&gc_recorder.lock);
    if (gc_recorder_call.patched)
      gc_launches_pass_over(NULL, data);
  } else if (graph == GRAPH_LEFT_OUT) {
    if (is_wanted(data, &wanted))
      leave_out(&wanted, &graph_why);
    gc_launches_pass_over(NULL, data);
  } else if (graph == GRAPH_PASSED) {
    is_wanted(data, &wanted);
    if (wanted.left_in || gc_recorder_call.patched)
      gc_launches_pass_over(NULL, data);
  } else if (graph == GRAPH_RECORDED &&
             !(is_wanted(data, &wanted) && add(data, &wanted, graph_stream))) {
    gc_launches_pass_over(&launches, data);
  }
}

bool gc_recorder_uploads(void)
{
  return graph == GRAPH_UPLOAD;
}
