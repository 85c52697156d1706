/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth inside an SM. On each SM one block of many warps moves rows of 16 bytes per lane
 * through an array that the element holds, for tens of thousands of cycles of the SM's own clock.
 * The value is bytes per cycle of the median SM. If all lanes of a warp read the same constant, it
 * counts once. doc/methods.md, "Bandwidth"; MT4G 2025, IV-I.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/core/step_memory.h"
#include "measure/walk/levels.h"
#include "measure/walk/path.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>

#define NONE GC_KERNEL_COUNT

/* What each SM runs for an element. The arrays are about as large as those for latencies
 * (walk/path.c): they fit, and that of the constant L1.5 is too large for the constant L1. */
static const struct target {
  enum gc_kind kind;
  enum gc_kernel read, write;
  enum gc_address_space space;
  uint64_t bytes;
  uint32_t threads, iterations;
} targets[] = {
    {GC_L1, GC_KERNEL_read_ca, NONE, GC_ADDRESS_GLOBAL, 8192, 1024, 40},
    {GC_TEXTURE, GC_KERNEL_read_texture, NONE, GC_ADDRESS_TEXTURE, 8192, 1024, 40},
    {GC_READ_ONLY, GC_KERNEL_read_nc, NONE, GC_ADDRESS_GLOBAL, 8192, 1024, 40},
    /* few warps: many would evict each other's lines from the small L1 */
    {GC_CONSTANT_L1, GC_KERNEL_read_constant, NONE, GC_ADDRESS_CONSTANT, 512, 256, 80},
    {GC_CONSTANT_L15, GC_KERNEL_read_constant, NONE, GC_ADDRESS_CONSTANT, 12288, 256, 80},
    {GC_SHARED_MEMORY, GC_KERNEL_read_shared, GC_KERNEL_write_shared, GC_ADDRESS_SHARED, 8192, 1024,
     40},
    {GC_LDS, GC_KERNEL_read_shared, GC_KERNEL_write_shared, GC_ADDRESS_SHARED, 8192, 1024, 40},
    {GC_SCALAR_L1, GC_KERNEL_read_scalar, NONE, GC_ADDRESS_GLOBAL, 4096, 1024, 80},
};

/* Bytes per cycle of the SM that ran these blocks: n of them, by the numbers in order[]. */
static double rate_of_sm(const struct gpu_bandwidth_result *results, const double *order, size_t n)
{
  uint64_t bytes = 0, start = UINT64_MAX, end = 0;

  for (size_t i = 0; i < n; i++) {
    const struct gpu_bandwidth_result *r = &results[(size_t)order[i]];

    bytes += r->bytes;
    start = r->start < start ? r->start : start;
    end = r->end > end ? r->end : end;
  }
  return end > start ? (double)bytes / (double)(end - start) : 0;
}

/* The median SM of one repetition. *apart: the rate of the fastest tenth of the SMs divided by that
 * of the slowest tenth. each: space for n values. */
static double median_sm(const struct gpu_bandwidth_result *results, size_t n, double *each,
                        double *apart)
{
  size_t count = 0;

  for (size_t i = 0; i < n; i++)
    each[i] = (double)results[i].sm * (double)n + (double)i;
  gc_sort(each, n); /* blocks of the same SM come together */
  for (size_t i = 0, next; i < n; i = next) {
    const uint64_t sm = (uint64_t)each[i] / n;
    double rate;

    for (next = i; next < n && (uint64_t)each[next] / n == sm; next++)
      each[next] -= (double)(sm * n);
    rate = rate_of_sm(results, each + i, next - i);
    if (rate > 0)
      each[count++] = rate;
  }
  gc_sort(each, count);
  *apart = count ? each[count - 1 - count / 10] / each[count / 10] : 1;
  return count ? gc_median(each, count) : 0;
}

int gc_rate_of_sms(struct gc_bench *bench, struct gc_flow *flow, struct gc_rate *rate)
{
  const size_t n = flow->blocks;
  struct gpu_bandwidth_result *results =
      gc_step_alloc(bench, n * (1 + GC_RATE_REPEATS), sizeof(*results));
  double *each = gc_step_alloc(bench, n, sizeof(*each));
  double values[GC_RATE_REPEATS], apart[GC_RATE_REPEATS];
  int status;

  flow->args.repeats = 1 + GC_RATE_REPEATS; /* the first repetition fills the cache */
  status = results && each ? gc_flow_run(bench, flow, results) : -ENOMEM;
  for (size_t r = 0; r < GC_RATE_REPEATS && !status; r++)
    values[r] = median_sm(results + (r + 1) * n, n, each, &apart[r]);
  if (!status) {
    gc_rate_of(bench, flow, values, rate);
    rate->apart = gc_median(apart, GC_RATE_REPEATS);
  }
  return status;
}

/* Do all lanes of a warp read the same address? */
static bool is_uniform(const struct target *target)
{
  return target->space == GC_ADDRESS_CONSTANT || target->kind == GC_SCALAR_L1;
}

/* The bytes to read, in whole tiles: they must fit. A cache of unknown capacity holds at least the
 * array for its latency. */
static uint64_t fitting(const struct gc_measured *element, uint64_t bytes, uint64_t tile)
{
  const uint64_t found = gc_capacity(element);
  const uint64_t capacity = found ? found : gc_path_of(element->kind)->latency_bytes;

  return capacity < bytes ? capacity / tile * tile : bytes;
}

/* A flow of reads; args.bytes is 0 if the target holds less than one tile, which is what a warp
 * moves in one iteration. */
static struct gc_flow plan_flow(const struct gc_bench *bench, const struct target *target,
                                uint64_t texture, const struct gc_measured *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = GPU_BANDWIDTH_ROWS * (is_uniform(target) ? 1 : p->warp) * GC_LANE_BYTES;
  const uint64_t bytes = fitting(element, target->bytes, tile);
  const uint32_t most = p->threads_per_block;
  const uint32_t warps = (target->threads < most ? target->threads : most) / p->warp;
  const uint64_t apart = bytes / warps / tile * tile;

  return (struct gc_flow){.kernel = target->read,
                          .blocks = p->sms,
                          .threads = warps * p->warp,
                          .shared_bytes = target->space == GC_ADDRESS_SHARED ? (uint32_t)bytes : 0,
                          .args = {.base = texture ? 0 : gc_ring_address(bench, target->space, 0),
                                   .bytes = bytes,
                                   .warp_first = apart ? apart : tile,
                                   .step = tile,
                                   .texture = texture,
                                   .count = target->iterations}};
}

/* texture: the texture object for the array, if the path needs one. */
static int measure_target(struct gc_measurement *m, const struct target *target, uint64_t texture,
                          struct gc_measured *element)
{
  struct gc_flow flow = plan_flow(&m->bench, target, texture, element);
  const struct gc_rate_limit limit = {is_uniform(target) ? 0 : gc_sm_limit(&m->bench.properties),
                                      "bytes per cycle", "an SM"};
  struct gc_rate rate;
  int status;

  if (!flow.args.bytes)
    return gc_set_absent(element, GC_READ, "it is smaller than what a warp reads at a time");
  if ((status = gc_rate_of_sms(&m->bench, &flow, &rate)))
    return status;
  gc_rate_put(m, element, GC_READ, &element->read_bytes_per_cycle, &rate, &limit);
  if (target->write == NONE)
    return 0;
  flow.kernel = target->write;
  status = gc_rate_of_sms(&m->bench, &flow, &rate);
  return status ? status
                : gc_rate_put(m, element, GC_WRITE, &element->write_bytes_per_cycle, &rate, &limit);
}

int gc_step_bandwidth(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct target *target = targets;
  uint64_t texture = 0;
  int status = 0;

  while (target->kind != element->kind)
    target++;
  if (target->kind == GC_CONSTANT_L15 && !gc_misses_constant_l1(m->results, target->bytes))
    return gc_set_absent(element, GC_READ, gc_constant_l1_hides);
  if (target->space == GC_ADDRESS_TEXTURE)
    status =
        bench->ops->wide_texture(bench->device, bench->arena, target->bytes, &texture, bench->err);
  if (!status)
    status = measure_target(m, target, texture, element);
  if (texture)
    bench->ops->release_texture(bench->device, texture);
  return status;
}
