/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts the cache hit rates of the kernels in traces, on the GPU of a record: several runs of
 * the model with values drawn from what the record leaves open, and the reasons of the misses.
 */
#ifndef GC_PREDICT_PREDICT_H
#define GC_PREDICT_PREDICT_H

#include "predict/prediction.h"

#define GC_PREDICT_SEEDS 10
#define GC_PREDICT_MOST_SEEDS 1000
/* Each run holds the caches of the whole GPU in memory, 70 to 110 MB for an H200. So the default
 * does not grow with the number of processors beyond this. */
#define GC_PREDICT_THREADS 4
#define GC_PREDICT_MOST_THREADS 64

struct gc_predict_job {
  const struct gc_record *record;
  const char *const *traces; /* paths, in the order in which the kernels ran */
  size_t trace_count;
  struct gc_wanted wanted;
  struct gc_changes changes;
  unsigned seeds;   /* runs with drawn values, besides the one with the values of the record */
  unsigned threads; /* at the same time; 0: one for each processor, at most GC_PREDICT_THREADS */
  unsigned sms;     /* that are modelled (struct gc_model_options); 0: all */
  bool distances;   /* note the reuse distances in bins: one run more */
  bool reuse;       /* note them in a histogram, too; the same run */
  const bool *histogram_of; /* of these kernels of the prediction only; NULL: all */
  size_t histograms;        /* entries of histogram_of */
  bool no_loads;            /* no results of each load instruction */
  bool no_reasons;  /* do not find the reasons of the misses: two runs less; three with
                       changes.outstanding */
  bool remedies;    /* try what would help, if enough misses of any kernel are not compulsory: up to
                       GC_REMEDY_COUNT runs more */
};

/* 0, or a negative errno with a sentence: -ENODATA (the record lacks something, or no kernel is
 * wanted), -EBADMSG and -EOPNOTSUPP (no kernel can be read), and those of files and memory.
 * -ERANGE (the GPU of job.changes cannot be, or no kernel can run on it). *prediction is NULL then.
 * Kernels that cannot be read are missing if there are others. */
int gc_predict_traces(const struct gc_predict_job *job, struct gc_prediction **prediction,
                      struct gc_error *err);
void gc_prediction_free(struct gc_prediction *prediction);

#endif
