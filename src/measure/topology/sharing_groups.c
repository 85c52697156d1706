/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD: which CUs share a scalar L1. These are two or three neighbours, or fewer if CUs are
 * disabled. Block after block leaves marks in the cache, and later blocks at the same cache find
 * them (kernels/sharing_groups.c). One launch finds all groups, and several launches must agree.
 * doc/methods.md, "CUs that share a cache"; Vanecek et al. (MT4G) 2025, IV-G, tries all pairs of
 * CUs instead.
 */
#include "measure/topology/cu_groups.h"
#include "measure/topology/topology.h"
#include "measure/walk/levels.h"
#include "measure/walk/ring.h"
#include "measure/walk/sms.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  uint32_t *group[ROUNDS];   /* [CUs] by index of the CU: the smallest index in its group */
  uint32_t rounds, doubtful; /* doubtful: CUs with doubts, in all rounds */
  const char *absent;        /* why there is no result; NULL: no problem so far */
};

/* The index of the CU that was first in the group of this block's CU. */
static uint32_t find_leader(const struct search *s, uint32_t block)
{
  return gc_sm_index(s->m->results, s->results[s->results[block].leader].sm);
}

/* The problem with the results of a round; NULL: none. */
static const char *problem(const struct search *s)
{
  const uint32_t n = s->m->bench.properties.sms;

  for (uint32_t i = 0; i < n; i++) {
    const struct gpu_sharing_groups_result *r = &s->results[i];

    if (!r->in_order)
      return "blocks waited too long for their ticket";
    if (gc_sm_index(s->m->results, r->sm) == UINT32_MAX)
      return "the blocks of a launch did not spread over all CUs";
    for (uint32_t k = 0; k < i; k++)
      if (s->results[k].sm == r->sm)
        return "two blocks of one launch ran on the same CU";
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
  const uint32_t n = bench->properties.sms;
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    if ((status = bench->ops->clear(bench->device, s->args.ticket, 8, bench->err)) ||
        (status = gc_bench_launch(bench, GC_KERNEL_sharing_groups, n, bench->properties.warp, 0,
                                  &s->args)) ||
        (status = bench->ops->download(bench->device, s->results, s->args.results,
                                       n * sizeof(*s->results), bench->err)))
      break;
    if (!(s->absent = problem(s)))
      return 0;
  }
  if (!status)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

/* Converts the leaders of a round to groups. smallest: scratch, [CUs]. */
static void group_cus(struct search *s, uint32_t *group, uint32_t *smallest)
{
  const struct gc_bench *bench = &s->m->bench;
  const uint32_t n = bench->properties.sms;

  memset(smallest, 0xff, n * sizeof(*smallest));
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t at = gc_sm_index(s->m->results, s->results[i].sm), leader = find_leader(s, i);

    smallest[leader] = at < smallest[leader] ? at : smallest[leader];
    s->doubtful += s->results[i].doubts > 0;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t at = gc_sm_index(s->m->results, s->results[i].sm);

    group[at] = smallest[find_leader(s, i)];
    gc_raw_row(
        bench->raw, "CU\tfirst of the CUs that share one\tmarks in doubt",
        (double[]){s->results[i].sm, s->m->results->sm_number[group[at]], s->results[i].doubts});
  }
}

static int run_round(struct search *s)
{
  const uint32_t n = s->m->bench.properties.sms;
  uint32_t *group = calloc(n, sizeof(*group)), *smallest = calloc(n, sizeof(*smallest));
  int status = group && smallest ? launch(s) : gc_fail(s->m->bench.err, -ENOMEM, "out of memory");

  s->group[s->rounds++] = group;
  if (!status && !s->absent)
    group_cus(s, group, smallest);
  free(smallest);
  return status;
}

/* The round that agrees with most rounds; *agree: how many, itself included. */
static const uint32_t *most_common(const struct search *s, uint32_t *agree)
{
  const size_t bytes = s->m->bench.properties.sms * sizeof(**s->group);
  const uint32_t *best = NULL;

  *agree = 0;
  for (uint32_t i = 0; i < s->rounds; i++) {
    uint32_t same = 0;

    for (uint32_t k = 0; k < s->rounds; k++)
      same += !memcmp(s->group[i], s->group[k], bytes);
    if (same > *agree) {
      *agree = same;
      best = s->group[i];
    }
  }
  return best;
}

static int put_absent(struct gc_measured *element, const char *why)
{
  return gc_set_all_absent(element, GC_CU_GROUP_PROPERTIES, why);
}

/* smallest[i]: the smallest index in the group of CU i. */
static int put(struct gc_measurement *m, struct gc_measured *element, const uint32_t *smallest,
               double confidence)
{
  const uint32_t n = m->bench.properties.sms;
  uint32_t group[GC_SMS_MAX], groups = 0;

  for (uint32_t i = 0; i < n; i++)
    group[i] = smallest[i] == i ? groups++ : group[smallest[i]];
  element->instances = groups;
  gc_set_measured(element, GC_INSTANCES, confidence);
  if (groups == n) {
    element->per_sm = 1;
    gc_set_measured(element, GC_PER_SM, confidence);
  } else {
    char why[96];

    snprintf(why, sizeof(why), "%u CUs share %u of them", n, groups);
    gc_set_absent(element, GC_PER_SM, why);
  }
  return gc_put_cu_groups(m, element, group, groups, confidence);
}

static int report(const struct search *s, struct gc_measured *element)
{
  const uint32_t all = s->rounds * s->m->bench.properties.sms;
  const uint32_t *group;
  uint32_t agree;

  if (s->absent)
    return put_absent(element, s->absent);
  group = most_common(s, &agree);
  if (s->doubtful > DOUBTS * all)
    return put_absent(element,
                      "lines that other CUs loaded cannot be distinguished from other lines");
  if (agree < MAJORITY)
    return put_absent(element, "repetitions disagree on which CUs share one");
  return put(s->m, element, group, gc_vote_confidence(agree, s->rounds));
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
  for (uint32_t i = 0; i < s.rounds; i++)
    free(s.group[i]);
  free(s.results);
  return status;
}
