/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth inside an SM: on each SM one block of many warps moves rows of 16 bytes a lane that the
 * element holds, for tens of thousands of cycles of the SM's own clock. Told are bytes per cycle of
 * the median SM. Of constants all lanes of a warp get the same word at once, and it counts once.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"
#include "measure/bandwidth.h"
#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 0.03
#define SURE_ENOUGH 0.8 /* below it nothing is told */
#define CLOCK_SHARE 0.005 /* that clock reads may be off at both ends */

int gc_flow_run(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results)
{
  const size_t bytes = (size_t)flow->blocks * flow->args.repeats * sizeof(*results);
  int status;

  /* behind the small results: chases use this part of the scratch, and none is under way */
  flow->args.results = bench->scratch + 4096;
  flow->args.sink = bench->scratch;
  if (bytes > GC_TRACE_MAX * sizeof(uint32_t))
    return gc_fail(bench->err, -EINVAL, "bandwidth of %u blocks, %u times, is too much at once",
                   flow->blocks, flow->args.repeats);
  status = gc_bench_launch(bench, flow->kernel, flow->blocks, flow->threads, flow->shared_bytes,
                           &flow->args, sizeof(flow->args));
  if (status)
    return status;
  return bench->ops->download(bench->device, results, flow->args.results, bytes, bench->err);
}

void gc_rate_of(const struct gc_bench *bench, const struct gc_flow *flow, double *values,
                struct gc_rate *rate)
{
  const bool writes = flow->kernel == GC_KERNEL_write_cg || flow->kernel == GC_KERNEL_write_shared;
  const bool chip = flow->kernel == GC_KERNEL_read_cg || flow->kernel == GC_KERNEL_write_cg;
  const char *columns = chip ? writes ? "repeat\twrite, GB/s" : "repeat\tread, GB/s"
                             : writes ? "repeat\twrite, bytes per cycle and SM"
                                      : "repeat\tread, bytes per cycle and SM";

  for (int i = 0; i < GC_RATE_REPEATS; i++)
    gc_raw_row(bench->raw, columns, (double[]){i + 1, values[i]});
  gc_sort(values, GC_RATE_REPEATS);
  rate->least = values[0];
  rate->most = values[GC_RATE_REPEATS - 1];
  rate->value = gc_median(values, GC_RATE_REPEATS);
  rate->confidence =
    gc_median_confidence(values, GC_RATE_REPEATS, rate->value, TOLERANCE * rate->value);
}

int gc_rate_put_absent(struct gc_bench *bench, struct gc_element *element, const char *property,
                       const char *why)
{
  return gc_put_absent(element, property, why) ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}

double gc_sm_limit(const struct gc_properties *p)
{
  return p->compute_major < 2 ? 0 : p->warp * (p->compute_major == 3 ? 8.0 : 4.0);
}

int gc_rate_put(struct gc_bench *bench, struct gc_element *element, const char *key,
                const char *property, const struct gc_rate *rate, const struct gc_limit *limit)
{
  char why[160];

  if (!(rate->value > 0))
    return gc_rate_put_absent(bench, element, property, "the clock of the GPU did not advance");
  if (limit->most > 0 && rate->value > (1 + CLOCK_SHARE) * limit->most) {
    snprintf(why, sizeof(why), "%.4g %s were seen, but %s allows %.4g at most", rate->value, limit->unit,
             limit->by, limit->most);
    return gc_withhold(bench, element, key, property, why);
  }
  if (rate->confidence < SURE_ENOUGH) {
    snprintf(why, sizeof(why), "%d repetitions lie between %.4g and %.4g %s, too few of them within %g %% of "
             "their median", GC_RATE_REPEATS, rate->least, rate->most, limit->unit, 100 * TOLERANCE);
    return gc_rate_put_absent(bench, element, property, why);
  }
  return gc_put_rate(element, key, property, rate->value, rate->confidence)
           ? gc_fail(bench->err, -ENOMEM, "out of memory")
           : 0;
}

#define NONE GC_KERNEL_COUNT

/* What is launched for an element, on each SM. The regions are those of which the latency is told
 * (paths.c): they fit, and behind constant L1 they are larger than that. */
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
  /* few warps: of many, each drives the lines of the others out of the small L1 */
  {GC_CONSTANT_L1, GC_KERNEL_read_constant, NONE, GC_FORM_CONSTANT, 512, 256, 80},
  {GC_CONSTANT_L15, GC_KERNEL_read_constant, NONE, GC_FORM_CONSTANT, 12288, 256, 80},
  {GC_SHARED_MEMORY, GC_KERNEL_read_shared, GC_KERNEL_write_shared, GC_FORM_SHARED, 8192, 1024, 40},
  {GC_LDS, GC_KERNEL_read_shared, GC_KERNEL_write_shared, GC_FORM_SHARED, 8192, 1024, 40},
  {GC_SCALAR_L1, GC_KERNEL_read_scalar, NONE, GC_FORM_GLOBAL, 4096, 1024, 80},
};

/* Bytes per cycle on the SM that the i-th of n blocks ran on; 0 if an earlier one has told it. */
static double rate_of_sm(const struct gpu_bandwidth_result *results, size_t n, size_t i)
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
static double rate_of_sms(const struct gpu_bandwidth_result *results, size_t n, double *each)
{
  size_t count = 0;

  for (size_t i = 0; i < n; i++) {
    const double rate = rate_of_sm(results, n, i);

    if (rate > 0)
      each[count++] = rate;
  }
  return count ? gc_median(each, count) : 0;
}

static int measure(struct gc_bench *bench, struct gc_flow *flow, struct gc_rate *rate)
{
  const size_t n = flow->blocks;
  struct gpu_bandwidth_result *results = calloc(n * (1 + GC_RATE_REPEATS), sizeof(*results));
  double *each = calloc(n, sizeof(*each)), values[GC_RATE_REPEATS];
  int status = 0;

  if (!results || !each)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  flow->args.repeats = 1 + GC_RATE_REPEATS; /* the first one fills the cache */
  if (!status)
    status = gc_flow_run(bench, flow, results);
  for (size_t r = 0; r < GC_RATE_REPEATS && !status; r++)
    values[r] = rate_of_sms(results + (r + 1) * n, n, each);
  if (!status)
    gc_rate_of(bench, flow, values, rate);
  free(each);
  free(results);
  return status;
}

/* What is read fits: a capacity that is not known is no less than what its latency is told of. Whole tiles. */
static uint64_t fitting(const struct gc_element *element, uint64_t bytes, uint64_t tile)
{
  const uint64_t known = gc_capacity_known(element);
  const uint64_t capacity = known ? known : gc_path_of(element->kind)->latency_bytes;

  return capacity < bytes ? capacity / tile * tile : bytes;
}

/* texture: the object that the region is seen through, if it is. */
static int measure_local(struct gc_bench *bench, const struct local *local, uint64_t texture,
                         struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  const bool uniform = local->form == GC_FORM_CONSTANT || local->kind == GC_SCALAR_L1;
  const bool shared = local->form == GC_FORM_SHARED;
  const uint64_t tile = GPU_BANDWIDTH_ROWS * (uniform ? 1 : p->warp) * GC_LANE_BYTES;
  const uint64_t bytes = fitting(element, local->bytes, tile);
  const uint32_t most = p->threads_per_block;
  const uint32_t warps = (local->threads < most ? local->threads : most) / p->warp;
  const uint64_t apart = bytes / warps / tile * tile;
  struct gc_flow flow = {
    .kernel = local->read, .blocks = p->sms, .threads = warps * p->warp,
    .shared_bytes = shared ? (uint32_t)bytes : 0,
    .args = {.base = texture ? 0 : gc_bench_address(bench, local->form, 0), .bytes = bytes,
             .warp_first = apart ? apart : tile, .step = tile, .texture = texture,
             .count = local->turns}};
  const struct gc_limit limit = {uniform ? 0 : gc_sm_limit(p), "bytes per cycle", "an SM"};
  struct gc_rate rate;
  int status;

  if (!bytes)
    return gc_rate_put_absent(bench, element, HWLOC_GPUCACHE_READ, "it is too small to be read at once");
  if (!(status = measure(bench, &flow, &rate)))
    status = gc_rate_put(bench, element, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, HWLOC_GPUCACHE_READ,
                         &rate, &limit);
  if (status || local->write == NONE)
    return status;
  flow.kernel = local->write;
  status = measure(bench, &flow, &rate);
  return status ? status
                : gc_rate_put(bench, element, HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE,
                              HWLOC_GPUCACHE_WRITE, &rate, &limit);
}

int gc_step_bandwidth(struct gc_bench *bench, struct gc_element *element)
{
  const struct local *local = locals;
  uint64_t texture = 0;
  int status = 0;

  while (local->kind != element->kind)
    local++;
  if (local->kind == GC_CONSTANT_L15 && !gc_passes_constant_l1(bench, local->bytes))
    return gc_rate_put_absent(bench, element, HWLOC_GPUCACHE_READ, gc_constant_l1_hides);
  if (local->form == GC_FORM_TEXTURE)
    status = bench->ops->wide_texture(bench->device, bench->arena, local->bytes, &texture,
                                      bench->err);
  if (!status)
    status = measure_local(bench, local, texture, element);
  if (texture)
    bench->ops->release_texture(bench->device, texture);
  return status;
}
