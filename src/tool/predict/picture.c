/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "config.h"

#include "tool/predict/picture.h"

#include "tool/commands.h"
#include "tool/plot/raw_data.h"
#include "tool/predict/print.h"
#include "tool/predict/sweep.h"
#include "tool/print/messages.h"
#include "util/clock.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* In the names of the files, after the GPU. */
#define PREDICTED "-predict-"

static const char first_line[] = "# " PACKAGE_NAME " " PACKAGE_VERSION " raw data\n";

/* Only files that begin so are replaced: this command wrote them. */
static const char mark[] = "# " PACKAGE_NAME " ";

/* For scandir. */
static int is_predicted(const struct dirent *entry)
{
  return strstr(entry->d_name, PREDICTED) && gc_plot_is_data(entry);
}

/* Removes what an earlier prediction for a GPU of this name has drawn: plot draws all of a
 * directory. */
static void remove_earlier(int dir, const char *gpu)
{
  struct dirent **entries = NULL;
  const int count = scandirat(dir, ".", &entries, is_predicted, alphasort);

  for (int i = 0; i < count; i++) {
    char *name = entries[i]->d_name, *suffix = strrchr(name, '.');
    struct gc_error ignored = {""};

    if (!strncmp(name, gpu, strlen(gpu)) && !gc_file_is_own(dir, name, mark, false, &ignored)) {
      unlinkat(dir, name, 0);
      strcpy(suffix, ".svg"); /* as long as ".tsv" */
      unlinkat(dir, name, 0);
    }
    free(entries[i]);
  }
  free(entries);
}

static void write_heading(FILE *file, const struct gc_source *source,
                          const struct gc_trace_launch *launch)
{
  const struct gc_element *l1 = gc_record_find(source->record, GC_L1);
  const char *carveouts = l1 ? gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE) : NULL;
  char date[GC_DATE];

  gc_date_write(time(NULL), date);
  fputs(first_line, file);
  fprintf(file, "# form: rates\n# gpu: %s\n# id: %s\n# model: %s\n# element: %s\n# property: %s\n",
          source->gpu, source->record->identity.id, source->record->identity.model,
          launch->name[0] ? launch->name : "kernel", "");
  if (carveouts)
    fprintf(file, "# CarveoutTable: %s\n", carveouts);
  fprintf(file, "# date: %s\nbytes\tL1\tL2\tLRU stack\n", date);
}

/* The hit rate of a fully associative LRU cache, if loads took no time. */
static double stack_rate(const struct gc_reuse_histogram *stack, uint64_t lines)
{
  return gc_reuse_histogram_hits(stack, lines) / (double)gc_reuse_histogram_accesses(stack);
}

/* The reuse distances do not depend on the capacity; those of the first point are used. */
static void write_rows(FILE *file, const struct gc_sweep *sweep, size_t kernel)
{
  const struct gc_kernel_prediction *first = &sweep->points[0].prediction->kernels[kernel];
  const struct gc_reuse_histogram *stack = first->reuse;
  const uint32_t line = first->gpu.l1_line_bytes;

  for (size_t i = 0; i < sweep->count; i++) {
    const struct gc_kernel_prediction *predicted;

    if (!sweep->points[i].prediction)
      continue;
    predicted = &sweep->points[i].prediction->kernels[kernel];
    fprintf(file, "%" PRIu64, predicted->gpu.l1_bytes);
    for (int rate = 0; rate < GC_RATE_COUNT; rate++)
      fprintf(file, "\t%.6g", 100 * predicted->rates[rate].value);
    fprintf(file, "\t%.6g\n", 100 * stack_rate(stack, predicted->gpu.l1_bytes / line));
  }
}

static int write_kernel(int dir, const struct gc_source *source, const struct gc_sweep *sweep,
                        size_t kernel, struct gc_error *err)
{
  const struct gc_kernel_prediction *first = &sweep->points[0].prediction->kernels[kernel];
  const struct gc_trace_launch *launch = &first->launch;
  char name[64], *text = NULL;
  size_t length;
  FILE *file;
  int status;

  snprintf(name, sizeof name, "%s" PREDICTED "%zu" GC_PLOT_SUFFIX, source->gpu, kernel + 1);
  if (!first->counts.l1_loads.accesses) {
    gc_say(NULL, "kernel %zu has no loads in L1, so there is nothing to draw", kernel + 1);
    return 0;
  }
  status = gc_file_is_own(dir, name, mark, false, err);
  if (status)
    return status;
  file = open_memstream(&text, &length);
  if (!file)
    return gc_fail(err, -ENOMEM, "out of memory");
  write_heading(file, source, launch);
  write_rows(file, sweep, kernel);
  status = !gc_file_close(file) ? gc_fail(err, -ENOMEM, "out of memory")
                                : gc_file_put(dir, name, text, length, err);
  free(text);
  return status;
}

/* All capacities of a curve make a GPU, so every point has a prediction. */
static int write_all(int dir, const struct gc_source *source, const struct gc_predict_job *job,
                     int *exit_code, struct gc_error *err)
{
  struct gc_sweep sweep;
  int status = gc_sweep_plan_curve(&sweep, job, err);

  if (!status)
    status = gc_sweep_run(&sweep, job, err);
  for (size_t i = 0; i < sweep.count && !status; i++)
    if (!sweep.points[i].prediction)
      status = gc_fail(err, -ERANGE, "%s: %s", sweep.points[i].label, sweep.points[i].why.text);
  if (!status)
    remove_earlier(dir, source->gpu);
  for (size_t i = 0; !status && i < sweep.points[0].prediction->count; i++)
    status = write_kernel(dir, source, &sweep, i, err);
  if (!status)
    *exit_code = gc_predict_name_left_out(sweep.points[0].prediction);
  gc_sweep_free(&sweep);
  return status;
}

int gc_predict_draw(const struct gc_tool *tool, const struct gc_source *source,
                    const struct gc_predict_job *job)
{
  struct gc_predict_job curve = *job;
  struct gc_tool drawing = *tool;
  char *dir_name = (char *)tool->plot;
  struct gc_error err = {""};
  int exit_code;
  bool made = false;
  const int dir = gc_file_dir(tool->plot, &made, &err);

  curve.seeds = 0; /* the picture shows the values of the record only */
  if (dir < 0 || write_all(dir, source, &curve, &exit_code, &err)) {
    gc_say(NULL, "%s", err.text);
    if (dir >= 0)
      close(dir);
    if (made)
      gc_file_remove_dir(tool->plot);
    return GC_EXIT_FAILED;
  }
  close(dir);
  drawing.words = &dir_name;
  drawing.count = 1;
  return gc_worse(exit_code, gc_tool_plot(&drawing));
}
