/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What --sweep varies, and the values that it takes.
 */
#ifndef GC_TOOL_PREDICT_SWEEP_H
#define GC_TOOL_PREDICT_SWEEP_H

#include "predict/predict.h"
#include "tool/print/table.h"

/* One value of a sweep. */
struct gc_sweep_point {
  char label[40]; /* "x 0.5", "44 %" */
  struct gc_changes changes;
  bool reuse;                       /* note the reuse distances, too */
  struct gc_prediction *prediction; /* NULL: this GPU cannot be modelled */
  struct gc_error why;              /* then */
};

struct gc_sweep {
  const char *title; /* "capacity of L1" */
  /* The column with what the factor made of the GPU, and its cells. NULL: there is none, because
   * the capacity always has a column. */
  const char *column;
  void (*size)(const struct gc_gpu_summary *gpu, char cell[GC_CELL]);
  struct gc_sweep_point *points;
  size_t count;
};

/* Whether this word can follow --sweep. */
bool gc_sweep_can(const char *word);

/* Fills the points of the sweep with this name, but not their predictions. 0, or a negative errno
 * with a sentence: the record has no carve-outs. The caller always calls gc_sweep_free. */
int gc_sweep_plan(struct gc_sweep *sweep, const char *name, const struct gc_predict_job *job,
                  struct gc_error *err);

/* Fills the points of a curve: capacities of L1 from far below the smallest carve-out to far above
 * the largest, in half octaves. 0 or -ENOMEM. */
int gc_sweep_plan_curve(struct gc_sweep *sweep, const struct gc_predict_job *job,
                        struct gc_error *err);

/* Predicts all points. A point that makes no GPU has no prediction; if none has one, and after any
 * other failure, the sweep ends with a negative errno and a sentence. */
int gc_sweep_run(struct gc_sweep *sweep, const struct gc_predict_job *job, struct gc_error *err);

/* After gc_sweep_run: the first prediction. */
const struct gc_prediction *gc_sweep_any(const struct gc_sweep *sweep);
void gc_sweep_free(struct gc_sweep *sweep);

#endif
