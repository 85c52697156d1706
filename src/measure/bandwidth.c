/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth. Inside an SM: one block of many warps on each SM moves rows of 16 bytes a lane that the
 * element holds, for tens of thousands of cycles of the SM's own clock; bytes per cycle of the median
 * SM. Constants are told as the words that a warp asks for, which all its lanes get at once, so a
 * word counts once. L2 and device memory: all SMs together, on the wall clock of the GPU, from the
 * first block's begin to the last one's end.
 *
 * L2: an array of a quarter of its nominal size, which every SM holds on its side of a divided one.
 * Each warp walks all of it, scattered, and no two of them are in the same place at the same time: SMs that
 * ask for the same line together get it together, and L2 would look twice as fast as it is. Device
 * memory: an array so large that a walk finds nothing of the one before. No value may exceed what
 * clock and width of the memory bus allow.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define REPEATS 9
#define TOLERANCE 0.03
#define LANE_BYTES 16
#define LIMIT_NS 220000.0 /* of a timed launch, at least: begin and end are under 1 % of it */
#define TRIES 12          /* to make a launch long enough */
#define L2_SHARE 4        /* the array is the nominal size divided by this */
#define WALKS_MIN 4       /* device memory: the array in L2s, at least, … */
#define WALKS 8           /* … and where there is room */
#define SMALLEST_WALK ((uint64_t)64 << 20)
#define MOST_MEMORY ((uint64_t)1 << 30) /* we take no more than that, … */
#define MOST_SHARE 20                   /* … and no more than a 20th of what is free */

struct rate {
  double value, confidence;
};

/* Launches of one kernel that follow each other. */
struct flow {
  enum gc_kernel kernel;
  uint32_t blocks, threads, shared_bytes;
  struct gpu_bandwidth_args args;
};

static int run(struct gc_bench *bench, struct flow *flow, struct gpu_bandwidth_result *results)
{
  const size_t bytes = (size_t)flow->blocks * flow->args.repeats * sizeof(*results);
  int status;

  /* behind the small results; chases use this part of the scratch, and none is under way */
  flow->args.results = bench->scratch + 4096;
  flow->args.sink = bench->scratch;
  if (bytes > GC_TRACE_MAX * sizeof(uint32_t))
    return gc_fail(bench->err, -EINVAL, "bandwidth of %u blocks, %u times, is too much at once",
                   flow->blocks, flow->args.repeats);
  if ((status = gc_bench_launch(bench, flow->kernel, flow->blocks, flow->threads, flow->shared_bytes,
                                &flow->args, sizeof(flow->args))))
    return status;
  return bench->ops->download(bench->device, results, flow->args.results, bytes, bench->err);
}

static void summarize(double *values, struct rate *rate)
{
  rate->value = gc_median(values, REPEATS);
  rate->confidence =
    gc_median_confidence(values, REPEATS, rate->value, TOLERANCE * rate->value);
}

/* Writes what was found, or why there is nothing. */
static int put(struct gc_bench *bench, struct gc_element *element, const char *key,
               const char *property, const struct rate *rate, const char *absent)
{
  const int status =
    *absent ? gc_put_absent(element, property, absent)
            : gc_put_rate(element, key, property, rate->value, rate->confidence);

  return status ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}

/* --- inside an SM ------------------------------------------------------------------------------- */

#define NONE GC_KERNEL_COUNT

/* What is launched for an element, on each SM. The region fits and the latency chase of paths.c has
 * shown what else it must be: behind constant L1, larger than that. */
static const struct local {
  enum gc_kind kind;
  enum gc_kernel read, write;
  enum gc_form form;
  uint64_t bytes;
  uint32_t threads, turns;
} locals[] = {
  {GC_L1, GC_KERNEL_read_ca, NONE, GC_FORM_GLOBAL, 8192, 1024, 40},
  {GC_TEXTURE, GC_KERNEL_read_texture, NONE, GC_FORM_TEXTURE, 8192, 1024, 40},
  {GC_READ_ONLY, GC_KERNEL_read_nc, NONE, GC_FORM_GLOBAL, 8192, 1024, 40},
  /* few warps: with many, each drives the lines of the others out of the small L1 */
  {GC_CONSTANT_L1, GC_KERNEL_read_constant, NONE, GC_FORM_CONSTANT, 512, 256, 80},
  {GC_CONSTANT_L15, GC_KERNEL_read_constant, NONE, GC_FORM_CONSTANT, 12288, 256, 80},
  {GC_SHARED_MEMORY, GC_KERNEL_read_shared, GC_KERNEL_write_shared, GC_FORM_SHARED, 8192, 1024, 40},
};

/* Bytes per cycle on the SM that the i-th of n blocks ran on; 0 if an earlier one has told it. */
static double of_sm(const struct gpu_bandwidth_result *results, size_t n, size_t i)
{
  uint64_t bytes = 0, start = UINT64_MAX, end = 0;

  for (size_t k = 0; k < n; k++) {
    const struct gpu_bandwidth_result *r = &results[k];

    if (r->sm != results[i].sm)
      continue;
    if (k < i)
      return 0;
    bytes += r->bytes;
    start = r->start < start ? r->start : start;
    end = r->end > end ? r->end : end;
  }
  return end > start ? (double)bytes / (double)(end - start) : 0;
}

/* The median SM in one repetition. */
static double of_sms(const struct gpu_bandwidth_result *results, size_t n, double *each)
{
  size_t count = 0;

  for (size_t i = 0; i < n; i++) {
    const double rate = of_sm(results, n, i);

    if (rate > 0)
      each[count++] = rate;
  }
  return count ? gc_median(each, count) : 0;
}

static int local_rate(struct gc_bench *bench, struct flow *flow, struct rate *rate)
{
  const size_t n = flow->blocks;
  struct gpu_bandwidth_result *results = calloc(n * (1 + REPEATS), sizeof(*results));
  double *each = calloc(n, sizeof(*each)), values[REPEATS];
  int status = 0;

  if (!results || !each)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  flow->args.repeats = 1 + REPEATS; /* the first fills the cache */
  if (!status)
    status = run(bench, flow, results);
  for (size_t r = 0; r < REPEATS && !status; r++)
    values[r] = of_sms(results + (r + 1) * n, n, each);
  if (!status)
    summarize(values, rate);
  free(each);
  free(results);
  return status;
}

static int local(struct gc_bench *bench, const struct local *local, uint64_t texture,
                 struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint64_t row = local->form == GC_FORM_CONSTANT ? LANE_BYTES : (uint64_t)p->warp * LANE_BYTES;
  const uint64_t tile = GPU_BANDWIDTH_ROWS * row;
  const uint32_t most = local->threads < p->threads_per_block ? local->threads : p->threads_per_block;
  const uint32_t warps = most / p->warp;
  const uint64_t apart = local->bytes / warps / tile * tile;
  struct flow flow = {
    .blocks = p->sms, .threads = warps * p->warp,
    .shared_bytes = local->form == GC_FORM_SHARED ? (uint32_t)local->bytes : 0,
    .args = {.base = texture ? 0 : gc_bench_address(bench, local->form, 0), .bytes = local->bytes,
             .warp_first = apart ? apart : tile, .step = tile, .texture = texture,
             .count = local->turns}};
  struct rate rate;
  int status;

  flow.kernel = local->read;
  if ((status = local_rate(bench, &flow, &rate)) ||
      (status = put(bench, element, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, HWLOC_GPUCACHE_READ, &rate,
                    rate.value > 0 ? "" : "the clock did not advance")) ||
      local->write == NONE)
    return status;
  flow.kernel = local->write;
  status = local_rate(bench, &flow, &rate);
  return status ? status
                : put(bench, element, HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, HWLOC_GPUCACHE_WRITE, &rate,
                      rate.value > 0 ? "" : "the clock did not advance");
}

int gc_step_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  uint64_t texture = 0;
  size_t i = 0;
  int status = 0;

  while (locals[i].kind != element->kind)
    i++;
  if (locals[i].form == GC_FORM_TEXTURE)
    status = bench->ops->wide_texture(bench->device, bench->arena, locals[i].bytes, &texture, bench->err);
  if (!status)
    status = local(bench, &locals[i], texture, element);
  if (texture)
    bench->ops->release_texture(bench->device, texture);
  return status;
}

/* --- what all SMs use together ------------------------------------------------------------------ */

/* One launch from where the one before it ended. Bytes and nanoseconds of all blocks together. */
static int walk_on(struct gc_bench *bench, struct flow *flow, struct gpu_bandwidth_result *results,
                   uint64_t *bytes, uint64_t *ns)
{
  uint64_t start = UINT64_MAX, end = 0;
  int status = run(bench, flow, results);

  *bytes = *ns = 0;
  for (size_t i = 0; i < flow->blocks && !status; i++) {
    *bytes += results[i].bytes;
    start = results[i].start_ns < start ? results[i].start_ns : start;
    end = results[i].end_ns > end ? results[i].end_ns : end;
  }
  if (!status && end > start)
    *ns = end - start;
  flow->args.first = (flow->args.first + flow->args.count * flow->args.step) % flow->args.bytes;
  return status;
}

/* GB/s, or 0 in value when the wall clock does not advance. */
static int chip_rate(struct gc_bench *bench, struct flow *flow, struct rate *rate)
{
  struct gpu_bandwidth_result *results = calloc(flow->blocks, sizeof(*results));
  double values[REPEATS] = {0};
  uint64_t bytes, ns = 0;
  int status = results ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  flow->args.repeats = 1;
  flow->args.count = 8;
  for (int i = 0; i < TRIES && !status && (double)ns < 0.9 * LIMIT_NS; i++) {
    if (i) /* at most eight times as long: a coarse clock may have said too little */
      flow->args.count = (uint32_t)(flow->args.count * (ns * 8 > LIMIT_NS ? LIMIT_NS / (double)ns : 8));
    status = walk_on(bench, flow, results, &bytes, &ns);
  }
  for (int r = 0; r < REPEATS && !status; r++) {
    status = walk_on(bench, flow, results, &bytes, &ns);
    values[r] = ns ? (double)bytes / (double)ns : 0;
  }
  if (!status)
    summarize(values, rate);
  free(results);
  return status;
}

/* What bus and clock allow at most, GB/s; 0: not known. Two transfers in a cycle of the clock that the
 * interface tells, whatever the memory is. */
static double bus_limit(const struct gc_properties *p)
{
  return 2.0 * p->memory_clock_khz * p->memory_bus_bits / 8e6;
}

/* Reads, then writes. high: what no value can exceed; 0: not known. */
static int chip(struct gc_bench *bench, struct flow *flow, struct gc_element *element, double high)
{
  static const struct {
    enum gc_kernel kernel;
    const char *key, *property;
  } ways[] = {
    {GC_KERNEL_read_cg, HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ},
    {GC_KERNEL_write_cg, HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE},
  };
  int status = 0;

  for (int i = 0; i < 2 && !status; i++) {
    char absent[160] = "";
    struct rate rate;

    flow->kernel = ways[i].kernel;
    if ((status = chip_rate(bench, flow, &rate)))
      break;
    if (!(rate.value > 0))
      snprintf(absent, sizeof(absent), "the wall clock of the GPU did not advance");
    else if (high > 0 && rate.value > high)
      snprintf(absent, sizeof(absent), "%.0f GB/s were seen, but the memory bus allows %.0f at most",
               rate.value, high);
    status = put(bench, element, ways[i].key, ways[i].property, &rate, absent);
  }
  return status;
}

static int put_both_absent(struct gc_bench *bench, struct gc_element *element, const char *why)
{
  const struct rate none = {0, 0};
  const int status =
    put(bench, element, HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ, &none, why);

  return status ? status
                : put(bench, element, HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE, &none, why);
}

int gc_step_l2_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = (uint64_t)GPU_BANDWIDTH_ROWS * p->warp * LANE_BYTES;
  const uint64_t tiles = p->l2_bytes / L2_SHARE / tile, most = p->threads_per_block / p->warp;
  const uint64_t warps = tiles / p->sms < most ? tiles / p->sms : most;
  struct flow flow = {.blocks = p->sms, .threads = (uint32_t)warps * p->warp};

  if (!p->l2_bytes)
    return put_both_absent(bench, element, "the driver does not tell a nominal size");
  if (!warps)
    return put_both_absent(bench, element, "the L2 is too small for as many SMs");
  if (tiles * tile > bench->arena_bytes)
    return put_both_absent(bench, element, "too little free device memory");
  flow.args = (struct gpu_bandwidth_args){
    .base = bench->arena, .bytes = tiles * tile, .warp_first = tiles / (p->sms * warps) * tile,
    .block_first = tiles / (p->sms * warps) * warps * tile, .step = gc_bench_scatter(tiles) * tile};
  return chip(bench, &flow, element, 0);
}

/* Room for walks of device memory: the arena if it is large enough, or memory of our own, which the
 * caller releases. *bytes: 0 if there is too little. */
static int find_room(struct gc_bench *bench, uint64_t *own, uint64_t *base, uint64_t *bytes)
{
  const uint64_t l2 = bench->properties.l2_bytes;
  const uint64_t wanted = WALKS * l2 > SMALLEST_WALK ? WALKS * l2 : SMALLEST_WALK;
  uint64_t free_bytes, total, most;
  int status = bench->ops->memory(bench->device, &free_bytes, &total, bench->err);

  *own = 0;
  *base = bench->arena;
  *bytes = bench->arena_bytes;
  if (status || bench->arena_bytes >= wanted)
    return status;
  most = (free_bytes + bench->arena_bytes) / MOST_SHARE;
  most = most < MOST_MEMORY ? most : MOST_MEMORY;
  most = most > bench->arena_bytes + SMALLEST_WALK ? most - bench->arena_bytes - SMALLEST_WALK : 0;
  if (most > bench->arena_bytes) {
    *bytes = most < wanted ? most : wanted;
    status = bench->ops->alloc(bench->device, *bytes, own, bench->err);
    *base = *own;
  }
  if (*bytes < WALKS_MIN * l2)
    *bytes = 0;
  return status;
}

int gc_step_memory_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint32_t warps = p->threads_per_block / p->warp;
  const uint64_t tile = (uint64_t)GPU_BANDWIDTH_ROWS * p->warp * LANE_BYTES, turn = warps * tile;
  struct flow flow = {.blocks = p->sms, .threads = warps * p->warp};
  uint64_t own = 0, base, bytes;
  int status = find_room(bench, &own, &base, &bytes);

  if (!status && bytes < (p->sms + 1) * turn) {
    status = put_both_absent(bench, element, "too little free device memory");
  } else if (!status) {
    /* All blocks side by side, in each turn one tile further, so that no warp ever comes back to the
     * lines that it read in the walk before. */
    flow.args = (struct gpu_bandwidth_args){.base = base, .bytes = bytes / turn * turn,
                                            .block_first = turn, .warp_first = tile,
                                            .step = p->sms * turn + tile};
    status = chip(bench, &flow, element, bus_limit(p));
  }
  if (own)
    bench->ops->release(bench->device, own);
  return status;
}
