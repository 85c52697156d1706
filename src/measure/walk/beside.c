/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/walk/beside.h"
#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

/* A reader waits for its rows as long as the chain waits for a load, or longer. */
#define READS_MOST (16 * GC_BESIDE_CHAIN)
#define GOLDEN 0.6180339887498949
/* A load beside others is faster if it takes at least so much less time: twice what each of the two
 * latencies may be wrong by. */
#define TOLERANCE 0.05
#define LESS (2 * TOLERANCE)

int gc_beside_alloc(struct gc_bench *bench, struct gc_beside *beside)
{
  beside->results = gc_step_alloc(bench, bench->properties.sms, sizeof(*beside->results));
  beside->trace = gc_step_alloc(bench, GC_BESIDE_CHAINS * GC_BESIDE_LOADS, sizeof(*beside->trace));
  return beside->results && beside->trace ? 0 : -ENOMEM;
}

void gc_beside_spread(const struct gc_bench *bench, uint32_t warps, struct gc_beside *beside)
{
  const uint32_t others = bench->properties.sms - beside->chains;

  beside->warps = warps ? (warps + others - 1) / others : 1;
  beside->readers = warps / beside->warps;
}

/* What the readers read: each warp reads its own part, so that two that read at different speeds
 * never read the same lines soon after each other. */
static void plan_reads(const struct gc_bench *bench, const struct gc_beside *beside,
                       struct gpu_under_load_args *args)
{
  const uint64_t tile = gc_tile_bytes(&bench->properties);
  const uint64_t tiles =
      beside->readers ? beside->bytes / tile / (beside->readers * beside->warps) : 1;

  args->base = bench->arena + beside->region;
  args->bytes = tiles * tile;
  args->warp_first = args->bytes;
  args->block_first = beside->warps * args->bytes;
  /* each launch begins where the others did not (the golden ratio spreads best) */
  args->first = (uint64_t)(fmod(beside->launches * GOLDEN, 1) * (double)tiles) * tile;
}

static double read_by(const struct gc_bench *bench, const struct gc_beside *beside)
{
  double gbps = 0;

  for (uint32_t i = 0; i < beside->readers; i++) {
    const struct gpu_bandwidth_result *r = &beside->results[i];

    if (r->end > r->start)
      gbps += (double)r->bytes / (double)(r->end - r->start) * bench->mhz / 1e3;
  }
  return gbps;
}

int gc_beside_launch(struct gc_bench *bench, struct gc_beside *beside, bool *met)
{
  struct {
    uint64_t done, starts[GC_BESIDE_CHAINS];
  } job = {0};
  const uint64_t jobs = gc_scratch_large(bench); /* not the exchange: chains add to `done` */
  struct gpu_under_load_args args = {.starts = jobs + sizeof(job.done),
                                     .trace = gc_scratch_trace(bench),
                                     .done = jobs,
                                     .results = gc_exchange_results(bench),
                                     .sink = bench->scratch,
                                     .warm = GC_BESIDE_WARM,
                                     .loads = GC_BESIDE_LOADS,
                                     .count = beside->quiet ? 1 : READS_MOST,
                                     .chains = beside->chains};
  const uint32_t blocks = beside->readers + beside->chains;
  int status;

  plan_reads(bench, beside, &args);
  for (uint32_t i = 0; i < beside->chains; i++)
    job.starts[i] = beside->starts[i];
  beside->launches++;
  if ((status = bench->ops->upload(bench->device, jobs, &job, sizeof(job), bench->err)) ||
      (status = gc_bench_launch(bench, GC_KERNEL_under_load, blocks,
                                beside->warps * bench->properties.warp, 0, &args)) ||
      (status = bench->ops->download(bench->device, beside->results, args.results,
                                     blocks * sizeof(*beside->results), bench->err)))
    return status;
  *met = gc_sms_met(&beside->results->sm, sizeof(*beside->results), blocks);
  beside->gbps = read_by(bench, beside);
  for (uint32_t i = 0; i < beside->chains; i++)
    beside->sms[i] = beside->results[beside->readers + i].sm;
  return bench->ops->download(bench->device, beside->trace, args.trace,
                              (size_t)beside->chains * GC_BESIDE_LOADS * sizeof(*beside->trace),
                              bench->err);
}

bool gc_beside_faster(double alone[GC_BESIDE_REPEATS], double beside[GC_BESIDE_REPEATS])
{
  gc_sort(alone, GC_BESIDE_REPEATS);
  gc_sort(beside, GC_BESIDE_REPEATS);
  return beside[GC_BESIDE_REPEATS - 1] < alone[0] &&
         gc_median(beside, GC_BESIDE_REPEATS) < (1 - LESS) * gc_median(alone, GC_BESIDE_REPEATS);
}

void gc_beside_keep(struct gc_measured *element, double alone[GC_BESIDE_REPEATS],
                    double beside[GC_BESIDE_REPEATS], double confidence)
{
  const double cycles = gc_median(beside, GC_BESIDE_REPEATS);

  confidence *= gc_median_confidence(beside, GC_BESIDE_REPEATS, cycles, TOLERANCE * cycles);
  element->traffic = (struct gc_traffic){.idle_cycles = gc_median(alone, GC_BESIDE_REPEATS),
                                         .beside = {cycles, confidence}};
}
