/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "config.h"

#include "tool/predict/hit_curve.h"

#include "predict/demangle.h"
#include "util/clock.h"
#include "util/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static const char first_line[] = "# " PACKAGE_NAME " " PACKAGE_VERSION " raw data\n";

static void write_heading(FILE *file, const struct gc_source *source,
                          const struct gc_trace_launch *launch, const char *form,
                          const char *property)
{
  const struct gc_element *l1 = gc_record_find(source->record, GC_L1);
  const char *carveouts = l1 ? gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE) : NULL;
  char date[GC_DATE], name[200];

  gc_demangle(launch->name, name, sizeof name);
  gc_make_printable(name); /* a heading is one line */
  gc_date_write(time(NULL), date);
  fputs(first_line, file);
  fprintf(file, "# form: %s\n# gpu: %s\n# id: %s\n# model: %s\n# element: %s\n# property: %s\n",
          form, source->gpu, source->record->identity.id, source->record->identity.model,
          *name ? name : "kernel", property);
  if (carveouts)
    fprintf(file, "# CarveoutTable: %s\n", carveouts);
  fprintf(file, "# date: %s\n", date);
}

/* The hit rate of lines, not sectors, in a fully associative LRU cache, if loads took no time. */
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

bool gc_curve_exists(const struct gc_prediction *prediction)
{
  for (size_t i = 0; i < prediction->count; i++)
    if (prediction->kernels[i].counts.l1_loads.accesses)
      return true;
  return false;
}

/* All capacities of a curve make a GPU. */
int gc_curve_run(struct gc_sweep *sweep, const struct gc_predict_job *job, struct gc_error *err)
{
  struct gc_predict_job curve = *job;
  int status;

  curve.seeds = 0;
  curve.remedies = curve.distances = false;
  curve.no_loads = true;
  status = gc_sweep_plan_curve(sweep, &curve, err);
  if (!status)
    status = gc_sweep_run(sweep, &curve, err);
  for (size_t i = 0; i < sweep->count && !status; i++)
    if (!sweep->points[i].prediction)
      status = gc_fail(err, -ERANGE, "%s: %s", sweep->points[i].label, sweep->points[i].why.text);
  return status;
}

static void write_curve(FILE *file, const struct gc_source *source, const struct gc_sweep *sweep,
                        size_t kernel)
{
  write_heading(file, source, &sweep->points[0].prediction->kernels[kernel].launch, "rates",
                "hit rates");
  fputs("bytes\tL1, sectors\tL2, sectors\tLRU stack, lines\n", file);
  write_rows(file, sweep, kernel);
}

static void write_distances(FILE *file, const struct gc_source *source,
                            const struct gc_sweep *sweep, size_t kernel)
{
  const struct gc_kernel_prediction *first = &sweep->points[0].prediction->kernels[kernel];
  const struct gc_reuse_bins *bins = &first->distances;

  write_heading(file, source, &first->launch, "distances", "reuse distances");
  fprintf(file, "# line: %" PRIu32 "\nfrom\tto\tloads\n", first->gpu.l1_line_bytes);
  for (unsigned i = 0; i < gc_reuse_bins_used(bins); i++)
    fprintf(file, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", gc_reuse_bin_low(i),
            gc_reuse_bin_high(i), bins->loads[i]);
  fprintf(file, "none\tnone\t%" PRIu64 "\n", bins->first);
}

static int write_text(void (*write)(FILE *, const struct gc_source *, const struct gc_sweep *,
                                    size_t),
                      const struct gc_source *source, const struct gc_sweep *sweep, size_t kernel,
                      char **text, size_t *length, struct gc_error *err)
{
  FILE *file;

  *text = NULL;
  file = open_memstream(text, length);
  if (!file)
    return gc_fail(err, -ENOMEM, "out of memory");
  write(file, source, sweep, kernel);
  return gc_file_close(file) ? 0 : gc_fail(err, -ENOMEM, "out of memory");
}

int gc_curve_text(const struct gc_source *source, const struct gc_sweep *sweep, size_t kernel,
                  char **text, size_t *length, struct gc_error *err)
{
  return write_text(write_curve, source, sweep, kernel, text, length, err);
}

int gc_curve_distances(const struct gc_source *source, const struct gc_sweep *sweep, size_t kernel,
                       char **text, size_t *length, struct gc_error *err)
{
  return write_text(write_distances, source, sweep, kernel, text, length, err);
}
