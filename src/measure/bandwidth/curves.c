/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Read bandwidth against the size of the array and the number of warps, for --raw only. The values
 * drop where a cache is full. doc/methods.md, "Bandwidth".
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/core/step_memory.h"
#include "measure/walk/evict.h"
#include "stats/stats.h"

#include <errno.h>

#define RATIO_GPU 1.3                  /* the same for all SMs */
#define RATIO 1.15                     /* from one size to the next */
#define WARPS_OF_SM 8                  /* that walk an array of the size of L1 */
#define L1_USUAL ((uint64_t)256 << 10) /* bytes, if the capacity is not known */
#define L1_TIMES 4                     /* the largest array of one SM, relative to L1 */
#define L2_LEAST 4                     /* L2 / L2_LEAST is the smallest array of all SMs */
#define L2_TIMES 4                     /* the largest one, relative to L2 */
#define WARPS_OF_GPU 16                /* of each SM */
#define WARM_LAUNCHES 2                /* they bring the array into L2 */
#define LAUNCHES 3
#define L2_STRIDE 32 /* bytes: at most the sector of any L2 */

static double per_cycle(const struct gpu_bandwidth_result *result)
{
  return result->end > result->start ? (double)result->bytes / (double)(result->end - result->start)
                                     : 0;
}

int gc_step_size_curve_sm(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const uint64_t tile = gc_tile_bytes(&bench->properties);
  const uint64_t l1 = gc_capacity(element) ? gc_capacity(element) : L1_USUAL;
  uint64_t tiles = 1;
  int status = 0;

  while (bench->raw && !status && tiles * tile <= L1_TIMES * l1 &&
         tiles * tile <= bench->arena_bytes) {
    const uint32_t warps = tiles < WARPS_OF_SM ? (uint32_t)tiles : WARPS_OF_SM;
    struct gpu_bandwidth_result results[2];
    struct gc_flow flow = {.kernel = GC_KERNEL_read_ca,
                           .blocks = 1,
                           .threads = warps * bench->properties.warp,
                           .args = {.base = bench->arena,
                                    .bytes = tiles * tile,
                                    .warp_first = tiles / warps * tile,
                                    .step = tile,
                                    .count = (uint32_t)tiles,
                                    .repeats = 2}}; /* the first one fills the cache */

    status = gc_flow_run(bench, &flow, results);
    if (!status)
      gc_raw_row(bench->raw, "array, bytes\tread by one SM, bytes per cycle",
                 (double[]){(double)(tiles * tile), per_cycle(&results[1])});
    tiles =
        (uint64_t)((double)tiles * RATIO) > tiles ? (uint64_t)((double)tiles * RATIO) : tiles + 1;
  }
  return status;
}

/* GB/s of launches that walk on. */
static int walk(struct gc_bench *bench, struct gc_flow *flow, double *gbps)
{
  struct gpu_bandwidth_result *results = gc_step_alloc(bench, flow->blocks, sizeof(*results));
  double values[LAUNCHES] = {0};
  uint64_t bytes, ns;
  int status = results ? 0 : -ENOMEM;

  for (int i = 0; i < WARM_LAUNCHES + LAUNCHES && !status; i++) {
    status = gc_flow_walk(bench, flow, results, &bytes, &ns);
    if (i >= WARM_LAUNCHES && ns)
      values[i - WARM_LAUNCHES] = (double)bytes / (double)ns;
  }
  *gbps = gc_median(values, LAUNCHES);
  return status;
}

/* Each SM walks a part of the array, and in the next launch the part of its neighbour. So all of it
 * is read between two reads of the same line. */
int gc_step_size_curve_gpu(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = gc_tile_bytes(p);
  double bytes = (double)p->l2_bytes / L2_LEAST;
  int status = 0;

  (void)element;
  for (; bench->raw && !status && bytes <= L2_TIMES * (double)p->l2_bytes; bytes *= RATIO_GPU) {
    const uint64_t part = (uint64_t)bytes / p->sms / tile;
    const uint32_t most = p->threads_per_block / p->warp;
    const uint32_t warps = most < WARPS_OF_GPU ? most : WARPS_OF_GPU;
    const uint64_t size = part * p->sms * tile;
    struct gc_flow flow = {.kernel = GC_KERNEL_read_cg,
                           .blocks = p->sms,
                           .threads = warps * p->warp,
                           .args = {.base = bench->arena,
                                    .bytes = size,
                                    .block_first = part * tile,
                                    .warp_first = part / warps * tile,
                                    .step = tile,
                                    .count = (uint32_t)part,
                                    .repeats = 1}};
    double gbps = 0;

    if (!part)
      continue;
    if (size > bench->walk_bytes)
      break;
    status = walk(bench, &flow, &gbps);
    if (!status)
      gc_raw_row(bench->raw, "array, bytes\tread by all SMs, GB/s", (double[]){(double)size, gbps});
  }
  return status;
}

/* Blocks of so many warps read an array that L2 holds. */
static int read_l2(struct gc_bench *bench, uint32_t blocks, uint32_t warps, double *gbps)
{
  const struct gc_properties *p = &bench->properties;
  const uint64_t tile = gc_tile_bytes(p), part = p->l2_bytes / L2_LEAST / p->sms / tile;
  struct gc_flow flow = {.kernel = GC_KERNEL_read_cg,
                         .blocks = blocks,
                         .threads = warps * p->warp,
                         .args = {.base = bench->arena,
                                  .bytes = part * p->sms * tile,
                                  .block_first = part * tile,
                                  .warp_first = part / warps * tile,
                                  .step = tile,
                                  .count = (uint32_t)part,
                                  .repeats = 1}};

  *gbps = 0;
  return part ? walk(bench, &flow, gbps) : 0;
}

int gc_step_warps_curve(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_properties *p = &bench->properties;
  int status = 0;

  (void)element;
  if (bench->raw)
    status = gc_fill_l2(bench, 0, p->l2_bytes / L2_LEAST, L2_STRIDE, 1);
  for (uint32_t warps = 1; bench->raw && !status && warps * p->warp <= p->threads_per_block;
       warps *= 2) {
    double one, all;

    if ((status = read_l2(bench, 1, warps, &one)) || (status = read_l2(bench, p->sms, warps, &all)))
      break;
    gc_raw_row(bench->raw, "warps of an SM\tread from L2 by one SM, GB/s\tby all SMs, GB/s",
               (double[]){warps, one, all});
  }
  return status;
}

int gc_step_width_curve(struct gc_measurement *m, struct gc_measured *element)
{
  static const struct {
    enum gc_kernel kernel;
    uint32_t bytes; /* that each lane reads at a time */
  } widths[] = {{GC_KERNEL_read_words, 4}, {GC_KERNEL_read_pairs, 8}, {GC_KERNEL_read_ca, 16}};
  struct gc_bench *bench = &m->bench;
  const uint64_t tile = gc_tile_bytes(&bench->properties);
  const uint64_t l1 = gc_capacity(element) ? gc_capacity(element) : tile;
  const uint64_t tiles = l1 / 2 / tile ? l1 / 2 / tile : 1;
  int status = 0;

  for (size_t i = 0; i < sizeof(widths) / sizeof(*widths) && bench->raw && !status; i++) {
    const uint64_t narrow = tile / GC_LANE_BYTES * widths[i].bytes; /* of an iteration */
    const uint32_t warps = tiles < WARPS_OF_SM ? (uint32_t)tiles : WARPS_OF_SM;
    struct gpu_bandwidth_result results[2];
    struct gc_flow flow = {.kernel = widths[i].kernel,
                           .blocks = 1,
                           .threads = warps * bench->properties.warp,
                           .args = {.base = bench->arena,
                                    .bytes = tiles * tile,
                                    .warp_first = tiles / warps * tile,
                                    .step = narrow,
                                    .count = (uint32_t)(tiles * tile / narrow),
                                    .repeats = 2}}; /* the first one fills the cache */

    status = gc_flow_run(bench, &flow, results);
    if (!status)
      gc_raw_row(bench->raw, "bytes per lane\tread from L1 by one SM, bytes per cycle",
                 (double[]){widths[i].bytes, per_cycle(&results[1])});
  }
  return status;
}
