/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks over pages.
 */
#include "measure/structure/tlb_walk.h"

#include "measure/walk/chase.h"
#include "measure/walk/path.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAPS 2            /* untimed */
#define CHAINED_LAPS 4    /* a TLB that does not replace the oldest entry needs more of them */
#define FORGET_MORE 64    /* pages with which a walk begins, beyond as many as it has */
#define SIGMAS 6          /* noise of a page that counts as slow */
#define THRESHOLD_MIN 3.0 /* cycles */

static int alloc_sample(struct gc_tlb_sample *sample, uint32_t rows)
{
  sample->sm = calloc(rows, sizeof(*sample->sm));
  sample->cycles = calloc((size_t)rows * GC_TLB_TIMED, sizeof(*sample->cycles));
  return sample->sm && sample->cycles ? 0 : -ENOMEM;
}

static void free_sample(struct gc_tlb_sample *sample)
{
  free(sample->sm);
  free(sample->cycles);
}

int gc_tlb_walk_open(struct gc_tlb_walk *walk, struct gc_tlb_range *range,
                     const struct gc_tlb_way *way)
{
  const uint32_t sms = range->m->bench.properties.sms;

  *walk = (struct gc_tlb_walk){.range = range, .way = *way, .rows = way->rows};
  if (walk->way.blocks > sms)
    walk->way.blocks = sms;
  walk->extra = calloc(GC_TLB_TIMED, sizeof(*walk->extra));
  if (!walk->extra || alloc_sample(&walk->near, GC_TLB_SAMPLES) ||
      alloc_sample(&walk->far, GC_TLB_SAMPLES))
    return gc_fail(range->m->bench.err, -ENOMEM, "out of memory");
  return 0;
}

void gc_tlb_walk_close(struct gc_tlb_walk *walk)
{
  free_sample(&walk->near);
  free_sample(&walk->far);
  free(walk->extra);
}

/* Each of the SMs reads all pages, in order and many at once. TLBs keep their entries until the
 * next launch. */
static int read_all(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count)
{
  struct gc_bench *bench = &walk->range->m->bench;
  const struct gpu_touch_args args = {.base = walk->range->base + pages->offset,
                                      .bytes = count * pages->stride,
                                      .stride = pages->stride,
                                      .sink = bench->scratch,
                                      .passes = LAPS,
                                      .only_sm = GPU_EACH_SM};

  return gc_bench_launch(bench, GC_KERNEL_touch, walk->way.blocks, bench->properties.warp, 0,
                         &args);
}

/* One launch: all blocks walk the same pages. Adds a row for each. Untimed and timed loads are in
 * one launch, because the pages that a launch itself needs would take entries in between. */
static int walk_once(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count,
                     struct gc_tlb_sample *sample)
{
  struct gc_bench *bench = &walk->range->m->bench;
  const uint64_t start = walk->range->base + pages->offset;
  const uint64_t end = start + count * pages->stride;
  struct gc_raw *raw = bench->raw;
  uint64_t starts[GC_TLB_SAMPLES], ends[GC_TLB_SAMPLES];
  struct gc_traced traced = {.starts = starts,
                             .ends = ends,
                             .n = walk->way.blocks,
                             .warm = (walk->way.chained ? CHAINED_LAPS : LAPS) * count,
                             .warm_step = walk->way.chained ? 0 : (uint32_t)pages->stride,
                             .loads = sample->timed};
  int status;

  if (traced.n > GC_TLB_SAMPLES - sample->rows)
    traced.n = GC_TLB_SAMPLES - sample->rows;
  for (size_t i = 0; i < traced.n; i++) {
    starts[i] = start;
    ends[i] = end;
  }
  bench->raw = NULL; /* a search has too many of them */
  status = gc_chase_trace(bench, gc_path_of(GC_L2), &traced,
                          sample->cycles + (size_t)sample->rows * sample->timed);
  bench->raw = raw;
  for (size_t i = 0; i < traced.n; i++)
    sample->sm[sample->rows++] = bench->results[i].sm;
  return status;
}

/* A TLB that does not replace the oldest entry keeps some pages of an earlier walk for as long as
 * walks go on, and what misses depends on them. So each walk begins with a TLB that has other
 * pages: those behind the range of this walk, as many, and twice. */
static int forget(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages)
{
  struct gc_tlb_pages others = *pages;
  int status;

  others.offset += (pages->count + 1) * pages->stride;
  others.count += FORGET_MORE;
  if (!gc_tlb_range_fits(walk->range, &others))
    return 0;
  if ((status = gc_tlb_map(walk->range, &others)))
    return status;
  return read_all(walk, &others, others.count);
}

static int take(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count,
                uint32_t rows, struct gc_tlb_sample *sample)
{
  int status = 0;

  sample->rows = 0;
  while (!status && sample->rows < rows)
    if (!walk->way.chained || !(status = forget(walk, pages)))
      status = walk_once(walk, pages, count, sample);
  return status;
}

/* The row of the baseline that is compared with row `row`: of the same SM, and of the same launch
 * if there are several. -1: none. */
static int partner(const struct gc_tlb_walk *walk, uint32_t row)
{
  const uint32_t sm = walk->far.sm[row], blocks = walk->way.blocks;
  const uint32_t first = row / blocks * blocks;

  for (uint32_t i = first; i < first + blocks && i < walk->near.rows; i++)
    if (walk->near.sm[i] == sm)
      return (int)i;
  for (uint32_t i = 0; i < walk->near.rows; i++)
    if (walk->near.sm[i] == sm)
      return (int)i;
  return -1;
}

/* Computes extra. */
static void subtract(struct gc_tlb_walk *walk)
{
  const uint32_t timed = walk->near.timed;
  int other[GC_TLB_SAMPLES];

  for (uint32_t row = 0; row < walk->far.rows; row++)
    other[row] = partner(walk, row);
  for (uint32_t k = 0; k < timed; k++) {
    double values[GC_TLB_SAMPLES];
    size_t n = 0;

    for (uint32_t row = 0; row < walk->far.rows; row++)
      if (other[row] >= 0)
        values[n++] = (double)walk->far.cycles[row * timed + k] -
                      (double)walk->near.cycles[(uint32_t)other[row] * timed + k];
    walk->extra[k] = n ? gc_median(values, n) : 0;
  }
}

/* The difference between two walks of the same pages is noise. */
static double threshold_of(const struct gc_tlb_walk *walk)
{
  const uint32_t timed = walk->near.timed;
  double values[GC_TLB_TIMED], sum = 0, sigma;

  for (uint32_t k = 0; k < timed; k++) {
    values[k] = walk->extra[k];
    sum += values[k] * values[k];
  }
  /* the latter: pages that another use of the TLB evicts now and then */
  sigma = fmin(sqrt(sum / timed), gc_robust_sigma(values, timed, 0) + 0.5);
  return fmax(SIGMAS * sigma, THRESHOLD_MIN);
}

static void choose_timed(struct gc_tlb_walk *walk, uint32_t count)
{
  const uint32_t timed = count < GC_TLB_TIMED ? count : GC_TLB_TIMED;

  /* the kernel writes 32 values at once, and the store needs a translation, too */
  walk->near.timed = walk->far.timed = walk->way.chained && timed > 31 ? 31 : timed;
}

int gc_tlb_baseline(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count)
{
  int status;

  choose_timed(walk, count);
  for (walk->rows = walk->way.rows;; walk->rows *= 2) {
    if ((status = take(walk, pages, count, walk->rows, &walk->near)) ||
        (status = take(walk, pages, count, walk->rows, &walk->far)))
      return status;
    subtract(walk);
    walk->threshold = threshold_of(walk);
    if (walk->threshold <= THRESHOLD_MIN || 2 * walk->rows > walk->way.rows_max)
      return 0;
  }
}

int gc_tlb_baseline_again(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                          uint32_t count, uint32_t rows)
{
  choose_timed(walk, count);
  return take(walk, pages, count, rows > walk->rows ? rows : walk->rows, &walk->near);
}

int gc_tlb_compare(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t *slow,
                   double *cycles)
{
  int status = take(walk, pages, pages->count, walk->rows, &walk->far);
  double sum = 0;

  *slow = 0;
  if (status)
    return status;
  subtract(walk);
  for (uint32_t k = 0; k < walk->near.timed; k++)
    if (walk->extra[k] > walk->threshold) {
      ++*slow;
      sum += walk->extra[k];
    }
  if (cycles)
    *cycles = *slow ? sum / *slow : 0;
  gc_raw_row(walk->range->m->bench.raw, "bytes\tpages\tspacing\tslow\ttimed\tcycles",
             (double[]){(double)(pages->count * pages->stride), pages->count, (double)pages->stride,
                        *slow, walk->near.timed, *slow ? sum / *slow : 0});
  return 0;
}
