/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of shared memory of another SM in the cluster: chains of dependent loads, for each
 * pair of blocks (kernels/cluster.c). Pairs differ by where their SMs lie; the value is the median
 * of all pairs. doc/methods.md, "Remote shared memory"; Luo et al. 2024 for the question.
 */
#include "measure/structure/structure.h"
#include "measure/core/step_memory.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define LAUNCHES 8
#define LOADS GPU_REMOTE_SLOTS /* in the shorter run */
#define TOLERANCE 0.02

struct remote {
  struct gc_measurement *m;
  uint32_t size, blocks; /* of a cluster; of a launch */
  size_t pairs;          /* blocks * size, with those of a block and itself */
  struct gpu_remote_result *results;
  double *cycles; /* [LAUNCHES][pairs] */
  double *others; /* scratch: pairs of different blocks */
};

static bool is_self(const struct remote *r, size_t pair)
{
  return pair / r->size % r->size == pair % r->size;
}

static int launch(struct remote *r, double *cycles, bool *ended)
{
  struct gc_bench *bench = &r->m->bench;
  const struct gpu_remote_args args = {
      .results = gc_scratch_trace(bench), .size = r->size, .n = LOADS};
  int status =
      gc_bench_launch_clusters(bench, GC_KERNEL_remote_shared, r->blocks, bench->properties.warp,
                               4 * GPU_REMOTE_SLOTS, r->size, &args);

  if (!status)
    status = bench->ops->download(bench->device, r->results, args.results,
                                  r->pairs * sizeof(*r->results), bench->err);
  for (size_t i = 0; i < r->pairs && !status; i++) {
    cycles[i] = ((double)r->results[i].cycles_2n - r->results[i].cycles_n) / LOADS;
    *ended &= r->results[i].ended;
  }
  return status;
}

/* The median of all pairs of different blocks. */
static double median_of(const struct remote *r, const double *cycles)
{
  size_t n = 0;

  for (size_t i = 0; i < r->pairs; i++)
    if (!is_self(r, i))
      r->others[n++] = cycles[i];
  return gc_median(r->others, n);
}

/* A row for each pair: the median of all launches. */
static void log_pairs(const struct remote *r)
{
  for (size_t i = 0; i < r->pairs; i++) {
    const size_t block = i / r->size, other = block - block % r->size + i % r->size;
    double of_launch[LAUNCHES];

    for (size_t k = 0; k < LAUNCHES; k++)
      of_launch[k] = r->cycles[k * r->pairs + i];
    gc_raw_row(r->m->bench.raw, "rank\tother rank\tSM\tother SM\tcycles",
               (const double[]){(double)(block % r->size), (double)(i % r->size), r->results[i].sm,
                                r->results[other * r->size].sm, gc_median(of_launch, LAUNCHES)});
  }
}

static int measure(struct remote *r, struct gc_measured *element)
{
  double medians[LAUNCHES], middle, confidence;
  bool ended = true;
  int status = 0;

  for (size_t k = 0; k < LAUNCHES && !status; k++) {
    status = launch(r, r->cycles + k * r->pairs, &ended);
    medians[k] = status ? 0 : median_of(r, r->cycles + k * r->pairs);
  }
  if (status)
    return status;
  if (!ended)
    return gc_set_absent(element, GC_REMOTE_LATENCY,
                         "loads did not read the shared memory of the other blocks");
  log_pairs(r);
  middle = gc_median(medians, LAUNCHES);
  confidence = gc_median_confidence(medians, LAUNCHES, middle, TOLERANCE * middle);
  if (!(middle > 0) || confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_REMOTE_LATENCY, "repetitions disagree");
  element->remote_latency_cycles = rint(middle * 10) / 10;
  return gc_set_measured(element, GC_REMOTE_LATENCY, confidence);
}

/* As many clusters as run at the same time at most, and as their results fit. */
static uint32_t blocks_of(const struct gc_measurement *m, uint32_t size)
{
  const struct gc_measured *gpu = &m->results->element[GC_WHOLE_GPU];
  const size_t fit = GC_TRACE_MAX * sizeof(uint32_t) / sizeof(struct gpu_remote_result) / size;
  const uint64_t sms = gc_found(gpu, GC_CLUSTER_SMS) ? gpu->cluster_sms : size;
  const uint64_t most = sms < fit ? sms : fit;

  return most < size ? 0 : (uint32_t)(most / size * size);
}

int gc_step_remote_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct remote r = {.m = m, .size = m->bench.properties.cluster_blocks};

  if (r.size < 2)
    return gc_set_absent(element, GC_REMOTE_LATENCY, "this GPU has no clusters");
  if (!element->timed_alone)
    return gc_set_absent(element, GC_REMOTE_LATENCY,
                         "whether some loads of shared memory are delayed is not known");
  if (element->delayed) /* as AtomicLatency: latency/atomic_latency.c */
    return gc_set_absent(element, GC_REMOTE_LATENCY,
                         "some loads of shared memory are delayed, and a chain of loads shows only "
                         "the mean of all");
  if (!(r.blocks = blocks_of(m, r.size)))
    return gc_set_absent(element, GC_REMOTE_LATENCY, "clusters are too large");
  r.pairs = (size_t)r.blocks * r.size;
  r.results = gc_step_alloc(&m->bench, r.pairs, sizeof(*r.results));
  r.cycles = gc_step_alloc(&m->bench, LAUNCHES * r.pairs, sizeof(*r.cycles));
  r.others = gc_step_alloc(&m->bench, r.pairs, sizeof(*r.others));
  return r.results && r.cycles && r.others ? measure(&r, element) : -ENOMEM;
}
