/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of a prediction.
 */
#ifndef GC_PREDICT_PREDICTION_H
#define GC_PREDICT_PREDICTION_H

#include "predict/model/model.h"
#include "predict/parameters/parameters.h"
#include "predict/pass.h"
#include "predict/remedy.h"
#include "predict/reuse.h"
#include "predict/select.h"

/* What all runs said: that with the values of the record, the least and the most. */
struct gc_estimate {
  double value, low, high;
  bool drawn; /* there were other runs than that with the values of the record */
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
  bool estimated;            /* of a sum: some launches count for more blocks than were modelled */
  unsigned blocks_per_sm;    /* that reside at the same time */
  struct gc_gpu_summary gpu; /* with the values of the record */
  struct gc_counts counts;   /* of that run */
  uint64_t l2_read_bytes;    /* that loads read from L2 */
  /* Hits of L1 (loads that look into it) and of L2 (loads), 0 to 1. Sectors that were under way
   * count as hits. NaN: there were no such loads. */
  struct gc_estimate rates[GC_RATE_COUNT];
  /* That of L2 without counts.l2_loads_far: what profilers count as hits. */
  struct gc_estimate l2_near_rate;
  uint64_t misses[GC_MISS_COUNT];                    /* of L1, as in struct gc_load_prediction */
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
  /* One for each name, in the order of the first launches: its launches that can run, added up.
   * launch and gpu are those of the first of them, launch.launches the number of launches for which
   * all stand, also those that cannot run. low and high of a rate: of each launch, the run with the
   * fewest hits and that with the most. Loads and histograms are not added up. cannot_run is set if
   * no launch can, and is that of a kernel. */
  struct gc_kernel_prediction *sums;
  size_t sum_count;
  struct gc_assumptions assumptions;
  struct gc_trace_ignored ignored;
  struct gc_selection selection; /* with the kernels that are not predicted */
};

#endif
