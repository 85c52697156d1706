/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The public functions of libhwloc-gpucache-predict.
 */
#include <hwloc/gpucache-predict.h>

#include "predict/predict.h"
#include "record/reader.h"
#include "util/regular.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct hwloc_gpucache_prediction {
  struct gc_prediction inner; /* the same object */
};

static const struct gc_kernel_prediction *
kernel_of(const struct hwloc_gpucache_prediction *prediction, size_t kernel)
{
  return &prediction->inner.kernels[kernel];
}

static int read_record(const char *path, struct gc_record **record, struct gc_error *err)
{
  size_t length = 0;
  char *text = NULL;
  int status = gc_regular_load(path, GC_RECORD_MAX_BYTES, &text, &length, err);

  if (status)
    return status;
  status = gc_record_read_text(text, length, record, err);
  return status ? gc_fail_in(err, status, path) : 0;
}

/* Whether the options have a value that this version does not know. */
static bool has_unknown(const struct hwloc_gpucache_predict_options *options)
{
  const unsigned char *bytes = (const unsigned char *)options;

  for (size_t i = sizeof *options; i < options->size; i++)
    if (bytes[i])
      return true;
  return false;
}

static int take_options(const struct hwloc_gpucache_predict_options *options,
                        struct gc_predict_job *job, struct gc_error *err)
{
  job->seeds = GC_PREDICT_SEEDS;
  if (!options)
    return 0;
  if (options->size && options->size < sizeof *options)
    return gc_fail(err, -EINVAL, "the options are smaller than those of any version");
  if (has_unknown(options))
    return gc_fail(err, -EINVAL, "an option is set that this version of the library does not know");
  if (options->has_carveout && options->carveout > 100)
    return gc_fail(err, -EINVAL, "a carve-out is at most 100 %%, not %u", options->carveout);
  if (options->seeds > GC_PREDICT_MOST_SEEDS)
    return gc_fail(err, -EINVAL, "at most %d seeds, not %u", GC_PREDICT_MOST_SEEDS, options->seeds);
  job->changes.has_carveout = options->has_carveout;
  job->changes.carveout = options->carveout;
  job->seeds = options->seeds ? options->seeds : GC_PREDICT_SEEDS;
  job->threads = options->threads;
  job->sms = options->sms;
  job->distances = options->reuse_distances;
  return 0;
}

PUBLIC int hwloc_gpucache_predict(const char *path, const char *const *traces, size_t count,
                                  const struct hwloc_gpucache_predict_options *options,
                                  struct hwloc_gpucache_prediction **prediction, char *message,
                                  size_t size)
{
  struct gc_predict_job job = {.traces = traces, .trace_count = count};
  struct gc_record *record = NULL;
  struct gc_prediction *inner = NULL;
  struct gc_error err = {""};
  int status = take_options(options, &job, &err);

  if (!status)
    status = read_record(path, &record, &err);
  job.record = record;
  if (!status)
    status = gc_predict_traces(&job, &inner, &err);
  gc_record_free(record);
  *prediction = (struct hwloc_gpucache_prediction *)inner;
  if (size)
    snprintf(message, size, "%s", err.text);
  return status;
}

PUBLIC void hwloc_gpucache_prediction_free(struct hwloc_gpucache_prediction *prediction)
{
  if (prediction)
    gc_prediction_free(&prediction->inner);
}

PUBLIC size_t hwloc_gpucache_prediction_kernels(const struct hwloc_gpucache_prediction *prediction)
{
  return prediction->inner.count;
}

PUBLIC const char *
hwloc_gpucache_prediction_name(const struct hwloc_gpucache_prediction *prediction, size_t kernel)
{
  return kernel_of(prediction, kernel)->launch.name;
}

static double of_rate(const struct gc_estimate *rate, int which)
{
  return which == 0 ? rate->value : which == 1 ? rate->low : rate->high;
}

/* What kernels and loads have. False: what is something else. */
static bool of_l1(const struct gc_cache_counts *l1, const struct gc_estimate *rate,
                  const uint64_t *misses, int what, double *value)
{
  if (what >= HWLOC_GPUCACHE_L1_HIT_RATE && what <= HWLOC_GPUCACHE_L1_HIT_RATE_HIGH)
    *value = of_rate(rate, what - HWLOC_GPUCACHE_L1_HIT_RATE);
  else if (what >= HWLOC_GPUCACHE_L1_MISSES_COMPULSORY &&
           what <= HWLOC_GPUCACHE_L1_MISSES_OUTSTANDING)
    *value = (double)misses[what - HWLOC_GPUCACHE_L1_MISSES_COMPULSORY];
  else if (what == HWLOC_GPUCACHE_L1_SECTORS)
    *value = (double)l1->accesses;
  else if (what == HWLOC_GPUCACHE_L1_HITS)
    *value = (double)l1->hits;
  else if (what == HWLOC_GPUCACHE_L1_HITS_ON_MISS)
    *value = (double)l1->hits_on_miss;
  else if (what == HWLOC_GPUCACHE_L1_MISSES)
    *value = (double)l1->misses;
  else
    return false;
  return true;
}

static double of_tlb(const struct gc_kernel_prediction *predicted, int level, bool misses)
{
  const struct gc_tlb_counts *counts = &predicted->counts.tlbs[level];

  if (!predicted->gpu.tlb_entries[level])
    return NAN;
  return (double)(misses ? counts->misses : counts->lookups);
}

PUBLIC double hwloc_gpucache_prediction_value(const struct hwloc_gpucache_prediction *prediction,
                                              size_t kernel, enum hwloc_gpucache_predicted what)
{
  const struct gc_kernel_prediction *predicted = kernel_of(prediction, kernel);
  const struct gc_counts *counts = &predicted->counts;
  double value;

  if (what == HWLOC_GPUCACHE_LAUNCHES)
    return (double)gc_trace_stands(&predicted->launch);
  if (predicted->cannot_run)
    return NAN;
  if (of_l1(&counts->l1_loads, &predicted->rates[GC_RATE_L1], predicted->misses, (int)what, &value))
    return value;
  switch (what) {
  case HWLOC_GPUCACHE_L2_HIT_RATE:
  case HWLOC_GPUCACHE_L2_HIT_RATE_LOW:
  case HWLOC_GPUCACHE_L2_HIT_RATE_HIGH:
    return of_rate(&predicted->rates[GC_RATE_L2], (int)what - HWLOC_GPUCACHE_L2_HIT_RATE);
  case HWLOC_GPUCACHE_L2_SECTORS:
    return (double)counts->l2_loads.accesses;
  case HWLOC_GPUCACHE_L2_HITS:
    return (double)counts->l2_loads.hits;
  case HWLOC_GPUCACHE_L2_HITS_ON_MISS:
    return (double)counts->l2_loads.hits_on_miss;
  case HWLOC_GPUCACHE_L2_MISSES:
    return (double)counts->l2_loads.misses;
  case HWLOC_GPUCACHE_STORE_SECTORS:
    return (double)counts->l2_stores.accesses;
  case HWLOC_GPUCACHE_ATOMIC_SECTORS:
    return (double)counts->atomics;
  case HWLOC_GPUCACHE_L2_HITS_FAR:
    return (double)counts->l2_loads_far;
  case HWLOC_GPUCACHE_L2_NEAR_HIT_RATE:
  case HWLOC_GPUCACHE_L2_NEAR_HIT_RATE_LOW:
  case HWLOC_GPUCACHE_L2_NEAR_HIT_RATE_HIGH:
    return of_rate(&predicted->l2_near_rate, (int)what - HWLOC_GPUCACHE_L2_NEAR_HIT_RATE);
  case HWLOC_GPUCACHE_L1_LOAD_INSTRUCTIONS:
    return (double)counts->l1_load_instructions;
  case HWLOC_GPUCACHE_L2_READ_BYTES:
    return (double)predicted->l2_read_bytes;
  case HWLOC_GPUCACHE_MEMORY_READ_BYTES:
    return (double)counts->memory_read_bytes;
  case HWLOC_GPUCACHE_L1_TLB_LOOKUPS:
  case HWLOC_GPUCACHE_L1_TLB_MISSES:
    return of_tlb(predicted, 0, what == HWLOC_GPUCACHE_L1_TLB_MISSES);
  case HWLOC_GPUCACHE_L2_TLB_LOOKUPS:
  case HWLOC_GPUCACHE_L2_TLB_MISSES:
    return of_tlb(predicted, 1, what == HWLOC_GPUCACHE_L2_TLB_MISSES);
  default:
    return NAN;
  }
}

PUBLIC size_t hwloc_gpucache_prediction_loads(const struct hwloc_gpucache_prediction *prediction,
                                              size_t kernel)
{
  return kernel_of(prediction, kernel)->load_count;
}

PUBLIC unsigned
hwloc_gpucache_prediction_load_pc(const struct hwloc_gpucache_prediction *prediction, size_t kernel,
                                  size_t load)
{
  return kernel_of(prediction, kernel)->loads[load].pc;
}

PUBLIC const char *
hwloc_gpucache_prediction_load_source(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel, size_t load, unsigned *line)
{
  const struct gc_load_prediction *predicted = &kernel_of(prediction, kernel)->loads[load];

  if (line)
    *line = predicted->line;
  return predicted->file;
}

PUBLIC double
hwloc_gpucache_prediction_load_value(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel, size_t load, enum hwloc_gpucache_predicted what)
{
  const struct gc_load_prediction *predicted = &kernel_of(prediction, kernel)->loads[load];
  double value;

  return of_l1(&predicted->l1, &predicted->hit_rate, predicted->misses, (int)what, &value) ? value
                                                                                           : NAN;
}

PUBLIC unsigned
hwloc_gpucache_prediction_reuse_bins(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel)
{
  return gc_reuse_bins_used(&kernel_of(prediction, kernel)->distances);
}

PUBLIC unsigned long long
hwloc_gpucache_prediction_reuse_loads(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel, unsigned bin)
{
  return bin < GC_REUSE_BINS ? kernel_of(prediction, kernel)->distances.loads[bin] : 0;
}

PUBLIC unsigned long long
hwloc_gpucache_prediction_reuse_first(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel)
{
  return kernel_of(prediction, kernel)->distances.first;
}

PUBLIC const char *
hwloc_gpucache_prediction_cannot_run(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel)
{
  return kernel_of(prediction, kernel)->cannot_run;
}

PUBLIC size_t hwloc_gpucache_prediction_left_out(const struct hwloc_gpucache_prediction *prediction)
{
  return prediction->inner.selection.unreadable_count;
}

PUBLIC const char *hwloc_gpucache_prediction_why(const struct hwloc_gpucache_prediction *prediction,
                                                 size_t i)
{
  const struct gc_selection *selection = &prediction->inner.selection;

  return i < selection->unreadable_count && i < GC_REASONS_MOST ? selection->unreadable[i].why.text
                                                                : NULL;
}

PUBLIC size_t
hwloc_gpucache_prediction_assumptions(const struct hwloc_gpucache_prediction *prediction)
{
  return prediction->inner.assumptions.count;
}

PUBLIC const char *
hwloc_gpucache_prediction_assumption(const struct hwloc_gpucache_prediction *prediction, size_t i,
                                     const char **assumed)
{
  if (assumed)
    *assumed = prediction->inner.assumptions.array[i].assumed;
  return prediction->inner.assumptions.array[i].what;
}
