/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts the cache hit rates of the kernels in traces, on the GPU of a record: several runs of
 * the model with values drawn from what the record leaves open, and the reasons of the misses.
 */
#ifndef GC_PREDICT_PREDICT_H
#define GC_PREDICT_PREDICT_H

#include "predict/model/model.h"
#include "predict/parameters/parameters.h"
#include "predict/pass.h"
#include "predict/remedy.h"
#include "predict/reuse.h"
#include "predict/select.h"

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

/* What all runs said: that with the values of the record, the least and the most. */
struct gc_estimate {
  double value, low, high;
};

enum gc_hit_rate { GC_RATE_L1, GC_RATE_L2, GC_RATE_COUNT };

struct gc_load_prediction {
  uint32_t pc;
  char *file;                     /* of the source; NULL: not known */
  unsigned line;                  /* in this file, from 1 */
  struct gc_cache_counts l1;      /* with the values of the record */
  uint64_t instructions;          /* of warps, likewise */
  struct gc_estimate hit_rate;    /* 0 to 1 */
  uint64_t misses[GC_MISS_COUNT]; /* by reason; sum = l1.misses. All 0 with no_reasons */
};

struct gc_kernel_prediction {
  struct gc_trace_launch launch; /* its number counts over all traces */
  /* Why no block of the launch fits on an SM of this GPU: all below is 0, and rates are NaN. NULL:
   * it fits. */
  char *cannot_run;
  unsigned blocks_per_sm;        /* that reside at the same time */
  struct gc_gpu_summary gpu;     /* with the values of the record */
  struct gc_counts counts;       /* of that run */
  uint64_t l2_read_bytes;        /* that loads read from L2 */
  /* Hits of L1 (loads that look into it) and of L2 (loads), 0 to 1. Sectors that were under way
   * count as hits. NaN: there were no such loads. */
  struct gc_estimate rates[GC_RATE_COUNT];
  /* That of L2 without counts.l2_loads_far: what profilers count as hits. */
  struct gc_estimate l2_near_rate;
  uint64_t misses[GC_MISS_COUNT]; /* of L1, as in struct gc_load_prediction */
  struct gc_remedy_effect remedies[GC_REMEDY_COUNT]; /* none is tried without job.remedies */
  struct gc_load_prediction *loads;
  size_t load_count;
  /* Reuse distances: of each line of each warp instruction that looks into L1, the number of other
   * lines that its SM has loaded since it loaded this line last, in this kernel. The instructions
   * are in the order of a run in which loads take no time and any number can be outstanding. */
  bool has_distances;               /* false without job.distances and job.reuse */
  struct gc_reuse_bins distances;   /* in lines, of all SMs together */
  struct gc_reuse_histogram *reuse; /* the same; NULL without job.reuse, or by histogram_of */
};

struct gc_prediction {
  struct gc_kernel_prediction *kernels;
  size_t count;
  struct gc_assumptions assumptions;
  struct gc_trace_ignored ignored;
  struct gc_selection selection; /* with the kernels that are not predicted */
};

/* 0, or a negative errno with a sentence: -ENODATA (the record lacks something, or no kernel is
 * wanted), -EBADMSG and -EOPNOTSUPP (no kernel can be read), and those of files and memory.
 * -ERANGE (the GPU of job.changes cannot be, or no kernel can run on it). *prediction is NULL then.
 * Kernels that cannot be read are missing if there are others. */
int gc_predict_traces(const struct gc_predict_job *job, struct gc_prediction **prediction,
                      struct gc_error *err);
void gc_prediction_free(struct gc_prediction *prediction);

#endif
