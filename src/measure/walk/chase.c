/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * P-chases: jobs, launches and results.
 */
#include "measure/walk/chase.h"

#include "measure/core/placement.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_REPEATS 31
#define WARM_PASSES 2
#define LOADS_MIN 2048     /* timed loads of the smallest arrays: a K-S test sees 1 in 8 miss */

static struct gpu_chase_args chase_args(const struct gc_bench *bench, const struct gc_path *path,
                                        const struct gc_binning *binning)
{
  const bool shared = path->space == GC_ADDRESS_SHARED;

  return (struct gpu_chase_args){
      .jobs = gc_exchange_jobs(bench),
      .results = gc_exchange_results(bench),
      .texture = path->space == GC_ADDRESS_TEXTURE ? bench->texture : 0,
      .low = binning->low,
      .shift = binning->shift,
      .threshold = binning->threshold,
      .shared_count = shared ? (uint32_t)(path->latency_bytes / path->latency_stride) : 0,
      .shared_stride = shared ? path->latency_stride : 0};
}

/* Launches the uploaded jobs once, and fetches the results into bench->results. */
static int run_once(struct gc_bench *bench, const struct gc_path *path,
                    const struct gpu_chase_args *args, size_t n, const struct gc_fetch *trace)
{
  const uint32_t shared = path->space == GC_ADDRESS_SHARED ? (uint32_t)path->latency_bytes : 0;
  const int status =
      gc_bench_launch_fetch(bench, path->chase, (uint32_t)n,
                            (1 + path->more_warps) * bench->properties.warp, shared, args, trace);

  return status ? status
                : bench->ops->download(bench->device, bench->results, args->results,
                                       n * sizeof(*bench->results), bench->err);
}

/* Launches the jobs in bench->jobs[0..n), each on an SM of its own. The hardware decides where
 * blocks run. Two blocks may run on the same SM while SMs change their carve-out, or while another
 * process uses the GPU; then the launch is repeated. The results come back into bench->results, and
 * a trace where it is wanted. */
static int try_jobs(struct gc_bench *bench, const struct gc_path *path,
                    const struct gpu_chase_args *args, size_t n, const struct gc_fetch *trace,
                    bool *spread)
{
  int status = bench->ops->upload(bench->device, gc_exchange_jobs(bench), bench->jobs,
                                  n * sizeof(*bench->jobs), bench->err);

  *spread = false;
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && !*spread; attempt++)
    if (!(status = run_once(bench, path, args, n, trace)))
      *spread = !gc_blocks_met(bench, n);
  return status;
}

/* The same, but it is an error if two blocks run on the same SM in all attempts. */
static int run_jobs(struct gc_bench *bench, const struct gc_path *path,
                    const struct gpu_chase_args *args, size_t n, const struct gc_fetch *trace)
{
  bool spread;
  int status = try_jobs(bench, path, args, n, trace, &spread);

  if (status)
    return status;
  if (!spread)
    return gc_fail_blocks_met(bench);
  for (size_t i = 0; i < n; i++)
    if (bench->results[i].loads != bench->jobs[i].loads)
      return gc_fail(bench->err, -EIO, "a p-chase timed %u loads instead of %u",
                     bench->results[i].loads, bench->jobs[i].loads);
  return 0;
}

/* A job for an array of this size: whole passes, with enough untimed and enough timed loads. */
static struct gpu_chase_job job_of(const struct gc_bench *bench, const struct gc_path *path,
                                   uint64_t bytes)
{
  const uint32_t slots = (uint32_t)(bytes / path->stride);
  const uint32_t enough = (path->warm_loads + slots - 1) / slots;
  const uint32_t warm = enough > WARM_PASSES ? enough : WARM_PASSES;
  const uint32_t passes = slots < LOADS_MIN ? (LOADS_MIN + slots - 1) / slots : 1;
  const uint32_t most = path->loads_max ? path->loads_max : UINT32_MAX;

  return (struct gpu_chase_job){.start = gc_ring_address(bench, path->space, 0),
                                .end = gc_ring_address(bench, path->space, bytes),
                                .warm = warm * slots,
                                .loads = passes * slots < most ? passes * slots : most};
}

/* One launch with at most one block per SM. */
static int chase_batch(struct gc_bench *bench, const struct gc_path *path,
                       const struct gc_binning *binning, struct gc_run *runs, size_t n)
{
  struct gpu_chase_args args = chase_args(bench, path, binning);
  int status;

  /* the distance of slots, because rings of capacity searches are in order */
  args.warm_step = path->space == GC_ADDRESS_TEXTURE ? path->stride / GC_TEXEL_BYTES : path->stride;
  for (size_t i = 0; i < n; i++)
    bench->jobs[i] = job_of(bench, path, runs[i].bytes);
  if ((status = run_jobs(bench, path, &args, n, &(struct gc_fetch){.bytes = 0})))
    return status;
  for (size_t i = 0; i < n; i++) {
    const uint64_t slots = runs[i].bytes / path->stride;

    runs[i].seen = bench->results[i];
    /* otherwise the kernel did not do what its arguments say */
    if (runs[i].seen.last !=
        gc_ring_address(bench, path->space, bench->jobs[i].loads % slots * path->stride))
      return gc_fail(bench->err, -EIO, "a p-chase of %llu bytes ended at a wrong address",
                     (unsigned long long)runs[i].bytes);
  }
  return 0;
}

int gc_chase_sizes(struct gc_bench *bench, const struct gc_path *path,
                   const struct gc_binning *binning, struct gc_run *runs, size_t n)
{
  const size_t most = gc_walks_alone(bench, path) ? 1 : bench->properties.sms;
  int status = 0;

  for (size_t i = 0; i < n && !status; i += most)
    status = chase_batch(bench, path, binning, runs + i, n - i < most ? n - i : most);
  return status;
}

int gc_chase_trace(struct gc_bench *bench, const struct gc_path *path,
                   const struct gc_traced *traced, uint32_t *trace)
{
  const struct gc_binning binning = {.threshold = UINT32_MAX};
  const size_t n = traced->n, values = n * traced->loads;
  struct gpu_chase_args args = chase_args(bench, path, &binning);
  int status;

  args.trace = gc_scratch_trace(bench);
  args.trace_stride = traced->loads;
  if (n > bench->properties.sms || values > GC_TRACE_MAX)
    return gc_fail(bench->err, -EINVAL, "a trace of %zu x %u loads is too large", n, traced->loads);
  for (size_t i = 0; i < n; i++)
    bench->jobs[i] = (struct gpu_chase_job){.start = traced->starts[i],
                                            .end = traced->ends ? traced->ends[i] : GPU_NEVER,
                                            .warm = traced->warm,
                                            .loads = traced->loads};
  status = run_jobs(bench, path, &args, n,
                    &(struct gc_fetch){trace, args.trace, values * sizeof(*trace)});
  if (!status)
    gc_raw_trace(bench->raw, trace, n, traced->loads);
  return status;
}

int gc_chain_cycles(struct gc_bench *bench, const struct gc_path *path,
                    const struct gc_chain *chain, struct gpu_latency_result *seen)
{
  const bool shared = path->space == GC_ADDRESS_SHARED;
  const struct gpu_latency_args args = {
      .start = gc_ring_address(bench, path->space, 0),
      .results = bench->scratch + 8,
      .sink = bench->scratch,
      .texture = bench->texture,
      .warm = chain->warm,
      .n = chain->n,
      .repeats = chain->repeats,
      .shared_count = shared ? (uint32_t)(path->latency_bytes / path->latency_stride) : 0,
      .shared_stride = shared ? path->latency_stride : 0};
  int status = gc_bench_launch(bench, path->latency, 1, 1,
                               shared ? (uint32_t)path->latency_bytes : 0, &args);

  return status ? status
                : bench->ops->download(bench->device, seen, args.results,
                                       chain->repeats * sizeof(*seen), bench->err);
}

/* Each group of n loads is part of three slopes; neighbours among these are uncorrelated. */
size_t gc_slopes_of_single(const uint32_t *trace, size_t loads, uint32_t n, double *slopes)
{
  const size_t groups = loads / n;
  size_t count = 0;

  for (size_t g = 0; g < groups; g++) {
    slopes[g] = 0;
    for (uint32_t i = 0; i < n; i++)
      slopes[g] += trace[g * n + i];
  }
  for (; count + 2 < groups; count++)
    slopes[count] = (slopes[count] + slopes[count + 1] - slopes[count + 2]) / n;
  return count;
}

int gc_chain_latency(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                     double tolerance, struct gc_latency *latency)
{
  const struct gc_chain chain = {warm, n, 1 + LATENCY_REPEATS}; /* the first repetition warms up */
  struct gpu_latency_result seen[1 + LATENCY_REPEATS];
  double slopes[LATENCY_REPEATS];
  int status = gc_chain_cycles(bench, path, &chain, seen);

  if (status)
    return status;
  for (int i = 0; i < LATENCY_REPEATS; i++)
    slopes[i] = ((double)seen[i + 1].cycles_2n - (double)seen[i + 1].cycles_n) / n;
  gc_raw_repeats(bench->raw, slopes, LATENCY_REPEATS);
  latency->cycles = gc_median(slopes, LATENCY_REPEATS);
  latency->confidence = gc_median_confidence(slopes, LATENCY_REPEATS, latency->cycles, tolerance);
  return 0;
}
