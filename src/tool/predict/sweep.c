/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/sweep.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Factors, as in section 7 of Nugteren et al. */
static const double factors[] = {0.25, 0.5, 1, 2, 4};
#define FACTORS (sizeof factors / sizeof *factors)

static void write_ways(const struct gc_gpu_summary *gpu, char cell[GC_CELL])
{
  snprintf(cell, GC_CELL, "%u in %u set%s", gpu->l1_ways, gpu->l1_sets,
           gpu->l1_sets == 1 ? "" : "s");
}

static void write_line(const struct gc_gpu_summary *gpu, char cell[GC_CELL])
{
  snprintf(cell, GC_CELL, "%u bytes", gpu->l1_line_bytes);
}

static void write_outstanding(const struct gc_gpu_summary *gpu, char cell[GC_CELL])
{
  snprintf(cell, GC_CELL, "%u lines", gpu->outstanding);
}

static const struct kind {
  const char *name, *title;
  size_t factor; /* the factor in struct gc_changes */
  const char *column;
  void (*size)(const struct gc_gpu_summary *gpu, char cell[GC_CELL]);
} kinds[] = {
    {"carveout", "carve-out", 0, NULL, NULL},
    {"capacity", "capacity of L1", offsetof(struct gc_changes, capacity), NULL, NULL},
    {"ways", "ways of L1", offsetof(struct gc_changes, ways), "WAYS", write_ways},
    {"line", "line of L1", offsetof(struct gc_changes, line), "LINE", write_line},
    {"outstanding", "outstanding loads", offsetof(struct gc_changes, outstanding), "OUTSTANDING",
     write_outstanding},
};

static const struct kind *find(const char *name)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, name))
      return &kinds[i];
  return NULL;
}

bool gc_sweep_can(const char *word)
{
  return find(word);
}

static void plan_factors(struct gc_sweep *sweep, const struct kind *kind,
                         const struct gc_predict_job *job)
{
  sweep->count = FACTORS;
  for (size_t i = 0; i < FACTORS; i++) {
    struct gc_sweep_point *point = &sweep->points[i];

    point->changes = job->changes;
    *(double *)((char *)&point->changes + kind->factor) = factors[i];
    snprintf(point->label, sizeof point->label, "x %g", factors[i]);
  }
}

static int plan_carveouts(struct gc_sweep *sweep, const struct gc_predict_job *job,
                          struct gc_error *err)
{
  struct gc_parameters parameters;
  const int status = gc_parameters_read(&parameters, job->record, err);

  if (status)
    return status;
  if (!parameters.carveouts.count)
    return gc_fail(err, -ENODATA, "the record has no carve-outs to vary");
  sweep->count = parameters.carveouts.count;
  for (size_t i = 0; i < sweep->count; i++) {
    struct gc_sweep_point *point = &sweep->points[i];

    point->changes = job->changes;
    point->changes.has_carveout = true;
    point->changes.carveout = parameters.carveouts.array[i].percent;
    snprintf(point->label, sizeof point->label, "%u %%", point->changes.carveout);
  }
  return 0;
}

int gc_sweep_plan(struct gc_sweep *sweep, const char *name, const struct gc_predict_job *job,
                  struct gc_error *err)
{
  const struct kind *kind = find(name);

  memset(sweep, 0, sizeof *sweep);
  sweep->title = kind->title;
  sweep->column = kind->column;
  sweep->size = kind->size;
  sweep->points = calloc(GC_CARVEOUTS, sizeof *sweep->points);
  if (!sweep->points)
    return gc_fail(err, -ENOMEM, "out of memory");
  if (!kind->factor)
    return plan_carveouts(sweep, job, err);
  plan_factors(sweep, kind, job);
  return 0;
}

/* Factors 2^(LOWEST / 2) to 2^(HIGHEST / 2) of the largest L1. */
enum { LOWEST = -14, HIGHEST = 4 };

int gc_sweep_plan_curve(struct gc_sweep *sweep, const struct gc_predict_job *job,
                        struct gc_error *err)
{
  struct gc_parameters parameters;
  const int status = gc_parameters_read(&parameters, job->record, err);
  double largest;

  memset(sweep, 0, sizeof *sweep);
  if (status)
    return status;
  sweep->title = "capacity of L1";
  sweep->points = calloc(HIGHEST - LOWEST + 1, sizeof *sweep->points);
  if (!sweep->points)
    return gc_fail(err, -ENOMEM, "out of memory");
  largest = parameters.carveouts.count ? (double)parameters.carveouts.array[0].l1_bytes
                                       : parameters.l1_bytes.value;
  for (int half = LOWEST; half <= HIGHEST; half++) {
    struct gc_sweep_point *point = &sweep->points[sweep->count++];

    point->changes = job->changes;
    point->changes.l1_bytes = (uint64_t)(largest * exp2(half / 2.0));
    point->reuse = half == LOWEST;
    snprintf(point->label, sizeof point->label, "%llu bytes",
             (unsigned long long)point->changes.l1_bytes);
  }
  return 0;
}

int gc_sweep_run(struct gc_sweep *sweep, const struct gc_predict_job *job, struct gc_error *err)
{
  struct gc_predict_job one = *job;

  one.no_reasons = true;
  for (size_t i = 0; i < sweep->count; i++) {
    struct gc_sweep_point *point = &sweep->points[i];
    int status;

    one.changes = point->changes;
    one.reuse = point->reuse;
    status = gc_predict_traces(&one, &point->prediction, &point->why);
    if (status && status != -ERANGE) {
      *err = point->why;
      return status;
    }
  }
  for (size_t i = 0; i < sweep->count; i++)
    if (sweep->points[i].prediction)
      return 0;
  *err = sweep->points[0].why;
  return -ERANGE;
}

const struct gc_prediction *gc_sweep_any(const struct gc_sweep *sweep)
{
  size_t i = 0;

  while (!sweep->points[i].prediction)
    i++;
  return sweep->points[i].prediction;
}

void gc_sweep_free(struct gc_sweep *sweep)
{
  for (size_t i = 0; i < sweep->count; i++)
    gc_prediction_free(sweep->points[i].prediction);
  free(sweep->points);
  memset(sweep, 0, sizeof *sweep);
}
