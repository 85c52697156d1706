/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of L2 and of device memory while SMs read: a few SMs time single loads, the others
 * keep a number of loads in flight, none at first. Bandwidth times latency is what must be in
 * flight for the full bandwidth if nothing has to wait (Little's law). A quarter and half of that
 * is little load; with four times as much, most loads wait. doc/methods.md, "Latency under load".
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/core/footprint.h"
#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "measure/walk/cold_pages.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define REPEATS 9
/* SMs that time loads: several, because one may be near to most of few lines; but few, because they
 * hardly add to the load. */
#define CHAINS 8
#define CHAINS_SHARE 8 /* of the SMs, at most */
#define PART 64        /* loads of one repetition in each chain, whole pages */
/* Loads before them, untimed: on an H100 the last reader begins a few microseconds after the first
 * one. */
#define WARM 64
#define LOADS (REPEATS * PART)
#define CHAIN (WARM + LOADS)
#define CHAIN_PAGES (CHAIN / GC_OF_PAGE)
#define LEAST_PAGES (2 * CHAIN_PAGES)
#define LAUNCHES (GC_LOAD_POINTS + 1) /* one that does not count, for the readers */
/* A reader waits for its rows as long as the chain waits for a load, or longer. */
#define READS_MOST (16 * CHAIN)
#define TOLERANCE 0.05 /* half of the loads may be near and half of them far, so parts differ */
#define SURE_ENOUGH 0.8
#define LINE 128                         /* bytes: each slot of the ring in L2 is in its own line */
#define RING_BYTES ((uint64_t)256 << 10) /* in L2, or a sixteenth of it if that is less */
#define RING_SHARE 16
#define GOLDEN 0.6180339887498949
#define L2_SHARE 4 /* of L2 is what the others read */

/* How much is in flight, by bandwidth times idle latency. No more once the bandwidth is used up:
 * then only the queue of loads that wait grows. */
#define USED_UP 0.95
/* A bandwidth may be wrong by 3 %, and a rate of one launch varies as much. */
#define MOST_GBPS 1.06
static const double shares[GC_LOAD_POINTS - 1] = {0.25, 0.5, 1, 2, 4};

struct search {
  struct gc_measurement *m;
  enum gc_kind kind;
  uint64_t ring_bytes;    /* at the start of the arena */
  uint64_t region, bytes; /* what the others read: offset in the arena, size */
  uint64_t tile;          /* bytes that a warp reads in an iteration */
  uint32_t launches;      /* so far */
  uint32_t chains;
  uint64_t pages;         /* of all chains in device memory */
  struct gpu_bandwidth_result *results; /* [SMs] */
  uint32_t *trace;                      /* [CHAINS][LOADS] */
  bool cached; /* more was read than this memory delivers, so caches had some of it */
};

static uint64_t ring_bytes(const struct gc_properties *p)
{
  const uint64_t part = p->l2_bytes / RING_SHARE / LINE * LINE;

  return part < RING_BYTES ? part : RING_BYTES;
}

/* Of all launches; each has pages of its own. */
static uint64_t pages_of(uint32_t chains)
{
  return (uint64_t)LAUNCHES * chains * CHAIN_PAGES;
}

/* How many chains, and how many pages they use. If memory is scarce, a launch uses pages of the
 * launch before the last one again. 0: there is too little for that, too. */
static uint32_t chains_of(const struct gc_bench *bench, enum gc_kind kind, uint64_t *pages)
{
  const uint64_t fit = gc_cold_bytes(bench) / GC_PAGE - 1;
  const uint32_t share = bench->properties.sms / CHAINS_SHARE;
  uint32_t chains = share < 1 ? 1 : share < CHAINS ? share : CHAINS;

  if (kind == GC_L2)
    return chains;
  while (chains > 1 && pages_of(chains) > fit)
    chains--;
  *pages = pages_of(chains) < fit ? pages_of(chains) : fit;
  return *pages < LEAST_PAGES ? 0 : chains;
}

uint64_t gc_needs_under_load(const struct gc_measurement *m, enum gc_kind kind)
{
  const struct gc_properties *p = &m->bench.properties;

  return kind == GC_L2 ? ring_bytes(p) + p->l2_bytes / L2_SHARE
                       : gc_needs_memory_bandwidth(m, kind);
}

/* Where the reads of device memory are: behind the arena, which has the chains and what emptied the
 * caches; or, if there is little else, in the arena between the chains and what the caches still
 * hold, which is what was read last. */
static void find_reads(struct search *s)
{
  const struct gc_bench *bench = &s->m->bench;
  const uint64_t l2 = gc_all_l2_bytes(&bench->properties), held = l2 + bench->properties.l3_bytes;
  const uint64_t from = gc_cold_bytes(bench) + (bench->properties.l3_bytes ? 2 * l2 : 0);
  const uint64_t until = bench->arena_bytes > held ? bench->arena_bytes - held : 0;
  const uint64_t behind = bench->walk_bytes - bench->arena_bytes;
  const bool within = until > from && until - from > behind;

  s->region = (within ? from : bench->arena_bytes) / GC_PAGE * GC_PAGE;
  s->bytes = (within ? until : bench->walk_bytes) - s->region;
}

/* Where the chains of the next launch begin. */
static void find_starts(const struct search *s, uint64_t starts[CHAINS])
{
  const struct gc_bench *bench = &s->m->bench;
  const uint64_t launch = s->launches % LAUNCHES, slots = s->ring_bytes / LINE;

  for (uint32_t i = 0; i < s->chains; i++)
    starts[i] =
        s->kind == GC_L2
            ? gc_ring_address(bench, GC_ADDRESS_GLOBAL, i * slots / s->chains * LINE)
            : gc_cold_pages_at(bench, s->pages, (launch * s->chains + i) * CHAIN_PAGES);
}

/* Lays the chain, and brings into L2 what shall be there. */
static int prepare(struct search *s)
{
  struct gc_bench *bench = &s->m->bench;
  int status;

  if (s->kind == GC_DEVICE_MEMORY)
    return gc_cold_pages_lay(bench, s->pages);
  status = gc_ring_lay(bench, GC_ADDRESS_GLOBAL, s->ring_bytes, LINE,
                       gc_ring_scatter(s->ring_bytes / LINE));
  return status ? status : gc_fill_l2(bench, 0, s->region + s->bytes, LINE / 4, 1);
}

/* What the readers read: each warp reads its own part, so that two that read at different speeds
 * never read the same lines soon after each other. */
static void plan_reads(const struct search *s, uint32_t readers, uint32_t warps,
                       struct gpu_under_load_args *args)
{
  const uint64_t tiles = readers ? s->bytes / s->tile / (readers * warps) : 1;

  args->base = s->m->bench.arena + s->region;
  args->bytes = tiles * s->tile;
  args->warp_first = args->bytes;
  args->block_first = warps * args->bytes;
  /* each launch begins where the others did not (the golden ratio spreads best) */
  args->first = (uint64_t)(fmod(s->launches * GOLDEN, 1) * (double)tiles) * s->tile;
}

/* One launch. *gbps: what the readers got; parts: the latency in each repetition, cycles. */
static int run(struct search *s, uint32_t readers, uint32_t warps, double *gbps,
               double parts[REPEATS])
{
  struct gc_bench *bench = &s->m->bench;
  struct {
    uint64_t done, starts[CHAINS];
  } job = {0};
  const uint64_t jobs = gc_scratch_large(bench); /* not the exchange: chains add to `done` */
  struct gpu_under_load_args args = {.starts = jobs + sizeof(job.done),
                                     .trace = gc_scratch_trace(bench),
                                     .done = jobs,
                                     .results = gc_exchange_results(bench),
                                     .sink = bench->scratch,
                                     .warm = WARM,
                                     .loads = LOADS,
                                     .count = READS_MOST,
                                     .chains = s->chains};
  const uint32_t blocks = readers + s->chains;
  double cycles[CHAINS * PART];
  bool met = true;
  int status = 0;

  plan_reads(s, readers, warps, &args);
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && met; attempt++) {
    find_starts(s, job.starts);
    s->launches++;
    status = bench->ops->upload(bench->device, jobs, &job, sizeof(job), bench->err);
    if (!status)
      status = gc_bench_launch(bench, GC_KERNEL_under_load, blocks, warps * bench->properties.warp,
                               0, &args);
    if (!status)
      status = bench->ops->download(bench->device, s->results, args.results,
                                    blocks * sizeof(*s->results), bench->err);
    if (!status)
      met = gc_sms_met(&s->results->sm, sizeof(*s->results), blocks);
  }
  if (status ||
      (status = bench->ops->download(bench->device, s->trace, args.trace,
                                     (size_t)s->chains * LOADS * sizeof(*s->trace), bench->err)))
    return status;
  if (met)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  *gbps = 0;
  for (uint32_t i = 0; i < readers; i++)
    if (s->results[i].end > s->results[i].start)
      *gbps += (double)s->results[i].bytes / (double)(s->results[i].end - s->results[i].start) *
               bench->mhz / 1e3;
  for (uint32_t r = 0; r < REPEATS; r++) {
    size_t n = 0;

    for (uint32_t i = 0; i < s->chains; i++)
      for (uint32_t k = 0; k < PART; k++)
        if (s->kind == GC_L2 || k % GC_OF_PAGE)
          cycles[n++] = s->trace[i * LOADS + r * PART + k];
    parts[r] = gc_midhinge(cycles, n) - s->m->results->overhead.cycles;
  }
  return 0;
}

/* Measures with about so many reading warps, 0: none. What caches had some of does not count. */
static int measure(struct search *s, uint32_t warps, struct gc_by_load *all, double *confidence)
{
  struct gc_bench *bench = &s->m->bench;
  const uint32_t others = bench->properties.sms - s->chains;
  const uint32_t each = warps ? (warps + others - 1) / others : 1;
  double parts[REPEATS], gbps, value;
  uint32_t at = all->count;
  int status = run(s, warps / each, each, &gbps, parts);

  if (status)
    return status;
  s->cached = gbps > MOST_GBPS * s->m->results->element[s->kind].read_gbps;
  for (uint32_t r = 0; r < REPEATS; r++)
    gc_raw_row(bench->raw, "read by the others, GB/s\tlatency, cycles", (double[]){gbps, parts[r]});
  if (s->cached)
    return 0;
  gc_sort(parts, REPEATS);
  value = gc_median(parts, REPEATS);
  *confidence = fmin(*confidence, gc_median_confidence(parts, REPEATS, value, TOLERANCE * value));
  /* ascending */
  for (; at && all->gbps[at - 1] > gbps; at--) {
    all->gbps[at] = all->gbps[at - 1];
    all->ns[at] = all->ns[at - 1];
  }
  all->gbps[at] = gbps;
  all->ns[at] = value * 1e3 / bench->mhz;
  all->count++;
  return 0;
}

int gc_step_under_load(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  const bool l2 = element->kind == GC_L2;
  struct search s = {.m = m,
                     .kind = element->kind,
                     .tile = (uint64_t)GPU_BANDWIDTH_ROWS * p->warp * GC_LANE_BYTES,
                     .results = gc_step_alloc(bench, p->sms, sizeof(*s.results)),
                     .trace = gc_step_alloc(bench, CHAINS * LOADS, sizeof(*s.trace))};
  struct gc_by_load *all = &element->under_load;
  double confidence = m->results->overhead.confidence;
  double gbps, parts[REPEATS];
  uint32_t others, before = 0; /* warps of the launch before */
  int status;

  s.chains = chains_of(bench, element->kind, &s.pages);
  if (!s.chains) /* one half of the arena evicts the other */
    return gc_set_lacks_memory(m, element, GC_LATENCY_UNDER_LOAD, 2 * LEAST_PAGES * GC_PAGE);
  others = p->sms - s.chains;
  if (!others)
    return gc_no_value(bench, "no SM is left to read while one times loads");
  if (!gc_found(element, GC_READ))
    return gc_no_value(bench, "the read bandwidth is not known");
  if (l2 && m->results->l2_lost)
    return gc_no_value(bench, gc_l2_lost_why);
  if (!s.results || !s.trace)
    return -ENOMEM;
  s.ring_bytes = l2 ? ring_bytes(p) : (s.pages + 1) * GC_PAGE;
  s.region = (s.ring_bytes + s.tile - 1) / s.tile * s.tile;
  s.bytes = p->l2_bytes / L2_SHARE;
  if (!l2)
    find_reads(&s);
  if (s.bytes < s.tile || !s.ring_bytes)
    return gc_no_value(bench, "the L2 is too small");
  if ((status = prepare(&s)) || (status = measure(&s, 0, all, &confidence)))
    return status;
  if (!(all->ns[0] > 0)) /* noise of the clock */
    return gc_no_value(bench, "the clock did not advance during loads");
  /* the readers' lines come to their side of L2, and their pages into the TLBs */
  if ((status = run(&s, others, 1, &gbps, parts)))
    return status;
  for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && !status && !s.cached; i++) {
    const double flight = shares[i] * element->read_gbps * all->ns[0] / (double)s.tile;
    const double most =
        fmin((double)others * (p->threads_per_block / p->warp), (double)(s.bytes / s.tile));
    const uint32_t warps = (uint32_t)fmin(flight, most);

    /* a small GPU may need only a few warps, or more than it can have */
    if (warps <= before || all->gbps[all->count - 1] > USED_UP * element->read_gbps)
      continue;
    status = measure(&s, warps, all, &confidence);
    before = warps;
  }
  if (status)
    return status;
  if (confidence >= SURE_ENOUGH)
    return gc_set_measured(element, GC_LATENCY_UNDER_LOAD, confidence);
  bench->signs |= GC_SIGN_SCATTER;
  return gc_set_absent(element, GC_LATENCY_UNDER_LOAD, "parts of a chain of loads disagree");
}
