/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth of what all SMs use together. The GPU's wall clock measures the time from the start of
 * the first block to the end of the last one. doc/methods.md, "Bandwidth"; MT4G 2025, IV-I.
 *
 * L2: the array has a quarter of the nominal size, so that every SM finds it on its own side of an
 * L2 with partitions. Each warp walks all of it in scattered order, and no two warps are at the
 * same place at the same time. Otherwise SMs that load the same line together get it together, and
 * L2 looks twice as fast as it is (on an H200: 19 TB/s instead of 9). If each XCD has an L2, all of
 * them hold this array, and SMs of different XCDs do not compete. L3: the array has half its size,
 * which no L2 keeps. Device memory: the array is so large that a walk hits almost nothing of the
 * walk before it. A value that is larger than bus and clock allow is withheld.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/core/footprint.h"
#include "measure/core/step_memory.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <math.h>

/* Length of a timed launch: delays at its start and end are well below 1 % of it. */
#define LONG_NS 120000.0
/* The same for device memory, where refreshes spread the medians of short launches by 3 %; not if
 * there is an L3, because so long a walk returns to its own lines. */
#define MEMORY_NS 300000.0
#define FIRST_ITERATIONS 8
#define TRIES 12 /* attempts to make a launch long enough */
/* Largest factor from one attempt to the next, because a coarse clock may show too short a time. */
#define GROWTH 8
#define FEWER_REPEATS 3   /* most launches with half of the warps */
#define L2_SHARE 4        /* the array is the nominal size divided by this */
#define L2_READ_STRIDE 32 /* bytes: at most the sector of any L2 */
#define L3_SHARE 2        /* the array is the L3 divided by this, and */
#define L3_L2S 2          /* and at least this many times all L2 */
#define L3_STRIDE 64      /* bytes: at most the line of any L3 */

static uint32_t more_iterations(uint32_t iterations, uint64_t ns, double wanted)
{
  return (uint32_t)(iterations * ((double)ns * GROWTH > wanted ? wanted / (double)ns : GROWTH));
}

/* What the same walk moves with half of the warps, and so with half of the loads in flight. By
 * Little's law it moves half as much if the loads in flight limit it, and as much if L2 or memory
 * does. *most: the most of some repetitions, which end when `value` is explained. */
static int measure_fewer(struct gc_bench *bench, struct gc_flow *flow,
                         struct gpu_bandwidth_result *results, double value, double *most)
{
  const uint32_t warp = bench->properties.warp, warps = flow->threads / warp;
  struct gc_flow half = *flow;
  uint64_t bytes, ns;
  int status = 0;

  *most = 0;
  half.threads = warps / 2 * warp;
  half.args.count *= 2; /* as long a launch */
  for (int r = 0; r < FEWER_REPEATS && half.threads && value > GC_GAIN_MAX * *most && !status;
       r++) {
    status = gc_flow_walk(bench, &half, results, &bytes, &ns);
    *most = ns ? fmax(*most, (double)bytes / (double)ns) : *most;
  }
  flow->args.first = half.args.first; /* caches may still have what was just walked */
  gc_raw_note(bench->raw,
              flow->kernel == GC_KERNEL_atomics_cg ? "atomics per ns with half of the warps"
              : flow->kernel == GC_KERNEL_write_cg ? "write, GB/s with half of the warps"
                                                   : "read, GB/s with half of the warps",
              *most);
  return status;
}

int gc_rate_of_gpu(struct gc_bench *bench, struct gc_flow *flow, double wanted,
                   struct gc_rate *rate)
{
  struct gpu_bandwidth_result *results = gc_step_alloc(bench, flow->blocks, sizeof(*results));
  double values[GC_RATE_REPEATS] = {0};
  uint64_t bytes, ns = 0;
  int status = results ? 0 : -ENOMEM;

  flow->args.repeats = 1;
  for (int i = 0; i < TRIES && !status && (double)ns < 0.9 * wanted; i++) {
    if (i)
      flow->args.count = more_iterations(flow->args.count, ns, wanted);
    status = gc_flow_walk(bench, flow, results, &bytes, &ns);
  }
  for (int r = 0; r < GC_RATE_REPEATS && !status; r++) {
    status = gc_flow_walk(bench, flow, results, &bytes, &ns);
    values[r] = ns ? (double)bytes / (double)ns : 0;
  }
  if (!status) {
    gc_rate_of(bench, flow, values, rate);
    status = measure_fewer(bench, flow, results, rate->value, &rate->fewer);
  }
  return status;
}

/* Measures reads, then writes. */
static int measure_both(struct gc_measurement *m, struct gc_flow *flow, struct gc_measured *element,
                        const struct gc_rate_limit *limit)
{
  const bool refreshed = element->kind == GC_DEVICE_MEMORY && !m->bench.properties.l3_bytes;
  const double wanted = refreshed ? MEMORY_NS : LONG_NS;
  struct gc_rate rate;
  int status;

  flow->kernel = GC_KERNEL_read_cg;
  flow->args.count = FIRST_ITERATIONS;
  if ((status = gc_rate_of_gpu(&m->bench, flow, wanted, &rate)))
    return status;
  gc_rate_put(m, element, GC_READ, &element->read_gbps, &rate, limit);
  flow->kernel = GC_KERNEL_write_cg;
  flow->args.count = FIRST_ITERATIONS;
  status = gc_rate_of_gpu(&m->bench, flow, wanted, &rate);
  return status ? status : gc_rate_put(m, element, GC_WRITE, &element->write_gbps, &rate, limit);
}

/* All SMs together cannot move more, to any level. GB/s. */
static struct gc_rate_limit sms_limit(const struct gc_bench *bench)
{
  return (struct gc_rate_limit){gc_sm_limit(&bench->properties) * bench->properties.sms *
                                    bench->mhz / 1e3,
                                "GB/s", "the way to the SMs"};
}

uint64_t gc_needs_l2_bandwidth(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return m->bench.properties.l2_bytes / L2_SHARE;
}

int gc_step_l2_bandwidth(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_rate_limit limit = sms_limit(bench);
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = gc_tile_bytes(p), tiles = p->l2_bytes / L2_SHARE / tile;
  const uint32_t sms = p->sms / p->l2_count; /* SMs that use the same L2 */
  const uint64_t each = tiles / sms, most = p->threads_per_block / p->warp;
  const uint64_t warps = each < most ? each : most; /* at most so many warps that each can be at a
                                                       tile of its own */
  struct gc_flow flow = {.blocks = p->sms, .threads = (uint32_t)warps * p->warp};
  uint64_t apart;
  int status;

  if (!p->l2_bytes)
    return gc_no_value(bench, "the driver does not report a nominal size");
  if (m->results->l2_lost)
    return gc_no_value(bench, gc_l2_lost_why);
  if (!warps)
    return gc_no_value(bench, "the L2 is too small for so many SMs");
  apart = tiles / (sms * warps) * tile;
  flow.args = (struct gpu_bandwidth_args){.base = bench->arena,
                                          .bytes = tiles * tile,
                                          .block_first = warps * apart,
                                          .warp_first = apart,
                                          .step = gc_ring_scatter(tiles) * tile};
  status = gc_fill_l2(bench, 0, tiles * tile, L2_READ_STRIDE, 1);
  return status ? status : measure_both(m, &flow, element, &limit);
}

/* In each iteration all blocks move adjacent tiles. The walk ends one tile after the end of a
 * block's part, so each warp begins the next round at other lines. It meets all lines only after as
 * many rounds as there are warps. */
static struct gpu_bandwidth_args long_walk(const struct gc_properties *p, uint64_t base,
                                           uint64_t bytes)
{
  const uint64_t tile = gc_tile_bytes(p), part = p->threads_per_block / p->warp * tile;

  return (struct gpu_bandwidth_args){.base = base,
                                     .bytes = (bytes / part - 1) * part + tile,
                                     .block_first = part,
                                     .warp_first = tile,
                                     .step = p->sms * part};
}

uint64_t gc_needs_l3_bandwidth(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return m->bench.properties.l3_bytes / L3_SHARE;
}

int gc_step_l3_bandwidth(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_rate_limit limit = sms_limit(bench);
  const struct gc_properties *p = &bench->properties;
  const uint32_t warps = p->threads_per_block / p->warp;
  const uint64_t bytes = p->l3_bytes / L3_SHARE;
  struct gc_flow flow = {.blocks = p->sms, .threads = warps * p->warp};
  int status;

  if (bytes < L3_L2S * gc_all_l2_bytes(p) || bytes < (p->sms + 1) * warps * gc_tile_bytes(p))
    return gc_no_value(bench, "it is too small to be seen behind the L2");
  flow.args = long_walk(p, bench->arena, bytes);
  status = gc_read_by_all(bench, 0, bytes, L3_STRIDE);
  return status ? status : measure_both(m, &flow, element, &limit);
}

/* The most that bus and clock allow, GB/s; 0: not known. */
static double bus_limit(const struct gc_properties *p)
{
  return (double)p->transfers_per_clock * p->memory_clock_khz * p->memory_bus_bits / 8e6;
}

uint64_t gc_needs_memory_bandwidth(const struct gc_measurement *m, enum gc_kind kind)
{
  const struct gc_properties *p = &m->bench.properties;
  const uint64_t enough = gc_walk_enough(p);
  const uint64_t parts = (p->sms + 1) * (p->threads_per_block / p->warp) * gc_tile_bytes(p);

  (void)kind;
  return enough > parts ? enough : parts;
}

int gc_step_memory_bandwidth(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  const struct gc_rate_limit limit = {bus_limit(p), "GB/s", "the memory bus"};
  const uint32_t warps = p->threads_per_block / p->warp;
  struct gc_flow flow = {.blocks = p->sms, .threads = warps * p->warp};
  const uint64_t bytes = bench->walk_bytes;
  int status;

  flow.args = long_walk(p, bench->arena, bytes);
  /* few SMs read no more than the L3 may still have of the start of the arena */
  status = p->l3_bytes ? gc_empty_caches(bench) : 0;
  return status ? status : measure_both(m, &flow, element, &limit);
}
