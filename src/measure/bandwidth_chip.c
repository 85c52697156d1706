/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth of what all SMs use together, by the wall clock of the GPU: from the begin of the first
 * block to the end of the last.
 *
 * L2: an array of a quarter of its nominal size, which every SM finds on its own side of a divided
 * one. Each warp walks all of it, scattered, and no two are in the same place at the same time: SMs
 * that ask for the same line together get it together, and L2 would look twice as fast as it is (on
 * an H200: 19 TB/s instead of 9). Where each XCD has an L2, all of them hold this array, and SMs of
 * different XCDs do not get in each other's way. L3: an array of half its size, which no L2 keeps. Device
 * memory: an array so large that a walk finds nothing of the one before. What bus and clock allow is the
 * limit of what is believed.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bandwidth.h"
#include "measure/known.h"

#include <errno.h>
#include <stdlib.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define LONG_NS 120000.0 /* a timed launch: begin and end are well under 1 % of it; */
#define MEMORY_NS 300000.0 /* of device memory, whose refreshes make medians of short ones differ by 3 %, where a
                              walk that comes round finds nothing in an L3 */
#define FIRST_TURNS 8
#define TRIES 12         /* to make a launch long enough */
#define GROWTH 8         /* from one to the next, at most: a coarse clock may have said too little */
#define L2_SHARE 4       /* the array is the nominal size divided by this */
#define L3_SHARE 2       /* the array is the L3 divided by this, … */
#define L3_L2S 2         /* … and at least so many times all L2 */
#define L3_STRIDE 64     /* bytes: at most the line of any L3 */

/* One launch from where the one before it ended: bytes and nanoseconds of all blocks together. */
static int walk_on(struct gc_bench *bench, struct gc_flow *flow,
                   struct gpu_bandwidth_result *results, uint64_t *bytes, uint64_t *ns)
{
  const uint64_t walked = flow->args.count * flow->args.step;
  uint64_t start = UINT64_MAX, end = 0;
  int status = gc_flow_run(bench, flow, results);

  *bytes = *ns = 0;
  for (size_t i = 0; i < flow->blocks && !status; i++) {
    *bytes += results[i].bytes;
    start = results[i].start_ns < start ? results[i].start_ns : start;
    end = results[i].end_ns > end ? results[i].end_ns : end;
  }
  if (!status && end > start)
    *ns = end - start;
  flow->args.first = (flow->args.first + walked) % flow->args.bytes;
  return status;
}

static uint32_t more_turns(uint32_t turns, uint64_t ns, double wanted)
{
  return (uint32_t)(turns * ((double)ns * GROWTH > wanted ? wanted / (double)ns : GROWTH));
}

/* GB/s, from launches of about so many nanoseconds. */
static int measure(struct gc_bench *bench, struct gc_flow *flow, double wanted, struct gc_rate *rate)
{
  struct gpu_bandwidth_result *results = calloc(flow->blocks, sizeof(*results));
  double values[GC_RATE_REPEATS] = {0};
  uint64_t bytes, ns = 0;
  int status = results ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  flow->args.repeats = 1;
  flow->args.count = FIRST_TURNS;
  for (int i = 0; i < TRIES && !status && (double)ns < 0.9 * wanted; i++) {
    if (i)
      flow->args.count = more_turns(flow->args.count, ns, wanted);
    status = walk_on(bench, flow, results, &bytes, &ns);
  }
  for (int r = 0; r < GC_RATE_REPEATS && !status; r++) {
    status = walk_on(bench, flow, results, &bytes, &ns);
    values[r] = ns ? (double)bytes / (double)ns : 0;
  }
  if (!status)
    gc_rate_of(bench, flow, values, rate);
  free(results);
  return status;
}

/* Reads, then writes. */
static int measure_both(struct gc_bench *bench, struct gc_flow *flow, struct gc_element *element,
                        const struct gc_limit *limit)
{
  const bool memory = element->kind == GC_DEVICE_MEMORY && !bench->properties.l3_bytes;
  const double wanted = memory ? MEMORY_NS : LONG_NS;
  struct gc_rate rate;
  int status;

  flow->kernel = GC_KERNEL_read_cg;
  if ((status = measure(bench, flow, wanted, &rate)) ||
      (status = gc_rate_put(bench, element, HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ, &rate,
                            limit)))
    return status;
  flow->kernel = GC_KERNEL_write_cg;
  status = measure(bench, flow, wanted, &rate);
  return status ? status
                : gc_rate_put(bench, element, HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE,
                              &rate, limit);
}

static int put_both_absent(struct gc_bench *bench, struct gc_element *element, const char *why)
{
  const int status = gc_rate_put_absent(bench, element, HWLOC_GPUCACHE_READ, why);

  return status ? status : gc_rate_put_absent(bench, element, HWLOC_GPUCACHE_WRITE, why);
}

/* What a warp moves in one turn. */
static uint64_t tile_bytes(const struct gc_properties *p)
{
  return (uint64_t)GPU_BANDWIDTH_ROWS * p->warp * GC_LANE_BYTES;
}

/* All SMs together cannot take or give more, wherever it is. GB/s. */
static struct gc_limit sms_limit(const struct gc_bench *bench)
{
  return (struct gc_limit){gc_sm_limit(&bench->properties) * bench->properties.sms * bench->mhz / 1e3,
                           "GB/s", "the way to the SMs"};
}

int gc_step_l2_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_limit limit = sms_limit(bench);
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = tile_bytes(p), tiles = p->l2_bytes / L2_SHARE / tile;
  const uint32_t sms = p->sms / p->l2_count; /* that use the same L2 */
  const uint64_t room = tiles / sms, most = p->threads_per_block / p->warp;
  const uint64_t warps = room < most ? room : most;
  struct gc_flow flow = {.blocks = p->sms, .threads = (uint32_t)warps * p->warp};
  uint64_t apart;
  int status;

  if (!p->l2_bytes)
    return put_both_absent(bench, element, "the driver does not tell a nominal size");
  if (!warps)
    return put_both_absent(bench, element, "the L2 is too small for as many SMs");
  if (tiles * tile > bench->arena_bytes)
    return put_both_absent(bench, element, "too little free device memory");
  apart = tiles / (sms * warps) * tile;
  flow.args = (struct gpu_bandwidth_args){
    .base = bench->arena, .bytes = tiles * tile, .block_first = warps * apart, .warp_first = apart,
    .step = gc_bench_scatter(tiles) * tile};
  status = gc_fill_l2(bench, 0, tiles * tile, 32, 1);
  return status ? status : measure_both(bench, &flow, element, &limit);
}

/* All blocks side by side, turn by turn to the end of the array, which lies one tile behind the end of a
 * turn: so each warp begins the next round at other lines, and has had all of them only when it went as
 * many rounds as there are warps. */
static struct gpu_bandwidth_args long_walk(const struct gc_properties *p, uint64_t base, uint64_t bytes)
{
  const uint64_t tile = tile_bytes(p), turn = p->threads_per_block / p->warp * tile;

  return (struct gpu_bandwidth_args){.base = base,
                                     .bytes = (bytes / turn - 1) * turn + tile,
                                     .block_first = turn,
                                     .warp_first = tile,
                                     .step = p->sms * turn};
}

int gc_step_l3_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_limit limit = sms_limit(bench);
  const struct gc_properties *p = &bench->properties;
  const uint32_t warps = p->threads_per_block / p->warp;
  const uint64_t bytes = p->l3_bytes / L3_SHARE;
  struct gc_flow flow = {.blocks = p->sms, .threads = warps * p->warp};
  int status;

  if (bytes < L3_L2S * gc_all_l2_bytes(bench) || bytes < (p->sms + 1) * warps * tile_bytes(p))
    return put_both_absent(bench, element, "it is too small to be seen behind the L2");
  if (bytes > bench->arena_bytes)
    return put_both_absent(bench, element, "too little free device memory");
  flow.args = long_walk(p, bench->arena, bytes);
  status = gc_bench_read(bench, 0, bytes, L3_STRIDE, 1, GPU_ANY_SM);
  return status ? status : measure_both(bench, &flow, element, &limit);
}

/* What bus and clock allow at most, GB/s; 0: not known. Whatever kind the memory is, NVIDIA's interface
 * tells a clock of which each cycle carries two transfers; of AMD's it depends on the kind. */
static double bus_limit(const struct gc_properties *p)
{
  if (p->has_scalar)
    return 0;
  return 2.0 * p->memory_clock_khz * p->memory_bus_bits / 8e6;
}

int gc_step_memory_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const struct gc_limit limit = {bus_limit(p), "GB/s", "the memory bus"};
  const uint32_t warps = p->threads_per_block / p->warp;
  const uint64_t tile = tile_bytes(p), turn = warps * tile;
  struct gc_flow flow = {.blocks = p->sms, .threads = warps * p->warp};
  const uint64_t bytes = bench->walk_bytes, enough = gc_walk_enough(bench);

  if (enough > GC_DEVICE_BYTES_MAX - GC_DEVICE_BYTES_REST)
    return put_both_absent(bench, element,
                           p->l3_bytes ? "too large an L3 for the device memory that we take"
                                       : "too large an L2 for the device memory that we take");
  if (bytes < enough || bytes < (p->sms + 1) * turn)
    return put_both_absent(bench, element, "too little free device memory");
  flow.args = long_walk(p, bench->arena, bytes);
  return measure_both(bench, &flow, element, &limit);
}
