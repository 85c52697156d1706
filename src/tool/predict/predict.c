/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/commands.h"

#include "tool/predict/picture.h"
#include "tool/predict/print.h"
#include "tool/print/messages.h"
#include "tool/process/watch.h"
#include "tool/sources/choose.h"
#include "tool/trace/record.h"
#include "util/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --record, --gpu, the only simulated GPU or the only GPU of this machine. */
static int choose_gpu(const struct gc_tool *tool, struct gc_sources *sources)
{
  char *word = (char *)(tool->record ? tool->record : tool->gpu);
  struct gc_tool chosen = *tool;
  int status;

  if (tool->record && access(tool->record, R_OK)) {
    gc_say(NULL, "cannot read %s: %m", tool->record);
    return GC_EXIT_FAILED;
  }
  chosen.words = &word;
  chosen.count = word ? 1 : 0;
  status = gc_choose_one(&chosen, "predict needs one GPU", sources);
  if (status == GC_EXIT_NO_GPU && !tool->record && !tool->sims)
    gc_say(NULL, "predict needs no GPU with --record FILE; \"export\" writes that file where the "
                 "GPU is");
  return status;
}

/* A trace that cannot be opened is noticed before a GPU is measured. */
static int check_traces(const struct gc_tool *tool)
{
  for (size_t i = 0; i < tool->count; i++) {
    struct gc_error err = {""};
    struct gc_trace *trace;

    if (gc_trace_open(tool->words[i], &trace, &err)) {
      gc_say(NULL, "%s", err.text);
      return GC_EXIT_FAILED;
    }
    gc_trace_close(trace);
  }
  return GC_EXIT_DONE;
}

static int sweep(const struct gc_tool *tool, const struct gc_source *source,
                 const struct gc_predict_job *job)
{
  struct gc_error err = {""};
  struct gc_sweep sweep;
  int status = gc_sweep_plan(&sweep, tool->sweep, job, &err);

  if (!status)
    status = gc_sweep_run(&sweep, job, &err);
  if (status) {
    gc_say(NULL, "%s", err.text);
    status = GC_EXIT_FAILED;
  } else {
    status = tool->json ? gc_predict_print_json(source, NULL, &sweep)
                        : gc_predict_print_sweep(source, &sweep);
    status = gc_worse(status, gc_predict_name_left_out(gc_sweep_any(&sweep)));
  }
  gc_sweep_free(&sweep);
  return status;
}

static int predict(const struct gc_tool *tool, const struct gc_source *source,
                   const struct gc_predict_job *job)
{
  struct gc_error err = {""};
  struct gc_prediction *prediction;
  int status;

  if (gc_predict_traces(job, &prediction, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = tool->json ? gc_predict_print_json(source, prediction, NULL)
                      : gc_predict_print(source, prediction);
  status = gc_worse(status, gc_predict_name_left_out(prediction));
  gc_prediction_free(prediction);
  return status;
}

static int run(const struct gc_tool *tool, const struct gc_source *source,
               const struct gc_predict_job *job)
{
  if (tool->plot)
    return gc_predict_draw(tool, source, job);
  return tool->sweep ? sweep(tool, source, job) : predict(tool, source, job);
}

/* The seconds of --timeout that remain after choosing, and perhaps measuring, the GPU; 0: no limit.
 */
static double seconds_left(const struct gc_tool *tool, double begin_ms)
{
  const double passed = (gc_now_ms() - begin_ms) / 1e3;

  if (!(tool->timeout > 0) || passed < 0.1)
    return tool->timeout;
  return tool->timeout > passed ? tool->timeout - passed : 1e-3;
}

/* At the end of this process, if a signal or the deadline is the reason. */
static void remove_file(void *path)
{
  if (path)
    unlink(path);
}

/* temporary: a trace that does not stay; or NULL. */
static int predict_on(const struct gc_tool *tool, const struct gc_source *source, double seconds,
                      char *temporary)
{
  struct gc_predict_job job = {
      .record = source->record,
      .traces = (const char *const *)tool->words,
      .trace_count = tool->count,
      .wanted = {tool->kernel, tool->launches[0], tool->launches[1]},
      .changes = {.has_carveout = tool->carveout >= 0, .carveout = (unsigned)tool->carveout},
      .seeds = tool->seeds < 0 ? GC_PREDICT_SEEDS : (unsigned)tool->seeds,
      .threads = tool->threads,
  };
  struct gc_error err = {""};
  int status;

  if (gc_watch_start(seconds, NULL, remove_file, temporary, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = run(tool, source, &job);
  gc_watch_stop();
  return status;
}

/* Runs the program, and predicts from the trace of it, which is a temporary file. */
static int predict_program(const struct gc_tool *tool, const struct gc_source *source)
{
  struct gc_tool traced = *tool;
  char path[PATH_MAX], *word = path;
  int ended, status, file;

  snprintf(path, sizeof path, "%s/hwloc-gpucache-XXXXXX", gc_temporary());
  file = mkostemp(path, O_CLOEXEC);
  if (file < 0) {
    gc_say(NULL, "cannot make the temporary file %s: %m", path);
    return GC_EXIT_FAILED;
  }
  close(file);
  status =
      gc_record_trace(tool, &(struct gc_recorded){tool->program, path, true, tool->times}, &ended);
  /* The trace has only what is wanted, with other numbers. */
  traced.words = &word;
  traced.count = 1;
  traced.kernel = NULL;
  memset(traced.launches, 0, sizeof traced.launches);
  if (status == GC_EXIT_DONE)
    status = predict_on(&traced, source, tool->timeout, path);
  unlink(path);
  if (ended && ended != 126 && ended != 127) /* these have a message */
    gc_say(NULL, "%s ended with status %d", tool->program[0], ended);
  return ended ? gc_worse(status, GC_EXIT_FAILED) : status;
}

int gc_tool_predict(const struct gc_tool *tool)
{
  const double begin_ms = gc_now_ms();
  struct gc_sources sources;
  int status = tool->program ? GC_EXIT_DONE : check_traces(tool);

  if (status == GC_EXIT_DONE)
    status = choose_gpu(tool, &sources);
  if (status != GC_EXIT_DONE)
    return status;
  status = tool->program ? predict_program(tool, sources.array)
                         : predict_on(tool, sources.array, seconds_left(tool, begin_ms), NULL);
  gc_sources_free(&sources);
  return status;
}
