/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/predict.h"

#include "predict/model/attribute.h"
#include "predict/model/loads.h"
#include "predict/sums.h"
#include "predict/threads.h"
#include "util/cpus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The seed of the passes with the values of the record: their random numbers must be the same. */
#define SEED 1

/* The passes of a job: those that find the reasons of misses (or only the first of them; without a
 * limit for outstanding lines, not the last one, which would be the first one again), with the
 * values of the record; from first_drawn to end_drawn one for each seed; then that of the reuse
 * distances, if there is one; then from first_remedy on those that try a remedy. */
struct passes {
  struct gc_pass *array;
  size_t count, first_drawn, end_drawn, first_remedy;
  bool reasons, loads;
  enum gc_remedy remedies[GC_REMEDY_COUNT]; /* of the last passes */
};

static void prepare(struct gc_pass *pass, const struct gc_predict_job *job,
                    const struct gc_parameters *parameters, const struct gc_selection *selection,
                    uint64_t seed)
{
  pass->selection = selection;
  pass->traces = job->traces;
  pass->trace_count = job->trace_count;
  pass->changes = job->changes;
  pass->parameters = *parameters;
  pass->options.seed = seed;
  pass->options.sms = job->sms;
}

/* The remedies that the GPU has; *changes of each begins with those of the job. Their number. */
static size_t plan_remedies(struct passes *passes, const struct gc_predict_job *job,
                            const struct gc_parameters *parameters,
                            struct gc_changes changes[GC_REMEDY_COUNT])
{
  size_t count = 0;

  for (int i = 0; i < GC_REMEDY_COUNT && job->remedies; i++) {
    changes[count] = job->changes;
    passes->remedies[count] = (enum gc_remedy)i;
    count += gc_remedy_apply((enum gc_remedy)i, parameters, &changes[count]);
  }
  return count;
}

static int plan(struct passes *passes, const struct gc_predict_job *job,
                const struct gc_parameters *parameters, const struct gc_selection *selection)
{
  struct gc_changes changes[GC_REMEDY_COUNT];

  passes->reasons = !job->no_reasons;
  passes->loads = !job->no_loads;
  passes->first_drawn = job->no_reasons                ? 1
                        : job->changes.outstanding > 0 ? GC_VARIANT_COUNT
                                                       : GC_VARIANT_NO_LIMIT;
  passes->end_drawn = passes->first_drawn + job->seeds;
  passes->first_remedy = passes->end_drawn + (job->reuse || job->distances);
  passes->count = passes->first_remedy + plan_remedies(passes, job, parameters, changes);
  passes->array = calloc(passes->count, sizeof *passes->array);
  if (!passes->array)
    return -ENOMEM;
  for (size_t i = 0; i < passes->count; i++) {
    struct gc_pass *pass = &passes->array[i];

    pass->undrawn = i < passes->first_drawn || i >= passes->end_drawn;
    prepare(pass, job, parameters, selection,
            pass->undrawn ? SEED : SEED + 1 + i - passes->first_drawn);
    if (i < passes->first_drawn && !job->no_reasons)
      gc_variant_options((enum gc_variant)i, &pass->options);
    pass->detailed = i == GC_VARIANT_FULL;
    if (i >= passes->first_remedy) {
      pass->changes = changes[i - passes->first_remedy];
      pass->optional = true;
    } else if (i >= passes->end_drawn) {
      pass->reuse = pass->options.no_latency = pass->options.no_outstanding_limit = true;
      pass->bins_only = !job->reuse;
      pass->histogram_of = job->histogram_of;
      pass->histograms = job->histograms;
    }
  }
  return 0;
}

static void clear(struct passes *passes)
{
  for (size_t i = 0; i < passes->count && passes->array; i++)
    gc_pass_clear(&passes->array[i]);
  free(passes->array);
}

static double hit_rate(const struct gc_cache_counts *counts)
{
  return counts->accesses ? (double)(counts->hits + counts->hits_on_miss) / (double)counts->accesses
                          : NAN;
}

/* Hits of L2 in the partition near the SM. */
static double near_hit_rate(const struct gc_counts *counts)
{
  struct gc_cache_counts near = counts->l2_loads;

  near.hits_on_miss = near.hits + near.hits_on_miss - counts->l2_loads_far;
  near.hits = 0;
  return hit_rate(&near);
}

static void widen(struct gc_estimate *estimate, double value)
{
  estimate->low = fmin(estimate->low, value);
  estimate->high = fmax(estimate->high, value);
  estimate->drawn = true;
}

static struct gc_estimate start(double rate)
{
  return (struct gc_estimate){rate, rate, rate, false};
}

/* Instead of a pc. */
#define WHOLE_KERNEL UINT64_MAX

static void find_reasons(const struct passes *passes, size_t kernel, uint64_t pc,
                         uint64_t misses[GC_MISS_COUNT])
{
  const struct gc_cache_counts *counts[GC_VARIANT_COUNT];
  struct gc_attributed found;

  for (int i = 0; i < GC_VARIANT_COUNT; i++) {
    const size_t pass = (size_t)i < passes->first_drawn ? (size_t)i : GC_VARIANT_FULL;
    const struct gc_kernel_run *run = &passes->array[pass].kernels[kernel].run;

    counts[i] = pc == WHOLE_KERNEL ? &run->counts.l1_loads : gc_loads_counts(run, (uint32_t)pc);
  }
  found = gc_attribute(counts);
  memcpy(misses, found.misses, sizeof found.misses);
}

static void predict_load(struct gc_load_prediction *load, const struct passes *passes,
                         size_t kernel)
{
  const struct gc_kernel_run *full = &passes->array[GC_VARIANT_FULL].kernels[kernel].run;

  load->l1 = *gc_loads_counts(full, load->pc);
  load->hit_rate = start(hit_rate(&load->l1));
  for (size_t i = passes->first_drawn; i < passes->end_drawn; i++)
    widen(&load->hit_rate,
          hit_rate(gc_loads_counts(&passes->array[i].kernels[kernel].run, load->pc)));
  if (passes->reasons)
    find_reasons(passes, kernel, load->pc, load->misses);
}

static int predict_loads(struct gc_kernel_prediction *prediction, const struct passes *passes,
                         size_t kernel)
{
  const struct gc_pass_kernel *run = &passes->array[GC_VARIANT_FULL].kernels[kernel];
  const struct gc_kernel_run *full = &run->run;
  const struct gc_source_line *sources = run->detail->sources;

  prediction->loads = calloc(full->load_count ? full->load_count : 1, sizeof *prediction->loads);
  if (!prediction->loads)
    return -ENOMEM;
  prediction->load_count = full->load_count;
  for (size_t i = 0; i < full->load_count; i++) {
    prediction->loads[i].pc = full->loads[i].pc;
    prediction->loads[i].instructions = full->loads[i].instructions;
    if (sources[i].file && !(prediction->loads[i].file = strdup(sources[i].file)))
      return -ENOMEM;
    prediction->loads[i].line = sources[i].line;
    predict_load(&prediction->loads[i], passes, kernel);
  }
  return 0;
}

static void take_remedies(struct gc_kernel_prediction *prediction, const struct passes *passes,
                          size_t kernel)
{
  for (size_t i = passes->first_remedy; i < passes->count; i++)
    if (passes->array[i].count)
      prediction->remedies[passes->remedies[i - passes->first_remedy]] = (struct gc_remedy_effect){
          true, passes->array[i].kernels[kernel].run.counts.l1_loads.misses};
}

static void take_reuse(struct gc_kernel_prediction *prediction, const struct passes *passes,
                       size_t kernel)
{
  struct gc_pass_kernel *noted;

  if (passes->end_drawn == passes->first_remedy || prediction->cannot_run)
    return;
  noted = &passes->array[passes->end_drawn].kernels[kernel];
  prediction->has_distances = true;
  prediction->distances = *noted->bins;
  prediction->reuse = noted->reuse;
  noted->reuse = NULL;
}

static int predict_kernel(struct gc_kernel_prediction *prediction, const struct passes *passes,
                          size_t kernel)
{
  const struct gc_pass_kernel *full = &passes->array[GC_VARIANT_FULL].kernels[kernel];

  prediction->launch = full->detail->launch;
  if (full->detail->cannot_run && !(prediction->cannot_run = strdup(full->detail->cannot_run)))
    return -ENOMEM;
  prediction->gpu = full->detail->gpu;
  prediction->blocks_per_sm = full->run.blocks_per_sm;
  prediction->counts = full->run.counts;
  prediction->l2_read_bytes =
      full->run.counts.l2_loads.accesses * full->detail->gpu.l1_sector_bytes;
  prediction->rates[GC_RATE_L1] = start(hit_rate(&full->run.counts.l1_loads));
  prediction->rates[GC_RATE_L2] = start(hit_rate(&full->run.counts.l2_loads));
  prediction->l2_near_rate = start(near_hit_rate(&full->run.counts));
  for (size_t i = passes->first_drawn; i < passes->end_drawn; i++) {
    const struct gc_counts *drawn = &passes->array[i].kernels[kernel].run.counts;

    widen(&prediction->rates[GC_RATE_L1], hit_rate(&drawn->l1_loads));
    widen(&prediction->rates[GC_RATE_L2], hit_rate(&drawn->l2_loads));
    widen(&prediction->l2_near_rate, near_hit_rate(drawn));
  }
  if (passes->reasons)
    find_reasons(passes, kernel, WHOLE_KERNEL, prediction->misses);
  take_remedies(prediction, passes, kernel);
  take_reuse(prediction, passes, kernel);
  return passes->loads ? predict_loads(prediction, passes, kernel) : 0;
}

/* The trace files may have changed between two passes. */
static int check_passes(const struct passes *passes, struct gc_error *err)
{
  for (size_t i = 1; i < passes->count; i++)
    if (passes->array[i].count != passes->array[GC_VARIANT_FULL].count &&
        (passes->array[i].count || !passes->array[i].optional))
      return gc_fail(err, -EAGAIN, "a trace changed while it was read");
  return 0;
}

/* There must be a kernel to predict. */
static int check_kernels(const struct gc_predict_job *job, const struct gc_selection *selection,
                         struct gc_error *err)
{
  for (size_t i = 0; i < selection->count; i++)
    if (selection->kernels[i] == GC_KERNEL_PREDICTED)
      return 0;
  if (selection->unreadable_count) {
    *err = selection->unreadable[0].why;
    return selection->unreadable[0].status;
  }
  if (selection->count)
    return gc_fail(err, -ENODATA,
                   "no kernel has the name and number that are wanted (kernels in all: %zu)",
                   selection->count);
  if (job->trace_count == 1)
    return gc_fail(err, -ENODATA, "%s: there is no kernel in this trace", job->traces[0]);
  return gc_fail(err, -ENODATA, "there is no kernel in any of the %zu traces", job->trace_count);
}

/* One of them must fit on the GPU. */
static int check_can_run(const struct gc_prediction *prediction, struct gc_error *err)
{
  const struct gc_kernel_prediction *first = prediction->kernels;

  for (size_t i = 0; i < prediction->count; i++)
    if (!prediction->kernels[i].cannot_run)
      return 0;
  return gc_fail(err, -ERANGE, "kernel %llu cannot run: %s",
                 (unsigned long long)first->launch.number, first->cannot_run);
}

static int combine(struct gc_prediction *prediction, const struct passes *passes)
{
  const struct gc_pass *full = &passes->array[GC_VARIANT_FULL];

  prediction->assumptions = full->parameters.assumptions;
  prediction->ignored = full->ignored;
  prediction->kernels = calloc(full->count, sizeof *prediction->kernels);
  if (!prediction->kernels)
    return -ENOMEM;
  prediction->count = full->count;
  for (size_t i = 0; i < full->count; i++) {
    const int status = predict_kernel(&prediction->kernels[i], passes, i);

    if (status)
      return status;
  }
  return gc_prediction_sum_up(prediction);
}

static unsigned threads_of(const struct gc_predict_job *job)
{
  const unsigned cpus = gc_cpus();

  if (job->threads)
    return job->threads;
  return cpus < GC_PREDICT_THREADS ? cpus : GC_PREDICT_THREADS;
}

/* Whether a remedy can make a difference in any kernel. No remedy prevents compulsory misses. */
static bool may_help(const struct passes *passes)
{
  const struct gc_pass *full = &passes->array[GC_VARIANT_FULL];

  for (size_t i = 0; i < full->count; i++) {
    const struct gc_cache_counts *loads = &full->kernels[i].run.counts.l1_loads;
    const double misses = (double)loads->misses - (double)loads->compulsory;

    if (misses > 0 && misses >= GC_REMEDY_LEAST * (double)loads->accesses)
      return true;
  }
  return false;
}

static int run_all(const struct passes *passes, unsigned threads, struct gc_error *err)
{
  const int status = gc_passes_run(passes->array, passes->first_remedy, threads, err);

  return status || passes->first_remedy == passes->count || !may_help(passes)
             ? status
             : gc_passes_run(passes->array + passes->first_remedy,
                             passes->count - passes->first_remedy, threads, err);
}

/* Runs all passes, and combines them. */
static int run(const struct gc_predict_job *job, const struct gc_parameters *parameters,
               struct gc_prediction *prediction, struct gc_error *err)
{
  struct passes passes = {0};
  int status = plan(&passes, job, parameters, &prediction->selection)
                   ? gc_fail(err, -ENOMEM, "out of memory")
                   : run_all(&passes, threads_of(job), err);

  if (!status)
    status = check_passes(&passes, err);
  if (!status && combine(prediction, &passes))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    status = check_can_run(prediction, err);
  clear(&passes);
  return status;
}

int gc_predict_traces(const struct gc_predict_job *job, struct gc_prediction **prediction,
                      struct gc_error *err)
{
  struct gc_prediction *made = calloc(1, sizeof *made);
  struct gc_parameters parameters;
  int status = made ? gc_parameters_read(&parameters, job->record, err)
                    : gc_fail(err, -ENOMEM, "out of memory");

  if (!status)
    status = gc_selection_make(&made->selection, &job->wanted, job->traces, job->trace_count, err);
  if (!status)
    status = check_kernels(job, &made->selection, err);
  if (!status)
    status = run(job, &parameters, made, err);
  if (status) {
    gc_prediction_free(made);
    made = NULL;
  }
  *prediction = made;
  return status;
}

void gc_prediction_free(struct gc_prediction *prediction)
{
  if (!prediction)
    return;
  for (size_t i = 0; i < prediction->count; i++) {
    for (size_t k = 0; k < prediction->kernels[i].load_count; k++)
      free(prediction->kernels[i].loads[k].file);
    free(prediction->kernels[i].cannot_run);
    free(prediction->kernels[i].loads);
    gc_reuse_histogram_free(prediction->kernels[i].reuse);
  }
  free(prediction->kernels);
  free(prediction->sums);
  gc_selection_clear(&prediction->selection);
  free(prediction);
}
