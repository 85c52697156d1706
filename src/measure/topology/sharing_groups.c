/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD: which CUs share a scalar L1. These are two or three neighbours, or fewer if CUs are
 * disabled. Block after block leaves marks in the cache, and later blocks at the same cache find
 * them (kernels/sharing_groups.c). One launch finds all groups, and several launches must agree.
 * doc/methods.md, "CUs that share a cache"; Vanecek et al. (MT4G) 2025, IV-G, tries all pairs of
 * CUs instead.
 */
#include "measure/core/placement.h"
#include "measure/topology/topology.h"
#include "measure/walk/groups.h"
#include "measure/walk/levels.h"
#include "measure/walk/ring.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5
#define MAJORITY 4 /* rounds that must find exactly the same groups */
#define DOUBTS 0.1 /* share of the CUs that may have found a mark that was only partly there */
/* Bytes, an odd multiple of the line: lines are not adjacent, and do not use only a few sets. */
#define STRIDE 192
#define POLLS_MAX 65536 /* polls of a word; a few ms */
#define ATTEMPTS 3      /* launches until no two blocks run on the same CU */

struct search {
  struct gc_measurement *m;
  struct gpu_sharing_groups_args args;
  struct gpu_sharing_groups_result *results; /* [CUs], of one round */
  struct gc_groups groups[ROUNDS];
  uint32_t rounds, doubtful; /* doubtful: CUs with doubts, in all rounds */
  const char *absent;        /* why there is no result; NULL: no problem so far */
};

/* The problem with the marks that the blocks of a round found; NULL: none. */
static const char *problem(const struct search *s)
{
  for (uint32_t i = 0; i < s->m->bench.properties.sms; i++) {
    const struct gpu_sharing_groups_result *r = &s->results[i];

    if (gc_sm_index(s->m->results, r->sm) == UINT32_MAX)
      return "the blocks of a launch did not spread over all CUs";
    if (r->rank >= GPU_GROUPS_MAX)
      return "more CUs share one than can be told apart";
    if (r->leader > i || s->results[r->leader].rank)
      return "CUs found marks that no CU had left";
  }
  return NULL;
}

static int launch(struct search *s)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gc_in_order launch = {.kernel = GC_KERNEL_sharing_groups,
                                     .threads = bench->properties.warp,
                                     .args = &s->args,
                                     .ticket = s->args.ticket,
                                     .at = s->args.results,
                                     .results = s->results,
                                     .bytes = sizeof(*s->results)};

  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    const int status = gc_launch_in_order(s->m, &launch, &s->absent);

    if (status || (!s->absent && !(s->absent = problem(s))))
      return status;
  }
  bench->signs |= GC_SIGN_BLOCKS_MET;
  return 0;
}

/* Each CU shares with the first one that used its cache. */
static int run_round(struct search *s)
{
  const struct gc_results *results = s->m->results;
  const uint32_t n = s->m->bench.properties.sms;
  struct gc_groups *groups = &s->groups[s->rounds++];
  uint32_t first[GC_SMS_MAX];
  int status = launch(s);

  if (status || s->absent)
    return status;
  gc_groups_start(groups, n);
  for (uint32_t i = 0; i < n; i++) {
    gc_groups_join(groups, n, gc_sm_index(results, s->results[i].sm),
                   gc_sm_index(results, s->results[s->results[i].leader].sm));
    s->doubtful += s->results[i].doubts > 0;
  }
  gc_groups_number(groups, n);
  for (uint32_t cu = n; cu-- > 0;)
    first[groups->of[cu]] = cu;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t cu = gc_sm_index(results, s->results[i].sm);

    gc_raw_row(s->m->bench.raw, "CU\tfirst of the CUs that share one\tmarks in doubt",
               (double[]){s->results[i].sm, results->sm_number[first[groups->of[cu]]],
                          s->results[i].doubts});
  }
  return 0;
}

static int put_absent(struct gc_measured *element, const char *why)
{
  return gc_set_all_absent(element, (union gc_property_set)GC_CU_GROUP_PROPERTIES, why);
}

static int report(const struct search *s, struct gc_measured *element)
{
  const uint32_t n = s->m->bench.properties.sms;
  const struct gc_groups *groups;
  uint32_t agree;
  double confidence;
  char why[96];

  if (s->absent)
    return put_absent(element, s->absent);
  groups = gc_groups_most_common(s->groups, s->rounds, n, &agree);
  if (s->doubtful > DOUBTS * (s->rounds * n))
    return put_absent(element,
                      "lines that other CUs loaded cannot be distinguished from other lines");
  if (agree < MAJORITY)
    return put_absent(element, "repetitions disagree on which CUs share one");
  confidence = gc_vote_confidence(agree, s->rounds);
  snprintf(why, sizeof(why), "%u CUs share %u of them", n, groups->count);
  gc_set_measured(element, GC_SHARED_BY_CUS, confidence);
  return gc_groups_put(element, groups, n, GC_CU_GROUPS, confidence, why);
}

/* The threshold between loads that hit the scalar L1 and other loads. */
static int find_threshold(struct search *s)
{
  struct gc_levels levels;
  int status = gc_find_levels(s->m, GC_SCALAR_L1, 1, &levels);

  if (!status && !(s->args.threshold = (uint32_t)gc_levels_threshold(&levels)))
    s->absent = gc_levels_why(&levels);
  return status;
}

/* Allocates device memory for results and the ticket. The lines need no chain: their contents do
 * not matter. */
static int prepare(struct search *s, uint64_t *device)
{
  struct gc_bench *bench = &s->m->bench;
  const uint32_t n = bench->properties.sms;
  int status = bench->ops->alloc(bench->device, 8 + n * sizeof(*s->results), device, bench->err);

  while (1u << s->args.bits < n)
    s->args.bits++;
  s->args.lines = gc_ring_address(bench, GC_ADDRESS_GLOBAL, 0);
  s->args.stride = STRIDE;
  s->args.polls_max = POLLS_MAX;
  s->args.ticket = *device;
  s->args.results = *device + 8;
  return status;
}

int gc_step_sharing_groups(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  struct search s = {.m = m};
  uint64_t device = 0;
  int status = gc_number_sms(m);

  s.results = calloc(bench->properties.sms, sizeof(*s.results));
  if (!s.results && !status)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status && m->results->sm_count < bench->properties.sms)
    s.absent = "the blocks of a launch did not spread over all CUs";
  if (!status)
    status = find_threshold(&s);
  if (!status)
    status = prepare(&s, &device);
  while (!status && !s.absent && s.rounds < ROUNDS)
    status = run_round(&s);
  if (!status)
    status = report(&s, element);
  if (device)
    bench->ops->release(bench->device, device);
  free(s.results);
  return status;
}
