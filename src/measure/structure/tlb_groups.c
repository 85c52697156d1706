/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a TLB? All SMs walk a few pages, until the TLB of each has them. Then one SM
 * reads so many other pages that its TLB loses the first ones. The SMs for which these are slow
 * afterwards share its TLB. Every group is found twice, by its first and by its last SM. TLBs keep
 * their entries between launches.
 */
#include "measure/structure/tlb_groups.h"

#include "measure/walk/chase.h"
#include "measure/walk/path.h"
#include "measure/walk/sms.h"
#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 3 /* at a group, until the reading SM is slow itself */
#define EACH 2     /* pages of an SM */
#define PRIMING 3
#define EXCESS 1.125
#define CLEAR_SIGMAS 8

static const char crowded[] = "the blocks of a launch did not spread over all SMs";

struct grouping {
  struct gc_tlb_range *range;
  struct gc_tlb_pages few, many; /* timed by all SMs; read by one */
  struct gc_tlb_pages flush;     /* what all SMs read to evict the rest from the nearer TLB */
  double threshold;
  uint32_t sms;
  uint64_t *starts, *ends;
  uint32_t *trace;
  double *base, *now; /* [sms], mean cycles of the few pages */
  bool *slow[2];
  const char *absent;
};

/* Loads pages: all of them by one SM, or by each SM. */
static int read_pages(struct grouping *g, const struct gc_tlb_pages *pages, uint32_t only_sm)
{
  struct gc_bench *bench = &g->range->m->bench;
  const struct gpu_touch_args args = {.base = g->range->base + pages->offset,
                                      .bytes = pages->count * pages->stride,
                                      .stride = pages->stride,
                                      .sink = bench->scratch,
                                      .passes = 1,
                                      .only_sm = only_sm};

  return gc_bench_launch(bench, GC_KERNEL_touch, g->sms, bench->properties.threads_per_block, 0,
                         &args);
}

static int read_many(struct grouping *g, uint32_t sm)
{
  return read_pages(g, &g->many, g->range->m->results->sm_number[sm]);
}

/* Each SM times its pages. The trace has them by block, means by SM. */
static int time_all(struct grouping *g, double *means)
{
  struct gc_measurement *m = g->range->m;
  const struct gc_traced traced = {
      .starts = g->starts, .ends = g->ends, .n = g->sms, .loads = EACH};
  struct gc_raw *raw = m->bench.raw;
  int status = g->flush.count ? read_pages(g, &g->flush, GPU_EACH_SM) : 0;

  if (status)
    return status;
  m->bench.raw = NULL;
  status = gc_chase_trace(&m->bench, gc_path_of(GC_L2), &traced, g->trace);
  m->bench.raw = raw;
  for (uint32_t i = 0; i < g->sms && !status; i++) {
    const uint32_t sm = gc_sm_index(m->results, m->bench.results[i].sm);
    double values[EACH];

    for (uint32_t k = 0; k < EACH; k++)
      values[k] = g->trace[i * EACH + k];
    if (sm < g->sms)
      means[sm] = gc_midhinge(values, EACH);
  }
  return status;
}

/* slow: the SMs that lose the few pages if this one reads the many. At least it itself does, or the
 * attempt does not count. */
static int evict(struct grouping *g, uint32_t sm, bool *slow)
{
  int status = 0;

  for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((status = time_all(g, g->base)) || (status = read_many(g, sm)) ||
        (status = time_all(g, g->now)))
      return status;
    for (uint32_t i = 0; i < g->sms; i++)
      slow[i] = g->now[i] - g->base[i] > g->threshold;
    if (slow[sm])
      return 0;
  }
  g->absent = "an SM could not evict its own translations";
  return 0;
}

/* The group of an SM that is in no group yet, as its first and its last SM see it. *agreed: they
 * see the same. */
static int find_group(struct grouping *g, uint32_t first, bool *agreed)
{
  uint32_t last = first;
  int status = evict(g, first, g->slow[0]);

  *agreed = true;
  if (status || g->absent)
    return status;
  for (uint32_t i = 0; i < g->sms; i++)
    last = g->slow[0][i] ? i : last;
  if ((status = evict(g, last, g->slow[1])))
    return status;
  *agreed = !memcmp(g->slow[0], g->slow[1], g->sms * sizeof(*g->slow[0]));
  return 0;
}

static int find_all(struct grouping *g, struct gc_groups *groups, double *confidence)
{
  uint32_t agreements = 0, tries = 0;
  int status;

  groups->count = 0;
  for (uint32_t i = 0; i < g->sms; i++)
    groups->of[i] = UINT16_MAX;
  for (uint32_t first = 0; first < g->sms; first++) {
    bool agreed = false;

    if (groups->of[first] != UINT16_MAX)
      continue;
    for (uint32_t attempt = 0; attempt < ATTEMPTS && !agreed; attempt++) {
      if ((status = find_group(g, first, &agreed)))
        return status;
      tries++;
      if (g->absent)
        return 0;
    }
    agreements += agreed;
    for (uint32_t i = 0; i < g->sms; i++) {
      agreed &= !g->slow[0][i] || groups->of[i] == UINT16_MAX;
      if (g->slow[0][i])
        groups->of[i] = (uint16_t)groups->count;
    }
    if (!agreed) {
      g->absent = "repetitions disagree about which SMs share a TLB";
      return 0;
    }
    groups->count++;
  }
  /* each SM was tested against each reader; one disagreement costs as much as a wrong vote */
  *confidence = gc_vote_confidence(2 * agreements + g->sms, tries + agreements + g->sms);
  return 0;
}

/* Whether a single test of an SM is clear: the noise of the baseline does not reach the threshold.
 */
static int is_clear(struct grouping *g, bool *clear)
{
  double *change = calloc(g->sms, sizeof(*change)), sigma = 0;
  int status = change ? 0 : gc_fail(g->range->m->bench.err, -ENOMEM, "out of memory");

  if (!status)
    status = time_all(g, g->now);
  for (uint32_t i = 0; i < g->sms && !status; i++)
    change[i] = g->now[i] - g->base[i];
  if (!status)
    sigma = gc_robust_sigma(change, g->sms, 0) + 0.25;
  *clear = !status && CLEAR_SIGMAS * sigma < g->threshold;
  free(change);
  return status;
}

/* Gives each SM pages of its own. */
static int prepare(struct grouping *g, const struct gc_tlb_found *found,
                   const struct gc_measured *nearer)
{
  const uint64_t stride = gc_tlb_stride(found->entry_bytes, 0), base = g->range->base;
  int status;

  g->few = (struct gc_tlb_pages){.stride = stride, .count = EACH * g->sms};
  g->many = (struct gc_tlb_pages){.offset = (g->few.count + 1) * stride,
                                  .stride = stride,
                                  .count = (uint32_t)((double)found->entries * EXCESS) + 1};
  g->flush = g->many; /* the first ones of them */
  g->flush.count = gc_tlb_beyond(nearer, stride);
  if (!gc_tlb_range_fits(g->range, &g->many)) {
    g->absent = "there is too little memory to evict translations";
    return 0;
  }
  if ((status = gc_tlb_lay(g->range, &g->many)) || (status = gc_tlb_lay(g->range, &g->few)))
    return status;
  for (uint32_t i = 0; i < g->sms; i++) {
    g->starts[i] = base + g->few.offset + (uint64_t)i * EACH * stride;
    g->ends[i] = g->starts[i] + EACH * stride;
  }
  for (int i = 0; i < PRIMING && !status; i++)
    status = time_all(g, g->base);
  return status;
}

static int search(struct grouping *g, const struct gc_tlb_found *found,
                  const struct gc_measured *nearer, struct gc_groups *groups, double *confidence)
{
  bool clear = false;
  int status;

  if ((status = gc_number_sms(g->range->m)))
    return status;
  if (g->range->m->results->sm_count < g->sms)
    g->absent = crowded;
  else
    status = prepare(g, found, nearer);
  if (status || g->absent || (status = is_clear(g, &clear)))
    return status;
  if (clear)
    return find_all(g, groups, confidence);
  g->absent = "a miss costs too little to tell from one test which SMs share one";
  return 0;
}

int gc_tlb_find_groups(struct gc_tlb_range *range, const struct gc_tlb_found *found,
                       const struct gc_measured *nearer, struct gc_groups *groups,
                       double *confidence, const char **absent)
{
  const uint32_t sms = range->m->bench.properties.sms;
  struct grouping g = {.range = range,
                       .threshold = found->penalty / 2,
                       .sms = sms,
                       .starts = calloc(sms, sizeof(*g.starts)),
                       .ends = calloc(sms, sizeof(*g.ends)),
                       .trace = calloc((size_t)sms * EACH, sizeof(*g.trace)),
                       .base = calloc(sms, sizeof(*g.base)),
                       .now = calloc(sms, sizeof(*g.now)),
                       .slow = {calloc(sms, sizeof(bool)), calloc(sms, sizeof(bool))}};
  int status = g.starts && g.ends && g.trace && g.base && g.now && g.slow[0] && g.slow[1]
                   ? 0
                   : gc_fail(range->m->bench.err, -ENOMEM, "out of memory");

  if (!status)
    status = search(&g, found, nearer, groups, confidence);
  *absent = g.absent;
  free(g.slow[1]);
  free(g.slow[0]);
  free(g.now);
  free(g.base);
  free(g.trace);
  free(g.ends);
  free(g.starts);
  return status;
}
