/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tool/predict/picture.h"

#include "tool/commands.h"
#include "tool/plot/raw_data.h"
#include "tool/predict/hit_curve.h"
#include "tool/predict/print.h"
#include "tool/print/messages.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the names of the files, after the GPU. */
#define PREDICTED "-predict-"

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
  const size_t length = strlen(gpu);
  struct dirent **entries = NULL;
  const int count = scandirat(dir, ".", &entries, is_predicted, alphasort);

  for (int i = 0; i < count; i++) {
    char *name = entries[i]->d_name, *suffix = strrchr(name, '.');
    struct gc_error ignored = {""};

    if (!strncmp(name, gpu, length) && !strncmp(name + length, PREDICTED, strlen(PREDICTED)) &&
        !gc_file_is_own(dir, name, mark, false, &ignored)) {
      unlinkat(dir, name, 0);
      strcpy(suffix, ".svg"); /* as long as ".tsv" */
      unlinkat(dir, name, 0);
    }
    free(entries[i]);
  }
  free(entries);
}

/* suffix: of the name of the file, behind the number of the kernel. */
static int write_file(int dir, const struct gc_source *source, const struct gc_sweep *sweep,
                      size_t kernel, const char *suffix, gc_curve_function *make,
                      struct gc_error *err)
{
  char name[80], *text = NULL;
  size_t length;
  int status;

  snprintf(name, sizeof name, "%s" PREDICTED "%" PRIu64 "%s" GC_PLOT_SUFFIX, source->gpu,
           sweep->points[0].prediction->kernels[kernel].launch.number, suffix);
  status = gc_file_is_own(dir, name, mark, false, err);
  if (status)
    return status;
  status = make(source, sweep, kernel, &text, &length, err);
  if (!status)
    status = gc_file_put(dir, name, text, length, err);
  free(text);
  return status;
}

static int write_kernel(int dir, const struct gc_source *source, const struct gc_sweep *sweep,
                        size_t kernel, struct gc_error *err)
{
  const struct gc_kernel_prediction *first = &sweep->points[0].prediction->kernels[kernel];
  int status;

  if (first->cannot_run)
    return 0; /* there is a message */
  if (!first->counts.l1_loads.accesses) {
    gc_say(NULL, "kernel %" PRIu64 " has no loads in L1, so there is nothing to draw",
           first->launch.number);
    return 0;
  }
  status = write_file(dir, source, sweep, kernel, "", gc_curve_text, err);
  return status ? status
                : write_file(dir, source, sweep, kernel, "-reuse", gc_curve_distances, err);
}

static int write_all(int dir, const struct gc_source *source, const struct gc_predict_job *job,
                     int *exit_code, struct gc_error *err)
{
  struct gc_sweep sweep;
  int status = gc_curve_run(&sweep, job, err);

  if (!status && !gc_curve_exists(sweep.points[0].prediction))
    status = gc_fail(err, -ENODATA, "no kernel has loads in L1, so there is nothing to draw");
  if (!status)
    remove_earlier(dir, source->gpu);
  for (size_t i = 0; !status && i < sweep.points[0].prediction->count; i++)
    status = write_kernel(dir, source, &sweep, i, err);
  if (!status)
    *exit_code = gc_worse(gc_predict_name_left_out(sweep.points[0].prediction),
                          gc_predict_name_cannot_run(sweep.points[0].prediction, NULL));
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

  curve.record = source->record;
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
