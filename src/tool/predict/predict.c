/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/commands.h"

#include "tool/page/place.h"
#include "tool/predict/chosen.h"
#include "tool/predict/hit_curve.h"
#include "tool/predict/picture.h"
#include "tool/predict/predicted_page.h"
#include "tool/predict/print.h"
#include "tool/print/messages.h"
#include "tool/process/watch.h"
#include "tool/trace/record.h"
#include "util/clock.h"
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
  struct stat status;

  return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* A trace that cannot be opened is noticed before a GPU is measured. */
static int check_traces(const struct gc_tool *tool)
{
  for (size_t i = 0; i < tool->count; i++) {
    struct gc_error err = {""};
    struct gc_trace *trace;

    if (gc_trace_open(tool->words[i], &trace, &err)) {
      gc_say(NULL, "%s", err.text);
      if (is_executable(tool->words[i]))
        gc_say(NULL, "to record a program, write -- before it: hwloc-gpucache predict -- %s",
               tool->words[i]);
      return GC_EXIT_FAILED;
    }
    gc_trace_close(trace);
  }
  return GC_EXIT_DONE;
}

/* That the page cannot be written is noticed before a program runs. */
static int check_page(const char *html)
{
  struct gc_page_place place;
  struct gc_error err = {""};

  if (!html)
    return GC_EXIT_DONE;
  if (gc_page_place_open(html, &place, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  gc_page_place_close(&place);
  return GC_EXIT_DONE;
}

/* Whether a failure is one of the traces, so that it is the same for all GPUs. */
static bool is_of_traces(const struct gc_record *record, int status)
{
  struct gc_parameters parameters;
  struct gc_error ignored;

  return status != -ERANGE && !gc_parameters_read(&parameters, record, &ignored);
}

static bool has_as_many(const struct gc_prediction *prediction, size_t *kernels)
{
  if (!prediction)
    return true;
  if (*kernels == SIZE_MAX)
    *kernels = prediction->count;
  return prediction->count == *kernels;
}

/* Each GPU, and each point of a sweep, reads the traces anew. *kernels: those of the first one. */
static int check_unchanged(const struct gc_predicted *made, size_t *kernels, struct gc_error *err)
{
  bool same = has_as_many(made->prediction, kernels);

  for (size_t i = 0; i < made->sweep.count; i++)
    same &= has_as_many(made->sweep.points[i].prediction, kernels);
  return same ? 0 : gc_fail(err, -EAGAIN, "a trace changed while it was read");
}

/* The curve of the page keeps reuse distances only of the kernels that the page shows, so that
 * memory does not grow by a histogram for each kernel. */
static int run_curve(const struct gc_predict_job *job, struct gc_predicted *made,
                     struct gc_error *err)
{
  bool *const shown = gc_predicted_page_shows(made->prediction);
  struct gc_predict_job curve = *job;
  int status;

  if (!shown)
    return gc_fail(err, -ENOMEM, "out of memory");
  curve.histogram_of = shown;
  curve.histograms = made->prediction->count;
  status = gc_curve_run(&made->sweep, &curve, err);
  free(shown);
  return status;
}

/* What all GPUs have in common. */
struct common {
  bool said;      /* what is wrong with the traces */
  size_t kernels; /* SIZE_MAX: not known yet */
};

/* Predicts for one GPU. If the traces are at fault, only the first GPU prints the message. */
static int predict_one(const struct gc_tool *tool, struct gc_predict_job *job,
                       struct gc_predicted *made, struct common *common)
{
  struct gc_error *err = &made->why;
  bool of_traces = false;
  int status = 0;

  job->record = made->source->record;
  if (tool->sweep)
    status = gc_sweep_plan(&made->sweep, tool->sweep, job, err);
  if (!status) {
    status = tool->sweep ? gc_sweep_run(&made->sweep, job, err)
                         : gc_predict_traces(job, &made->prediction, err);
    of_traces = status && is_of_traces(job->record, status);
  }
  if (!status && tool->html && gc_curve_exists(made->prediction))
    status = run_curve(job, made, err);
  if (!status)
    status = check_unchanged(made, &common->kernels, err);
  made->failed = status;
  if (status && !(of_traces && common->said))
    gc_say(made->several && !of_traces ? made->source->name : NULL, "%s", err->text);
  common->said |= of_traces;
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static int write_page(const struct gc_tool *tool, const struct gc_predicted *made, size_t count)
{
  struct gc_page_place place;
  struct gc_error err = {""};
  char *page = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&page, &size);
  int status = out ? gc_predicted_page(out, tool->command, made, count, &err) : -ENOMEM;

  if (!out || (!gc_file_close(out) && !status))
    status = gc_fail(&err, -ENOMEM, "out of memory");
  if (!status && !(status = gc_page_place_open(tool->html, &place, &err))) {
    status = gc_page_place_put(&place, tool->html + place.folder, page, size, &err);
    gc_page_place_close(&place);
  }
  free(page);
  if (status)
    gc_say(NULL, "%s", err.text);
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

/* Names the kernels without a prediction. */
static int name_absent(const struct gc_predicted *made, size_t count)
{
  int status = GC_EXIT_DONE;
  bool first = true;

  for (size_t i = 0; i < count; i++) {
    if (made[i].failed)
      continue;
    if (first)
      status = gc_predict_name_left_out(gc_predicted_any(&made[i]));
    status = gc_worse(status, gc_predict_name_cannot_run(gc_predicted_any(&made[i]),
                                                         count > 1 ? made[i].source->name : NULL));
    first = false;
  }
  return status;
}

static int print(const struct gc_tool *tool, const struct gc_predicted *made, size_t count)
{
  size_t failed = 0;

  while (failed < count && made[failed].failed)
    failed++;
  if (failed == count)
    return GC_EXIT_FAILED;
  return gc_worse(tool->html    ? write_page(tool, made, count)
                  : tool->json  ? gc_predict_print_json(made, count)
                  : tool->sweep ? gc_predict_print_sweeps(made, count)
                                : gc_predict_print(made, count),
                  name_absent(made, count));
}

static int predict(const struct gc_tool *tool, const struct gc_sources *sources,
                   struct gc_predict_job *job)
{
  struct gc_predicted *made = calloc(sources->count, sizeof *made);
  struct common common = {false, SIZE_MAX};
  int status = GC_EXIT_DONE;

  if (!made)
    return gc_no_memory();
  for (size_t i = 0; i < sources->count; i++) {
    made[i].source = &sources->array[i];
    made[i].several = sources->count > 1;
    status = gc_worse(status, predict_one(tool, job, &made[i], &common));
  }
  status = gc_worse(status, print(tool, made, sources->count));
  for (size_t i = 0; i < sources->count; i++) {
    gc_prediction_free(made[i].prediction);
    gc_sweep_free(&made[i].sweep);
  }
  free(made);
  return status;
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
static int predict_on(const struct gc_tool *tool, const struct gc_sources *sources, double seconds,
                      char *temporary)
{
  struct gc_predict_job job = {
      .traces = (const char *const *)tool->words,
      .trace_count = tool->count,
      .wanted = {tool->kernel, tool->launches[0], tool->launches[1]},
      .changes = {.has_carveout = tool->carveout >= 0, .carveout = (unsigned)tool->carveout},
      .seeds = tool->seeds < 0 ? GC_PREDICT_SEEDS : (unsigned)tool->seeds,
      .threads = tool->threads,
      .sms = tool->sms,
      .remedies = !tool->sweep && !tool->plot,
      .distances = tool->reuse,
  };
  struct gc_error err = {""};
  int status;

  if (gc_watch_start(seconds, NULL, remove_file, temporary, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = tool->plot ? gc_predict_draw(tool, sources->array, &job) : predict(tool, sources, &job);
  gc_watch_stop();
  return status;
}

/* Runs the program, and predicts from the trace of it, which is a temporary file. */
static int predict_by_file(const struct gc_tool *tool, const struct gc_sources *sources)
{
  struct gc_tool traced = *tool;
  char path[PATH_MAX], *word = path;
  struct gc_ended ended;
  int status, file;

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
    status = predict_on(&traced, sources, tool->timeout, path);
  unlink(path);
  if (ended.signal)
    gc_say(NULL, "%s was ended by signal %d (%s)", tool->program[0], ended.signal,
           strsignal(ended.signal));
  else if (ended.started && ended.status) /* if it was not started, there is a message */
    gc_say(NULL, "%s ended with status %d", tool->program[0], ended.status);
  return ended.status ? gc_worse(status, GC_EXIT_FAILED) : status;
}

static int predict_program(const struct gc_tool *tool, const struct gc_sources *sources)
{
  sigset_t before;
  int status;

  gc_watch_hold_pipe(&before); /* so that the file does not stay */
  status = predict_by_file(tool, sources);
  pthread_sigmask(SIG_SETMASK, &before, NULL); /* a pending signal ends the process now */
  return status;
}

int gc_tool_predict(const struct gc_tool *tool)
{
  const double begin_ms = gc_now_ms();
  struct gc_sources sources;
  int status = tool->program ? GC_EXIT_DONE : check_traces(tool);

  if (status == GC_EXIT_DONE)
    status = check_page(tool->html);
  if (status == GC_EXIT_DONE)
    status = gc_predict_choose(tool, &sources);
  if (status != GC_EXIT_DONE)
    return status;
  if (tool->plot && sources.count > 1) {
    gc_say(NULL, "--plot draws for one GPU, not for %zu", sources.count);
    status = GC_EXIT_USAGE;
  } else {
    status = tool->program ? predict_program(tool, &sources)
                           : predict_on(tool, &sources, seconds_left(tool, begin_ms), NULL);
  }
  gc_sources_free(&sources);
  return status;
}
