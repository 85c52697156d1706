/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/commands.h"

#include "tool/predict/picture.h"
#include "tool/predict/print.h"
#include "tool/print/messages.h"
#include "tool/process/watch.h"
#include "tool/sources/choose.h"
#include "util/clock.h"

#include <stdio.h>
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

int gc_tool_predict(const struct gc_tool *tool)
{
  struct gc_predict_job job = {
      .traces = (const char *const *)tool->words,
      .trace_count = tool->count,
      .wanted = {tool->kernel, tool->launches[0], tool->launches[1]},
      .changes = {.has_carveout = tool->carveout >= 0, .carveout = (unsigned)tool->carveout},
      .seeds = tool->seeds < 0 ? GC_PREDICT_SEEDS : (unsigned)tool->seeds,
      .threads = tool->threads,
  };
  const double begin_ms = gc_now_ms();
  struct gc_error err = {""};
  struct gc_sources sources;
  int status = check_traces(tool);

  if (status == GC_EXIT_DONE)
    status = choose_gpu(tool, &sources);
  if (status != GC_EXIT_DONE)
    return status;
  job.record = sources.array[0].record;
  if (gc_watch_start(seconds_left(tool, begin_ms), NULL, NULL, NULL, &err)) {
    gc_say(NULL, "%s", err.text);
    status = GC_EXIT_FAILED;
  } else {
    status = run(tool, &sources.array[0], &job);
    gc_watch_stop();
  }
  gc_sources_free(&sources);
  return status;
}
