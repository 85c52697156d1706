/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a TLB? Each SM walks a few pages of its own, so that its TLB has them. Then one
 * SM reads so many other pages that its TLB loses those. The SMs for which their few pages are slow
 * afterwards share its TLB. If the first SM of each GPC shares none with other GPCs, one SM of each
 * GPC reads at a time. Every group is found twice, by its first and by its last SM. TLBs keep
 * their entries between launches.
 */
#include "measure/structure/tlb_groups.h"

#include "measure/core/placement.h"
#include "measure/walk/rounds.h"
#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 3 /* at a round */
#define EACH 4     /* pages of an SM, at most */
#define REPEATS 8  /* of the cycles before all rounds; */
#define PRIMING 2  /* the first ones bring pages in */
#define LEARNED (REPEATS - PRIMING - 1)
#define FLUSH_LAPS 2
#define EXCESS 1.125
#define CLEAR_SIGMAS 8
#define PENALTY_SHARE 0.03 /* tolerance of the penalty */
#define ROUNDS 2           /* that find a group */

static const char disagree[] = "repetitions disagree about which SMs share a TLB";
static const char met[] = "the blocks of a launch did not spread over all SMs";

/* The measured times of one SM. */
struct member {
  uint32_t domain;   /* SMs of different domains share no TLB */
  double base[EACH]; /* cycles of its pages when the TLB has them */
  double extra;      /* how much longer they take now */
  bool reads, slow;  /* in this round */
  double penalty[ROUNDS];
};

struct grouping {
  struct gc_tlb_range *range;
  struct gc_tlb_pages few, many; /* timed by all SMs; read by some */
  uint32_t flush;                /* of the many, read by all SMs to evict the few from the nearer TLB */
  double threshold;
  uint32_t sms, domains, each; /* each: pages of an SM */
  struct member *members;
  struct gpu_round *jobs; /* [SMs][rounds] */
  uint32_t *trace;
  struct gc_tlb_groups *result;
};

/* --- launches --- */

enum { FLUSH, TIME, PARTS };

static uint64_t pages_of(const struct grouping *g, uint32_t sm)
{
  return g->range->base + g->few.offset + (uint64_t)sm * g->each * g->few.stride;
}

/* Reads the first `count` of the many pages `laps` times. */
static struct gpu_round read_job(const struct grouping *g, uint32_t count, uint32_t laps)
{
  const uint64_t start = g->range->base + g->many.offset;

  return (struct gpu_round){.at = start,
                            .end = start + count * g->many.stride,
                            .step = g->many.stride,
                            .loads = laps * count,
                            .how = GPU_ROUND_TOGETHER};
}

/* Each SM times its pages `repeats` times, each time after it has evicted them from the nearer TLB. */
static void add_timing(struct grouping *g, struct gpu_round *jobs, uint32_t sm, uint32_t repeats)
{
  for (uint32_t i = 0; i < repeats; i++, jobs += PARTS) {
    const uint64_t start = pages_of(g, sm);

    jobs[FLUSH] = read_job(g, g->flush, FLUSH_LAPS);
    jobs[TIME] = (struct gpu_round){.at = start,
                                    .end = start + g->each * g->few.stride,
                                    .step = g->few.stride,
                                    .timed = g->each,
                                    .result = i * g->sms + sm};
  }
}

/* One launch of the jobs. The trace has the timed pages by repeat and SM. *spread: each SM ran one
 * block. */
static int launch(struct grouping *g, uint32_t jobs, uint32_t repeats, bool *spread)
{
  const struct gc_rounds rounds = {.jobs = g->jobs,
                                   .n = g->sms,
                                   .rounds = jobs,
                                   .by_sm = true,
                                   .in_step = jobs % PARTS != 0, /* somebody reads before */
                                   .binning = {.threshold = UINT32_MAX},
                                   .results = repeats * g->sms,
                                   .traced = g->each};
  struct gc_rounds_seen seen = {.trace = g->trace};
  const int status = gc_rounds_run(&g->range->m->bench, &rounds, &seen);

  *spread = seen.spread;
  return status;
}

/* The SMs that are to read, each read the many pages; then each SM times its pages. */
static int read_and_time(struct grouping *g, bool *spread)
{
  for (uint32_t i = 0; i < g->sms; i++) {
    struct gpu_round *jobs = g->jobs + (size_t)i * (1 + PARTS);

    jobs[0] = read_job(g, g->members[i].reads ? g->many.count : 0, 1);
    add_timing(g, jobs + 1, i, 1);
  }
  return launch(g, 1 + PARTS, 1, spread);
}

/* --- one round --- */

/* One round of readers: extra and slow of all SMs. *doubt: why the round means nothing; NULL: each
 * reader was slow itself. */
static int run_round(struct grouping *g, const char **doubt)
{
  bool spread = false, clear = true;
  int status = read_and_time(g, &spread);

  *doubt = met;
  if (status || !spread)
    return status;
  for (uint32_t i = 0; i < g->sms; i++) {
    struct member *member = &g->members[i];
    double extra[EACH];

    for (uint32_t k = 0; k < g->each; k++)
      extra[k] = g->trace[i * g->each + k] - member->base[k];
    member->extra = gc_midhinge(extra, g->each);
    member->slow = member->extra > g->threshold;
    clear &= member->slow || !member->reads;
  }
  *doubt = clear ? NULL : "an SM could not evict its own translations";
  return 0;
}

/* The cycles of pages that the TLB has. *doubt: why a single round cannot be clear; NULL: the noise
 * of these cycles does not reach the threshold. */
static int take_base(struct grouping *g, const char **doubt)
{
  double *change = calloc(g->sms, sizeof(*change));
  bool spread = false;
  int status = change ? 0 : gc_fail(g->range->m->bench.err, -ENOMEM, "out of memory");

  *doubt = met;
  for (uint32_t i = 0; i < g->sms; i++)
    add_timing(g, g->jobs + (size_t)i * REPEATS * PARTS, i, REPEATS);
  if (!status)
    status = launch(g, REPEATS * PARTS, REPEATS, &spread);
  for (uint32_t i = 0; i < g->sms && !status; i++) {
    double extra[EACH];

    for (uint32_t k = 0; k < g->each; k++) {
      double cycles[REPEATS];

      for (uint32_t r = 0; r < REPEATS; r++)
        cycles[r] = g->trace[(r * g->sms + i) * g->each + k];
      /* the last one is a round, as far as the noise goes */
      extra[k] =
          cycles[REPEATS - 1] - (g->members[i].base[k] = gc_median(cycles + PRIMING, LEARNED));
    }
    change[i] = gc_midhinge(extra, g->each);
  }
  if (!status && spread)
    *doubt = CLEAR_SIGMAS * (gc_robust_sigma(change, g->sms, 0) + 0.25) >= g->threshold
                 ? "a miss costs too little to show which SMs share one"
                 : NULL;
  free(change);
  return status;
}

/* Unless `doubt` is NULL, it is why there are no groups. */
static void give_up(struct grouping *g, const char *doubt)
{
  g->result->found.absent = doubt;
  if (doubt == met)
    g->range->m->bench.signs |= GC_SIGN_BLOCKS_MET;
}

/* --- groups --- */

/* Whether SM i and this reader are in the same domain. */
static bool meet(const struct grouping *g, uint32_t i, uint32_t reader)
{
  return g->domains == 1 || g->members[i].domain == g->members[reader].domain;
}

static void choose_none(struct grouping *g)
{
  for (uint32_t i = 0; i < g->sms; i++)
    g->members[i].reads = false;
}

/* Chooses the first SM of each domain that is in no group yet. Returns whether there is one. */
static bool choose_first(struct grouping *g)
{
  bool chosen[GC_SMS_MAX] = {false}, any = false;

  choose_none(g);
  for (uint32_t i = 0; i < g->sms; i++) {
    const uint32_t domain = g->domains == 1 ? 0 : g->members[i].domain;

    if (g->result->found.groups.of[i] != UINT16_MAX || chosen[domain])
      continue;
    g->members[i].reads = chosen[domain] = any = true;
  }
  return any;
}

/* Chooses the last SM of the nth group of each domain. */
static bool choose_last(struct grouping *g, uint32_t nth)
{
  const struct gc_groups *groups = &g->result->found.groups;
  uint32_t seen[GC_SMS_MAX] = {0};
  bool counted[GC_SMS_MAX] = {false}, any = false;

  choose_none(g);
  for (uint32_t i = g->sms; i-- > 0;) {
    const uint32_t domain = g->domains == 1 ? 0 : g->members[i].domain;

    if (counted[groups->of[i]])
      continue;
    counted[groups->of[i]] = true;
    g->members[i].reads = seen[domain]++ == nth;
    any |= g->members[i].reads;
  }
  return any;
}

/* Puts the slow SMs into the groups of the readers of their domains. False: one is in another
 * group. */
static bool join(struct grouping *g)
{
  struct gc_groups *groups = &g->result->found.groups;

  for (uint32_t i = 0; i < g->sms; i++)
    if (g->members[i].slow && groups->of[i] != UINT16_MAX)
      return false;
  for (uint32_t reader = 0; reader < g->sms; reader++) {
    if (!g->members[reader].reads)
      continue;
    for (uint32_t i = 0; i < g->sms; i++)
      if (g->members[i].slow && meet(g, i, reader)) {
        groups->of[i] = (uint16_t)groups->count;
        g->members[i].penalty[0] = g->members[i].extra;
      }
    groups->count++;
  }
  return true;
}

/* Whether exactly the SMs of the readers' groups are slow. */
static bool confirm(struct grouping *g)
{
  const struct gc_groups *groups = &g->result->found.groups;
  bool read[GC_SMS_MAX] = {false};

  for (uint32_t i = 0; i < g->sms; i++)
    read[groups->of[i]] |= g->members[i].reads;
  for (uint32_t i = 0; i < g->sms; i++) {
    if (g->members[i].slow != read[groups->of[i]])
      return false;
    if (g->members[i].slow)
      g->members[i].penalty[1] = g->members[i].extra;
  }
  return true;
}

/* Runs a round until it is clear and `judge` accepts it. */
static int settle_round(struct grouping *g, bool (*judge)(struct grouping *g))
{
  const char *doubt = met;

  for (uint32_t attempt = 0; attempt < ATTEMPTS && doubt; attempt++) {
    const int status = run_round(g, &doubt);

    if (status)
      return status;
    if (!doubt && !judge(g))
      doubt = disagree;
  }
  give_up(g, doubt);
  return 0;
}

/* SMs of other domains than that of the only reader are not slow. */
static bool stays_inside(struct grouping *g)
{
  uint32_t reader = 0;

  while (!g->members[reader].reads)
    reader++;
  for (uint32_t i = 0; i < g->sms; i++)
    if (g->members[i].slow && !meet(g, i, reader))
      return false;
  return true;
}

/* Whether the GPCs are known and do not share a TLB, as far as the first SM of each shows.
 * Otherwise all SMs are one domain. */
static int choose_domains(struct grouping *g)
{
  const struct gc_results *results = g->range->m->results;
  uint32_t tested = 0;
  int status = 0;

  g->domains = 1;
  if (!gc_found(&results->element[GC_WHOLE_GPU], GC_GPC_SMS) || results->gpc.count < 2)
    return 0;
  g->domains = results->gpc.count;
  for (uint32_t i = 0; i < g->sms; i++)
    g->members[i].domain = results->gpc.of[i];
  for (uint32_t i = 0; i < g->sms && !status && !g->result->found.absent; i++) {
    if (results->gpc.of[i] != tested) /* they are numbered by their first SMs */
      continue;
    tested++;
    choose_none(g);
    g->members[i].reads = true;
    status = settle_round(g, stays_inside);
  }
  if (g->result->found.absent == disagree) {
    g->domains = 1;
    g->result->found.absent = NULL;
  }
  return status;
}

static void take_penalty(const struct grouping *g)
{
  double differences[GC_SMS_MAX], sum = 0;

  for (uint32_t i = 0; i < g->sms; i++) {
    const double *penalty = g->members[i].penalty;

    sum += (penalty[0] + penalty[1]) / 2;
    differences[i] = penalty[0] - penalty[1];
    gc_raw_row(g->range->m->bench.raw, "SM\tgroup\tmiss penalty, cycles\tagain, cycles",
               (double[]){i, g->result->found.groups.of[i], penalty[0], penalty[1]});
  }
  g->result->penalty = sum / g->sms;
  g->result->penalty_confidence =
      gc_median_confidence(differences, g->sms, 0, fmax(1, PENALTY_SHARE * g->result->penalty));
}

static int find_all(struct grouping *g)
{
  struct gc_groups *groups = &g->result->found.groups;
  const uint64_t votes = (uint64_t)ROUNDS * g->sms;
  int status = choose_domains(g);

  groups->count = 0;
  memset(groups->of, 0xff, sizeof(groups->of));
  while (!status && !g->result->found.absent && choose_first(g))
    status = settle_round(g, join);
  for (uint32_t nth = 0; !status && !g->result->found.absent && choose_last(g, nth); nth++)
    status = settle_round(g, confirm);
  if (status || g->result->found.absent)
    return status;
  gc_groups_number(groups, g->sms);
  take_penalty(g);
  g->result->found.confidence = gc_vote_confidence(votes, votes);
  return 0;
}

/* --- what is walked --- */

/* Gives each SM pages of its own. */
static int prepare(struct grouping *g, const struct gc_tlb_found *found,
                   const struct gc_measured *nearer)
{
  const uint64_t stride = gc_tlb_stride(found->entry_bytes, 0);
  const uint32_t flush = gc_tlb_beyond(nearer, stride);

  /* the TLB must hold all of them, even if all SMs share it */
  for (g->each = EACH; g->each > 1 && g->each * g->sms + flush > found->entries;)
    g->each /= 2;
  g->few = (struct gc_tlb_pages){.stride = stride, .count = g->each * g->sms};
  g->many = (struct gc_tlb_pages){.offset = (g->few.count + 1) * stride,
                                  .stride = stride,
                                  .count = (uint32_t)((double)found->entries * EXCESS) + 1};
  g->flush = flush;
  if (!gc_tlb_range_fits(g->range, &g->many)) {
    g->result->found.absent = "there is too little memory to evict translations";
    return 0;
  }
  return gc_tlb_map(g->range, &g->many);
}

static int search(struct grouping *g, const struct gc_tlb_found *found,
                  const struct gc_measured *nearer)
{
  const char *doubt = met;
  int status = gc_number_sms(g->range->m);

  if (status)
    return status;
  if (!gc_sms_without_gaps(g->range->m))
    g->result->found.absent = "blocks did not reach all SMs, or their numbers have gaps";
  else
    status = prepare(g, found, nearer);
  for (int attempt = 0;
       attempt < GC_PLACEMENT_LAUNCHES && doubt == met && !status && !g->result->found.absent; attempt++)
    status = take_base(g, &doubt);
  if (status || g->result->found.absent)
    return status;
  give_up(g, doubt);
  return doubt ? 0 : find_all(g);
}

int gc_tlb_find_groups(struct gc_tlb_range *range, const struct gc_tlb_found *found,
                       const struct gc_measured *nearer, struct gc_tlb_groups *result)
{
  const uint32_t sms = range->m->bench.properties.sms;
  struct grouping g = {.range = range,
                       .threshold = found->penalty / 2,
                       .sms = sms,
                       .members = calloc(sms, sizeof(*g.members)),
                       .jobs = calloc((size_t)sms * REPEATS * PARTS, sizeof(*g.jobs)),
                       .trace = calloc((size_t)sms * EACH * REPEATS, sizeof(*g.trace)),
                       .result = result};
  int status =
      g.members && g.jobs && g.trace ? 0 : gc_fail(range->m->bench.err, -ENOMEM, "out of memory");

  *result = (struct gc_tlb_groups){0};
  if (!status)
    status = search(&g, found, nearer);
  free(g.trace);
  free(g.jobs);
  free(g.members);
  return status;
}
