/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs share a scalar L1: two or three neighbours, or what is left of them where CUs are switched off.
 * Block after block leaves marks in the cache that those after it find (kernels/mates.c). MT4G (2025, IV-G)
 * tries all pairs of CUs for that; here one launch is enough, and more of them have to say the same.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/layout.h"
#include "measure/mates.h"
#include "measure/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define MAJORITY 4     /* rounds that must say exactly the same */
#define DOUBTS 0.1     /* share of the CUs that may have seen a mark that was neither there nor not */
#define STRIDE 192     /* an odd multiple of the line: neither neighbours nor few sets */
#define PATIENCE 65536 /* looks at a word; a few ms */
#define ATTEMPTS 3     /* until no two blocks meet on a CU */

struct mates {
  struct gc_bench *bench;
  struct gpu_mates_args args;
  struct gpu_mates_result *results; /* [sms], of a round */
  uint32_t *group[ROUNDS];          /* [sms] by index of CU: the smallest index in its group */
  uint32_t rounds, doubtful;        /* CUs with doubts, in all rounds */
  const char *absent;
};

/* One of them, whoever calls. */
static uint32_t find_leader(const struct mates *m, uint32_t block)
{
  return gc_sm_index(m->bench, m->results[m->results[block].leader].sm);
}

/* What is wrong with a round; NULL: nothing. */
static const char *problem(const struct mates *m)
{
  const uint32_t n = m->bench->properties.sms;

  for (uint32_t i = 0; i < n; i++) {
    const struct gpu_mates_result *r = &m->results[i];

    if (!r->in_turn)
      return "blocks did not get their turn in time";
    if (gc_sm_index(m->bench, r->sm) == UINT32_MAX)
      return "the blocks of a launch did not spread over all CUs";
    for (uint32_t k = 0; k < i; k++)
      if (m->results[k].sm == r->sm)
        return "blocks of one launch met on one CU";
    if (r->rank >= GPU_MATES_MAX)
      return "more CUs share one than can be told apart";
    if (r->leader > i || m->results[r->leader].rank)
      return "CUs found marks that nobody left";
  }
  return NULL;
}

static int call(struct mates *m)
{
  struct gc_bench *bench = m->bench;
  const uint32_t n = bench->properties.sms;
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    if ((status = bench->ops->clear(bench->device, m->args.turn, 8, bench->err)) ||
        (status = gc_bench_launch(bench, GC_KERNEL_mates, n, bench->properties.warp, 0, &m->args,
                                  sizeof(m->args))) ||
        (status = bench->ops->download(bench->device, m->results, m->args.results,
                                       n * sizeof(*m->results), bench->err)))
      break;
    if (!(m->absent = problem(m)))
      break;
  }
  return status;
}

static int one_round(struct mates *m)
{
  const uint32_t n = m->bench->properties.sms;
  uint32_t *group = calloc(n, sizeof(*group)), *smallest = calloc(n, sizeof(*smallest));
  int status = group && smallest ? call(m) : gc_fail(m->bench->err, -ENOMEM, "out of memory");

  m->group[m->rounds++] = group;
  if (!status && !m->absent) {
    memset(smallest, 0xff, n * sizeof(*smallest));
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t at = gc_sm_index(m->bench, m->results[i].sm), leader = find_leader(m, i);

      smallest[leader] = at < smallest[leader] ? at : smallest[leader];
      m->doubtful += m->results[i].doubts > 0;
    }
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t at = gc_sm_index(m->bench, m->results[i].sm);

      group[at] = smallest[find_leader(m, i)];
      gc_raw_row(m->bench->raw, "CU\tfirst of the CUs that share one\tmarks in doubt",
                 (double[]){m->results[i].sm, m->bench->sm_numbers[group[at]], m->results[i].doubts});
    }
  }
  free(smallest);
  return status;
}

/* The round that most others agree with; *agree: how many, itself included. */
static const uint32_t *most_common(const struct mates *m, uint32_t *agree)
{
  const size_t bytes = m->bench->properties.sms * sizeof(**m->group);
  const uint32_t *best = NULL;

  *agree = 0;
  for (uint32_t i = 0; i < m->rounds; i++) {
    uint32_t same = 0;

    for (uint32_t k = 0; k < m->rounds; k++)
      same += !memcmp(m->group[i], m->group[k], bytes);
    if (same > *agree) {
      *agree = same;
      best = m->group[i];
    }
  }
  return best;
}

/* "24x3,24x2": so many groups of so many CUs. */
static void describe_sizes(const uint32_t *sizes, uint32_t groups, uint32_t cus, char *text,
                           size_t room)
{
  *text = '\0';
  for (uint32_t size = cus; size > 0; size--) {
    uint32_t count = 0;

    for (uint32_t g = 0; g < groups; g++)
      count += sizes[g] == size;
    if (count && strlen(text) + 24 < room)
      snprintf(text + strlen(text), room - strlen(text), "%s%ux%u", *text ? "," : "", count, size);
  }
}

/* "1,2 3,4,5": the CUs of each group. */
static char *describe_members(const struct gc_bench *bench, const uint32_t *group, uint32_t groups)
{
  const uint32_t n = bench->properties.sms;
  char *text = malloc(11u * n + 1), *at = text;

  for (uint32_t g = 0; g < groups && text; g++) {
    const char *between = g ? " " : "";

    for (uint32_t i = 0; i < n; i++)
      if (group[i] == g) {
        at += sprintf(at, "%s%u", between, bench->sm_numbers[i]);
        between = ",";
      }
  }
  return text;
}

int gc_put_cu_groups(struct gc_bench *bench, struct gc_element *element, const uint32_t *group,
                     uint32_t groups, double confidence)
{
  uint32_t *sizes = calloc(groups + 1, sizeof(*sizes));
  char *members = describe_members(bench, group, groups), histogram[128];
  int status = sizes && members ? 0 : -ENOMEM;

  for (uint32_t i = 0; i < bench->properties.sms && !status; i++)
    sizes[group[i]]++;
  if (!status) {
    describe_sizes(sizes, groups, bench->properties.sms, histogram, sizeof(histogram));
    status = gc_put_text(element, HWLOC_GPUCACHE_SHARED_BY_CUS, histogram, confidence);
  }
  if (!status && strlen(members) < GC_RECORD_MAX_VALUE)
    status = gc_put_text(element, HWLOC_GPUCACHE_CU_GROUPS, members, confidence);
  free(members);
  free(sizes);
  return status ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}

static int put_absent(struct gc_bench *bench, struct gc_element *element, const char *why)
{
  static const char *const properties[] = {HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_PER_SM,
                                           HWLOC_GPUCACHE_SHARED_BY_CUS,
                                           HWLOC_GPUCACHE_CU_GROUPS};

  for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
    if (gc_put_absent(element, properties[i], why))
      return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

/* smallest[i]: the smallest index in the group of CU i. */
static int put(struct gc_bench *bench, struct gc_element *element, const uint32_t *smallest,
               double confidence)
{
  const uint32_t n = bench->properties.sms;
  uint32_t *group = calloc(n, sizeof(*group)), groups = 0;
  char why[96];
  int status;

  if (!group)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < n; i++)
    group[i] = smallest[i] == i ? groups++ : group[smallest[i]];
  snprintf(why, sizeof(why), "%u CUs share %u of them", n, groups);
  if (gc_put_measured(element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, groups,
                      confidence) ||
      (groups == n ? gc_put_measured(element, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, 1,
                                     confidence)
                   : gc_put_absent(element, HWLOC_GPUCACHE_PER_SM, why)))
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  else
    status = gc_put_cu_groups(bench, element, group, groups, confidence);
  free(group);
  return status;
}

static int tell(struct mates *m, struct gc_element *element)
{
  const uint32_t all = m->rounds * m->bench->properties.sms;
  uint32_t agree;
  const uint32_t *group = m->absent ? NULL : most_common(m, &agree);

  if (m->absent)
    return put_absent(m->bench, element, m->absent);
  if (m->doubtful > DOUBTS * all)
    return put_absent(m->bench, element, "what other CUs loaded cannot be told from what they did not");
  if (agree < MAJORITY)
    return put_absent(m->bench, element, "repetitions disagree on which CUs share one");
  return put(m->bench, element, group, gc_vote_confidence(agree, m->rounds));
}

/* What tells a load that is served by the scalar L1 from others; *why: nothing does. */
static int find_threshold(struct mates *m)
{
  struct gc_levels levels;
  int status = gc_find_levels(m->bench, GC_SCALAR_L1, 1, &levels);

  if (!status && !(m->args.threshold = (uint32_t)gc_levels_threshold(&levels)))
    m->absent = gc_levels_alike;
  return status;
}

/* Device memory for lines, results and the turn; no chain: what lines hold does not matter. */
static int prepare(struct mates *m, uint64_t *device)
{
  const uint32_t n = m->bench->properties.sms;
  const size_t results = n * sizeof(*m->results);
  int status = m->bench->ops->alloc(m->bench->device, 8 + results, device, m->bench->err);

  while (1u << m->args.bits < n)
    m->args.bits++;
  m->args.lines = gc_bench_address(m->bench, GC_FORM_GLOBAL, 0);
  m->args.stride = STRIDE;
  m->args.patience = PATIENCE;
  m->args.turn = *device;
  m->args.results = *device + 8;
  return status;
}

int gc_step_mates(struct gc_bench *bench, struct gc_element *element)
{
  struct mates m = {.bench = bench};
  uint64_t device = 0;
  int status = gc_call_sms(bench);

  m.results = calloc(bench->properties.sms, sizeof(*m.results));
  if (!m.results && !status)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status && bench->sm_count < bench->properties.sms)
    m.absent = "the blocks of a launch did not spread over all CUs";
  if (!status)
    status = find_threshold(&m);
  if (!status)
    status = prepare(&m, &device);
  while (!status && !m.absent && m.rounds < ROUNDS)
    status = one_round(&m);
  if (!status)
    status = tell(&m, element);
  if (device)
    bench->ops->release(bench->device, device);
  for (uint32_t i = 0; i < m.rounds; i++)
    free(m.group[i]);
  free(m.results);
  return status;
}
