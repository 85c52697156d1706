/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks over pages.
 */
#include "measure/structure/tlb_walk.h"

#include "measure/core/step_memory.h"
#include "measure/walk/rounds.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LAPS 2            /* untimed */
#define CHAINED_LAPS 4    /* a TLB that does not replace the oldest entry needs more of them */
#define FORGET_MORE 64    /* pages with which a walk begins, beyond as many as it has */
#define WALKS 8           /* in one launch, at most */
#define SIGMAS 6          /* noise of a page that counts as slow */
#define THRESHOLD_MIN 3.0 /* cycles */

static int alloc_sample(struct gc_bench *bench, struct gc_tlb_sample *sample)
{
  sample->sm = gc_step_alloc(bench, GC_TLB_SAMPLES, sizeof(*sample->sm));
  sample->cycles =
      gc_step_alloc(bench, (size_t)GC_TLB_SAMPLES * GC_TLB_TIMED, sizeof(*sample->cycles));
  return sample->sm && sample->cycles ? 0 : -ENOMEM;
}

int gc_tlb_walk_open(struct gc_tlb_walk *walk, struct gc_tlb_range *range,
                     const struct gc_tlb_way *way)
{
  struct gc_bench *bench = &range->m->bench;
  const uint32_t sms = bench->properties.sms;

  *walk = (struct gc_tlb_walk){.range = range, .way = *way, .rows = way->rows};
  if (walk->way.blocks > sms)
    walk->way.blocks = sms;
  walk->extra = gc_step_alloc(bench, GC_TLB_TIMED, sizeof(*walk->extra));
  int status = walk->extra ? alloc_sample(bench, &walk->near) : -ENOMEM;

  for (size_t i = 0; i < GC_TLB_COUNTS && !status; i++)
    status = alloc_sample(bench, &walk->far[i]);
  return status;
}

/* Walks of the first `count` pages until the sample has so many rows. */
struct task {
  struct gc_tlb_sample *sample;
  uint32_t count, rows;
};

/* Loads of pages, `loads` in all. */
static struct gpu_round job_of(const struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                               uint32_t count, uint32_t loads, enum gpu_round_how how)
{
  const uint64_t start = walk->range->base + pages->offset, bytes = count * pages->stride;

  return (struct gpu_round){.at = start,
                            .end = start + bytes,
                            .step = pages->stride,
                            .back = bytes,
                            .loads = loads,
                            .how = how};
}

/* A TLB that does not replace the oldest entry keeps some pages of an earlier walk for as long as
 * walks go on, and what misses depends on them. So each walk begins with a TLB that has other
 * pages: those behind the range of all walks, as many, and twice. Without loads if they do not fit. */
static int forget(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                  struct gpu_round *job)
{
  struct gc_tlb_pages others = *pages;

  others.offset += (pages->count + 1) * pages->stride;
  others.count += FORGET_MORE;
  *job = job_of(walk, &others, others.count, LAPS * others.count, GPU_ROUND_TOGETHER);
  if (gc_tlb_range_fits(walk->range, &others))
    return gc_tlb_map(walk->range, &others);
  job->loads = 0;
  return 0;
}

enum { FORGET, WALK, JOBS };

/* One launch: all blocks do these walks one after another. Adds a row for each block to the sample
 * of each. Untimed and timed loads are in one launch, because the pages that a launch itself needs
 * would take entries in between. */
static int walk_once(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                     const struct task *const *tasks, uint32_t n)
{
  struct gc_bench *bench = &walk->range->m->bench;
  const bool chained = walk->way.chained;
  const uint32_t blocks = walk->way.blocks, timed = walk->near.timed;
  const uint32_t laps = chained ? CHAINED_LAPS : LAPS;
  struct gpu_round(*jobs)[JOBS] = gc_step_alloc(bench, (size_t)blocks * n, sizeof(*jobs));
  uint32_t *trace = gc_step_alloc(bench, (size_t)n * blocks * timed, sizeof(*trace));
  uint32_t sm[GC_TLB_SAMPLES];
  const struct gc_rounds rounds = {.jobs = *jobs,
                                   .n = blocks,
                                   .rounds = n * JOBS,
                                   .binning = {.threshold = UINT32_MAX},
                                   .results = n * blocks,
                                   .traced = timed};
  struct gc_rounds_seen seen = {.trace = trace, .sm = sm};
  struct gpu_round other = {.loads = 0};
  int status = jobs && trace ? 0 : -ENOMEM;

  if (!status && chained)
    status = forget(walk, pages, &other);
  for (uint32_t i = 0; i < blocks * n && !status; i++) {
    const uint32_t block = i / n, which = i % n, count = tasks[which]->count;

    jobs[i][FORGET] = other;
    jobs[i][WALK] = job_of(walk, pages, count, laps * count,
                           chained ? GPU_ROUND_CHAINED : GPU_ROUND_TOGETHER);
    jobs[i][WALK].timed = timed;
    jobs[i][WALK].result = which * blocks + block;
  }
  if (!status)
    status = gc_rounds_sure(bench, &rounds, &seen);
  for (uint32_t i = 0; i < n * blocks && !status; i++) {
    struct gc_tlb_sample *sample = tasks[i / blocks]->sample;

    if (sample->rows == GC_TLB_SAMPLES)
      continue;
    sample->sm[sample->rows] = sm[i % blocks];
    memcpy(sample->cycles + (size_t)sample->rows++ * timed, trace + (size_t)i * timed,
           timed * sizeof(*trace));
  }
  gc_step_free(bench, jobs);
  return status;
}

/* All of these walks, in as few launches as possible. */
static int take(struct gc_tlb_walk *walk, const struct gc_tlb_pages *from, const struct task *tasks,
                uint32_t n)
{
  const struct task *next[WALKS];
  struct gc_tlb_pages pages = *from;
  int status;

  pages.count = 0;
  for (uint32_t i = 0; i < n; i++) {
    tasks[i].sample->rows = 0;
    tasks[i].sample->timed = walk->near.timed;
    pages.count = tasks[i].count > pages.count ? tasks[i].count : pages.count;
  }
  status = gc_tlb_map(walk->range, &pages);
  while (!status) {
    uint32_t walks = 0;

    for (uint32_t i = 0; i < n; i++)
      for (uint32_t rows = tasks[i].sample->rows; rows < tasks[i].rows && walks < WALKS;
           rows += walk->way.blocks)
        next[walks++] = &tasks[i];
    if (!walks)
      break;
    status = walk_once(walk, &pages, next, walks);
  }
  return status;
}

/* The row of the baseline that is compared with row `row`: of the same SM, and of the same launch
 * if there are several. -1: none. */
static int partner(const struct gc_tlb_walk *walk, const struct gc_tlb_sample *far, uint32_t row)
{
  const uint32_t sm = far->sm[row], blocks = walk->way.blocks;
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
static void subtract(struct gc_tlb_walk *walk, const struct gc_tlb_sample *far)
{
  const uint32_t timed = far->timed;
  int other[GC_TLB_SAMPLES];

  for (uint32_t row = 0; row < far->rows; row++)
    other[row] = partner(walk, far, row);
  for (uint32_t k = 0; k < timed; k++) {
    double values[GC_TLB_SAMPLES];
    size_t n = 0;

    for (uint32_t row = 0; row < far->rows; row++)
      if (other[row] >= 0)
        values[n++] = (double)far->cycles[row * timed + k] -
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
  walk->near.timed = walk->way.chained && timed > 31 ? 31 : timed;
}

int gc_tlb_baseline(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count)
{
  choose_timed(walk, count);
  for (walk->rows = walk->way.rows;; walk->rows *= 2) {
    const struct task tasks[] = {{&walk->near, count, walk->rows}, {walk->far, count, walk->rows}};
    const int status = take(walk, pages, tasks, 2);

    if (status)
      return status;
    subtract(walk, walk->far);
    walk->threshold = threshold_of(walk);
    if (walk->threshold <= THRESHOLD_MIN || 2 * walk->rows > walk->way.rows_max)
      return 0;
  }
}

static struct gc_tlb_answer answer_of(const struct gc_tlb_walk *walk)
{
  struct gc_tlb_answer answer = {0};

  for (uint32_t k = 0; k < walk->near.timed; k++)
    if (walk->extra[k] > walk->threshold) {
      answer.slow++;
      answer.cycles += walk->extra[k];
    }
  answer.cycles /= answer.slow ? answer.slow : 1;
  return answer;
}

int gc_tlb_compare(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                   const struct gc_tlb_question *question, struct gc_tlb_answer *answers)
{
  struct task tasks[1 + GC_TLB_COUNTS];
  uint32_t n = 0;
  int status;

  if (question->first) {
    const uint32_t rows = question->first_rows;

    choose_timed(walk, question->first);
    tasks[n++] = (struct task){&walk->near, question->first, rows > walk->rows ? rows : walk->rows};
  }
  for (uint32_t i = 0; i < question->n; i++)
    tasks[n++] = (struct task){&walk->far[i], question->counts[i], walk->rows};
  if ((status = take(walk, pages, tasks, n)))
    return status;
  for (uint32_t i = 0; i < question->n; i++) {
    const uint32_t count = question->counts[i];

    subtract(walk, &walk->far[i]);
    answers[i] = answer_of(walk);
    gc_raw_row(walk->range->m->bench.raw, "bytes\tpages\tspacing\tslow\ttimed\tcycles",
               (double[]){(double)(count * pages->stride), count, (double)pages->stride,
                          answers[i].slow, walk->near.timed, answers[i].cycles});
  }
  return 0;
}
