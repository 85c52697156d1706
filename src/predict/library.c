/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The public functions of libhwloc-gpucache-predict.
 */
#include <hwloc/gpucache-predict.h>

#include "predict/accesses.h"
#include "predict/demangle.h"
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

struct hwloc_gpucache_record {
  struct gc_record inner; /* the same object */
};

struct hwloc_gpucache_prediction {
  struct gc_prediction inner; /* the same object */
};

static const struct gc_kernel_prediction *
kernel_of(const struct hwloc_gpucache_prediction *prediction, size_t kernel)
{
  return &prediction->inner.kernels[kernel];
}

static int report(int status, const struct gc_error *err, char *message, size_t size)
{
  if (size)
    snprintf(message, size, "%s", err->text);
  return status;
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

#define MOST_FACTOR 64

static int take_factor(double *factor, double wanted, const char *name, struct gc_error *err)
{
  *factor = wanted;
  if (wanted == 0 || (wanted >= 1.0 / MOST_FACTOR && wanted <= MOST_FACTOR))
    return 0;
  return gc_fail(err, -EINVAL, "the factor for %s is 0, or from 1/%d to %d, not %g", name,
                 MOST_FACTOR, MOST_FACTOR, wanted);
}

static int take_options(const struct hwloc_gpucache_predict_options *options,
                        struct gc_predict_job *job, struct gc_error *err)
{
  struct gc_changes *changes = &job->changes;
  int status;

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
  changes->has_carveout = options->has_carveout;
  changes->carveout = options->carveout;
  job->seeds = options->seeds ? options->seeds : GC_PREDICT_SEEDS;
  job->threads = options->threads;
  job->sms = options->sms;
  job->distances = options->reuse_distances;
  if ((status = take_factor(&changes->capacity, options->capacity, "capacity", err)) ||
      (status = take_factor(&changes->ways, options->ways, "ways", err)) ||
      (status = take_factor(&changes->line, options->line, "line", err)))
    return status;
  return take_factor(&changes->outstanding, options->outstanding, "outstanding", err);
}

/* traces: NULL with a source. */
static int predict(const struct hwloc_gpucache_record *record, const char *const *traces,
                   size_t count, const struct hwloc_gpucache_source *source,
                   const struct hwloc_gpucache_predict_options *options,
                   struct hwloc_gpucache_prediction **prediction, struct gc_error *err)
{
  struct gc_predict_job job = {.record = &record->inner, .traces = traces, .trace_count = count};
  struct gc_prediction *inner = NULL;
  struct gc_accesses accesses;
  const char *path = accesses.path;
  int status;

  *prediction = NULL;
  status = take_options(options, &job, err);
  if (!status && source) {
    status = gc_accesses_write(&accesses, source, err);
    job.traces = &path;
    job.trace_count = 1;
  }
  if (status)
    return status;
  status = gc_predict_traces(&job, &inner, err);
  if (source)
    gc_accesses_close(&accesses);
  *prediction = (struct hwloc_gpucache_prediction *)inner;
  return status;
}

PUBLIC int hwloc_gpucache_record_load(const char *path, struct hwloc_gpucache_record **record,
                                      char *message, size_t size)
{
  struct gc_record *inner = NULL;
  struct gc_error err = {""};
  const int status = read_record(path, &inner, &err);

  *record = (struct hwloc_gpucache_record *)inner;
  return report(status, &err, message, size);
}

PUBLIC void hwloc_gpucache_record_free(struct hwloc_gpucache_record *record)
{
  gc_record_free((struct gc_record *)record);
}

PUBLIC int hwloc_gpucache_predict_on(const struct hwloc_gpucache_record *record,
                                     const char *const *traces, size_t count,
                                     const struct hwloc_gpucache_predict_options *options,
                                     struct hwloc_gpucache_prediction **prediction, char *message,
                                     size_t size)
{
  struct gc_error err = {""};
  const int status = predict(record, traces, count, NULL, options, prediction, &err);

  return report(status, &err, message, size);
}

PUBLIC int hwloc_gpucache_predict(const char *path, const char *const *traces, size_t count,
                                  const struct hwloc_gpucache_predict_options *options,
                                  struct hwloc_gpucache_prediction **prediction, char *message,
                                  size_t size)
{
  struct hwloc_gpucache_record *record;
  int status = hwloc_gpucache_record_load(path, &record, message, size);

  *prediction = NULL;
  if (status)
    return status;
  status = hwloc_gpucache_predict_on(record, traces, count, options, prediction, message, size);
  hwloc_gpucache_record_free(record);
  return status;
}

PUBLIC int hwloc_gpucache_predict_accesses(const struct hwloc_gpucache_record *record,
                                           const struct hwloc_gpucache_source *source,
                                           const struct hwloc_gpucache_predict_options *options,
                                           struct hwloc_gpucache_prediction **prediction,
                                           char *message, size_t size)
{
  struct gc_error err = {""};
  const int status = predict(record, NULL, 0, source, options, prediction, &err);

  return report(status, &err, message, size);
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

/* The rate, if what is the first of its three enumerators, or the least or the most after it. */
static bool is_rate(const struct gc_estimate *rate, int first, int what, double *value)
{
  if (what < first || what > first + 2)
    return false;
  *value = what == first ? rate->value : what == first + 1 ? rate->low : rate->high;
  return true;
}

static double of_count(unsigned long long count)
{
  return count == HWLOC_GPUCACHE_NO_COUNT ? NAN : (double)count;
}

/* What kernels and loads have. */
static unsigned long long of_l1(const struct gc_cache_counts *l1, const uint64_t *misses,
                                enum hwloc_gpucache_predicted what)
{
  switch (what) {
  case HWLOC_GPUCACHE_L1_SECTORS:
    return l1->accesses;
  case HWLOC_GPUCACHE_L1_HITS:
    return l1->hits;
  case HWLOC_GPUCACHE_L1_HITS_ON_MISS:
    return l1->hits_on_miss;
  case HWLOC_GPUCACHE_L1_MISSES:
    return l1->misses;
  case HWLOC_GPUCACHE_L1_MISSES_COMPULSORY:
  case HWLOC_GPUCACHE_L1_MISSES_CAPACITY:
  case HWLOC_GPUCACHE_L1_MISSES_ASSOCIATIVITY:
  case HWLOC_GPUCACHE_L1_MISSES_LATENCY:
  case HWLOC_GPUCACHE_L1_MISSES_OUTSTANDING:
    return misses[what - HWLOC_GPUCACHE_L1_MISSES_COMPULSORY];
  default:
    return HWLOC_GPUCACHE_NO_COUNT;
  }
}

static unsigned long long of_tlb(const struct gc_kernel_prediction *predicted, int level,
                                 bool misses)
{
  const struct gc_tlb_counts *counts = &predicted->counts.tlbs[level];

  if (!predicted->gpu.tlb_entries[level])
    return HWLOC_GPUCACHE_NO_COUNT;
  return misses ? counts->misses : counts->lookups;
}

/* A number of a launch, or of a sum of launches. */
static unsigned long long count_in(const struct gc_kernel_prediction *predicted,
                                   enum hwloc_gpucache_predicted what)
{
  const struct gc_counts *counts = &predicted->counts;

  if (what == HWLOC_GPUCACHE_LAUNCHES)
    return gc_trace_stands(&predicted->launch);
  if (predicted->cannot_run)
    return HWLOC_GPUCACHE_NO_COUNT;
  switch (what) {
  case HWLOC_GPUCACHE_L2_SECTORS:
    return counts->l2_loads.accesses;
  case HWLOC_GPUCACHE_L2_HITS:
    return counts->l2_loads.hits;
  case HWLOC_GPUCACHE_L2_HITS_ON_MISS:
    return counts->l2_loads.hits_on_miss;
  case HWLOC_GPUCACHE_L2_MISSES:
    return counts->l2_loads.misses;
  case HWLOC_GPUCACHE_STORE_SECTORS:
    return counts->l2_stores.accesses;
  case HWLOC_GPUCACHE_ATOMIC_SECTORS:
    return counts->atomics;
  case HWLOC_GPUCACHE_L2_HITS_FAR:
    return counts->l2_loads_far;
  case HWLOC_GPUCACHE_L1_LOAD_INSTRUCTIONS:
    return counts->l1_load_instructions;
  case HWLOC_GPUCACHE_L2_READ_BYTES:
    return predicted->l2_read_bytes;
  case HWLOC_GPUCACHE_MEMORY_READ_BYTES:
    return counts->memory_read_bytes;
  case HWLOC_GPUCACHE_L1_TLB_LOOKUPS:
  case HWLOC_GPUCACHE_L1_TLB_MISSES:
    return of_tlb(predicted, 0, what == HWLOC_GPUCACHE_L1_TLB_MISSES);
  case HWLOC_GPUCACHE_L2_TLB_LOOKUPS:
  case HWLOC_GPUCACHE_L2_TLB_MISSES:
    return of_tlb(predicted, 1, what == HWLOC_GPUCACHE_L2_TLB_MISSES);
  default:
    return of_l1(&counts->l1_loads, predicted->misses, what);
  }
}

static double value_in(const struct gc_kernel_prediction *predicted,
                       enum hwloc_gpucache_predicted what)
{
  double rate;

  if (is_rate(&predicted->rates[GC_RATE_L1], HWLOC_GPUCACHE_L1_HIT_RATE, (int)what, &rate) ||
      is_rate(&predicted->rates[GC_RATE_L2], HWLOC_GPUCACHE_L2_HIT_RATE, (int)what, &rate) ||
      is_rate(&predicted->l2_near_rate, HWLOC_GPUCACHE_L2_NEAR_HIT_RATE, (int)what, &rate))
    return rate;
  return of_count(count_in(predicted, what));
}

PUBLIC unsigned long long
hwloc_gpucache_prediction_count(const struct hwloc_gpucache_prediction *prediction, size_t kernel,
                                enum hwloc_gpucache_predicted what)
{
  return count_in(kernel_of(prediction, kernel), what);
}

PUBLIC double hwloc_gpucache_prediction_value(const struct hwloc_gpucache_prediction *prediction,
                                              size_t kernel, enum hwloc_gpucache_predicted what)
{
  return value_in(kernel_of(prediction, kernel), what);
}

PUBLIC size_t hwloc_gpucache_prediction_sums(const struct hwloc_gpucache_prediction *prediction)
{
  return prediction->inner.sum_count;
}

PUBLIC const char *
hwloc_gpucache_prediction_sum_name(const struct hwloc_gpucache_prediction *prediction, size_t sum)
{
  return prediction->inner.sums[sum].launch.name;
}

PUBLIC unsigned long long
hwloc_gpucache_prediction_sum_count(const struct hwloc_gpucache_prediction *prediction, size_t sum,
                                    enum hwloc_gpucache_predicted what)
{
  return count_in(&prediction->inner.sums[sum], what);
}

PUBLIC double
hwloc_gpucache_prediction_sum_value(const struct hwloc_gpucache_prediction *prediction, size_t sum,
                                    enum hwloc_gpucache_predicted what)
{
  return value_in(&prediction->inner.sums[sum], what);
}

PUBLIC size_t hwloc_gpucache_prediction_demangle(const char *name, char *text, size_t size)
{
  return gc_demangle(name, text, size);
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

PUBLIC unsigned long long
hwloc_gpucache_prediction_load_count(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel, size_t load, enum hwloc_gpucache_predicted what)
{
  const struct gc_load_prediction *predicted = &kernel_of(prediction, kernel)->loads[load];

  return what == HWLOC_GPUCACHE_L1_LOAD_INSTRUCTIONS
             ? predicted->instructions
             : of_l1(&predicted->l1, predicted->misses, what);
}

PUBLIC double
hwloc_gpucache_prediction_load_value(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel, size_t load, enum hwloc_gpucache_predicted what)
{
  const struct gc_load_prediction *predicted = &kernel_of(prediction, kernel)->loads[load];
  double rate;

  if (is_rate(&predicted->hit_rate, HWLOC_GPUCACHE_L1_HIT_RATE, (int)what, &rate))
    return rate;
  return of_count(hwloc_gpucache_prediction_load_count(prediction, kernel, load, what));
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
