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
#include "measure/walk/beside.h"
#include "measure/walk/cold_pages.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define CHAINS_SHARE 8 /* of the SMs follow chains, at most */
#define CHAIN_PAGES (GC_BESIDE_CHAIN / GC_OF_PAGE)
#define LEAST_PAGES (2 * CHAIN_PAGES)
/* One that does not count, for the readers, and one after the others (confirm) */
#define LAUNCHES (GC_LOAD_POINTS + 2)
#define TOLERANCE 0.05 /* half of the loads may be near and half of them far, so parts differ */
#define SURE_ENOUGH 0.8
#define LINE 128                         /* bytes: each slot of the ring in L2 is in its own line */
#define RING_BYTES ((uint64_t)256 << 10) /* in L2, or a sixteenth of it if that is less */
#define RING_SHARE 16
#define L2_SHARE 4 /* of L2 is what the others read */

/* How much is in flight, by bandwidth times idle latency. No more once the bandwidth is used up:
 * then only the queue of loads that wait grows. */
#define USED_UP 0.95
/* Loads hardly wait beside so little traffic. */
#define LITTLE 0.5
/* A bandwidth may be wrong by 3 %, and a rate of one launch varies as much. */
#define MOST_GBPS 1.06
static const double shares[GC_LOAD_POINTS - 1] = {0.25, 0.5, 1, 2, 4};

struct search {
  struct gc_measurement *m;
  struct gc_measured *element;
  struct gc_beside beside;
  uint64_t ring_bytes;             /* at the start of the arena */
  uint64_t pages;                  /* of all chains in device memory */
  double alone[GC_BESIDE_REPEATS]; /* the latency without load in each repetition, cycles */
  double least[GC_BESIDE_REPEATS]; /* the same beside a little load, if that is clearly less */
  struct gc_beside little;         /* the launch that gave it; chains 0: there is none */
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
  uint32_t chains = share < 1 ? 1 : share < GC_BESIDE_CHAINS ? share : GC_BESIDE_CHAINS;

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

  s->beside.region = (within ? from : bench->arena_bytes) / GC_PAGE * GC_PAGE;
  s->beside.bytes = (within ? until : bench->walk_bytes) - s->beside.region;
}

/* Where the chains of the next launch begin. */
static void find_starts(struct search *s)
{
  const struct gc_bench *bench = &s->m->bench;
  struct gc_beside *beside = &s->beside;
  const uint64_t launch = beside->launches % LAUNCHES, slots = s->ring_bytes / LINE;

  for (uint32_t i = 0; i < beside->chains; i++)
    beside->starts[i] =
        s->element->kind == GC_L2
            ? gc_ring_address(bench, GC_ADDRESS_GLOBAL, i * slots / beside->chains * LINE)
            : gc_cold_pages_at(bench, s->pages, (launch * beside->chains + i) * CHAIN_PAGES);
}

/* Lays the chain, and brings into L2 what shall be there. */
static int prepare(struct search *s)
{
  struct gc_bench *bench = &s->m->bench;
  int status;

  if (s->element->kind == GC_DEVICE_MEMORY)
    return gc_cold_pages_lay(bench, s->pages);
  status = gc_ring_lay(bench, GC_ADDRESS_GLOBAL, s->ring_bytes, LINE,
                       gc_ring_scatter(s->ring_bytes / LINE));
  return status ? status : gc_fill_l2(bench, 0, s->beside.region + s->beside.bytes, LINE / 4, 1);
}

/* One launch. parts: the latency in each repetition, cycles. */
static int run(struct search *s, double parts[GC_BESIDE_REPEATS])
{
  struct gc_bench *bench = &s->m->bench;
  const struct gc_beside *beside = &s->beside;
  double cycles[GC_BESIDE_CHAINS * GC_BESIDE_PART];
  bool met = true;
  int status = 0;

  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && met; attempt++) {
    find_starts(s);
    status = gc_beside_launch(bench, &s->beside, &met);
  }
  if (status)
    return status;
  if (met)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  for (uint32_t r = 0; r < GC_BESIDE_REPEATS; r++) {
    size_t n = 0;

    for (uint32_t i = 0; i < beside->chains; i++)
      for (uint32_t k = 0; k < GC_BESIDE_PART; k++)
        if (s->element->kind == GC_L2 || k % GC_OF_PAGE)
          cycles[n++] = beside->trace[i * GC_BESIDE_LOADS + r * GC_BESIDE_PART + k];
    parts[r] = gc_midhinge(cycles, n) - s->m->results->overhead.cycles;
  }
  return 0;
}

/* Measures with about so many reading warps, 0: none. What caches had some of does not count. */
static int measure(struct search *s, uint32_t warps, double *confidence)
{
  struct gc_bench *bench = &s->m->bench;
  struct gc_beside *beside = &s->beside;
  struct gc_by_load *all = &s->element->under_load;
  double parts[GC_BESIDE_REPEATS], value;
  uint32_t at = all->count;
  int status;

  gc_beside_spread(bench, warps, beside);
  if ((status = run(s, parts)))
    return status;
  for (uint32_t r = 0; r < GC_BESIDE_REPEATS; r++)
    gc_raw_row(bench->raw, "read by the others, GB/s\tlatency, cycles",
               (double[]){beside->gbps, parts[r]});
  s->cached = beside->gbps > MOST_GBPS * s->element->read_gbps;
  if (s->cached)
    return 0;
  if (!warps)
    memcpy(s->alone, parts, sizeof(parts));
  value = gc_median(parts, GC_BESIDE_REPEATS);
  if (warps && beside->gbps < LITTLE * s->element->read_gbps && gc_beside_faster(s->alone, parts) &&
      (!s->little.chains || value < gc_median(s->least, GC_BESIDE_REPEATS))) {
    memcpy(s->least, parts, sizeof(parts));
    s->little = *beside;
  }
  *confidence =
      fmin(*confidence, gc_median_confidence(parts, GC_BESIDE_REPEATS, value, TOLERANCE * value));
  /* ascending */
  for (; at && all->gbps[at - 1] > beside->gbps; at--) {
    all->gbps[at] = all->gbps[at - 1];
    all->ns[at] = all->ns[at - 1];
  }
  all->gbps[at] = beside->gbps;
  all->ns[at] = value * 1e3 / bench->mhz;
  all->count++;
  return 0;
}

/* All points of the curve, from the one without load on. */
static int measure_all(struct search *s, double *confidence)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gc_properties *p = &bench->properties;
  const struct gc_by_load *all = &s->element->under_load;
  const uint32_t others = p->sms - s->beside.chains;
  const double tile = (double)gc_tile_bytes(&bench->properties), read = s->element->read_gbps;
  const double most =
      fmin((double)others * (p->threads_per_block / p->warp), (double)s->beside.bytes / tile);
  double parts[GC_BESIDE_REPEATS];
  uint32_t before = 0; /* warps of the launch before */
  int status = measure(s, 0, confidence);

  if (status)
    return status;
  if (!(all->ns[0] > 0)) /* noise of the clock */
    return gc_no_value(bench, "the clock did not advance during loads");
  /* the readers' lines come to their side of L2, and their pages into the TLBs */
  gc_beside_spread(bench, (uint32_t)fmin(others, most), &s->beside);
  status = run(s, parts);
  for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && !status && !s->cached; i++) {
    const uint32_t warps = (uint32_t)fmin(shares[i] * read * all->ns[0] / tile, most);

    /* a small GPU may need only a few warps, or more than it can have */
    if (warps <= before || all->gbps[all->count - 1] > USED_UP * read)
      continue;
    status = measure(s, warps, confidence);
    before = warps;
  }
  return status;
}

/* Loads were faster beside a little load. Without others, more blocks run on other SMs, which may
 * be the reason: so measures again without load, on the same SMs. */
static int confirm(struct search *s)
{
  struct gc_beside *beside = &s->beside;
  int status;

  beside->readers = s->little.readers;
  beside->warps = s->little.warps;
  beside->quiet = true;
  status = run(s, s->alone);
  if (!status && !memcmp(beside->sms, s->little.sms, sizeof(beside->sms)) &&
      gc_beside_faster(s->alone, s->least))
    gc_beside_keep(s->element, s->alone, s->least, s->m->results->overhead.confidence);
  return status;
}

int gc_step_under_load(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  const bool l2 = element->kind == GC_L2;
  const uint64_t tile = gc_tile_bytes(&bench->properties);
  struct search s = {.m = m, .element = element};
  struct gc_beside *beside = &s.beside;
  double confidence = m->results->overhead.confidence;
  int status;

  beside->chains = chains_of(bench, element->kind, &s.pages);
  if (!beside->chains) /* one half of the arena evicts the other */
    return gc_set_lacks_memory(m, element, GC_LATENCY_UNDER_LOAD, 2 * LEAST_PAGES * GC_PAGE);
  if (p->sms == beside->chains)
    return gc_no_value(bench, "no SM is left to read while one times loads");
  if (!gc_found(element, GC_READ))
    return gc_no_value(bench, "the read bandwidth is not known");
  if (l2 && m->results->l2_lost)
    return gc_no_value(bench, gc_l2_lost_why);
  s.ring_bytes = l2 ? ring_bytes(p) : (s.pages + 1) * GC_PAGE;
  beside->region = (s.ring_bytes + tile - 1) / tile * tile;
  beside->bytes = p->l2_bytes / L2_SHARE;
  if (!l2)
    find_reads(&s);
  if (beside->bytes < tile || !s.ring_bytes)
    return gc_no_value(bench, "the L2 is too small");
  if ((status = gc_beside_alloc(bench, beside)) || (status = prepare(&s)) ||
      (status = measure_all(&s, &confidence)) || (s.little.chains && (status = confirm(&s))))
    return status;
  if (confidence >= SURE_ENOUGH)
    return gc_set_measured(element, GC_LATENCY_UNDER_LOAD, confidence);
  bench->signs |= GC_SIGN_SCATTER;
  return gc_set_absent(element, GC_LATENCY_UNDER_LOAD, "parts of a chain of loads disagree");
}
