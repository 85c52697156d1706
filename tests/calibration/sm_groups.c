/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the groups of SMs, and what clusters of blocks reach. The profile states the GPCs. Where it
 * does not, the SMs that share a constant L1.5 count as a GPC: without clusters there is no other
 * evidence.
 */
#include "court.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMS_MAX COURT_SMS_MAX
#define REMOTE_SHARE 0.02
#define CLUSTERS 4096 /* so many reach every SM that clusters of that size can reach */

static bool same(const struct court_case *c) { return *c->truth && !strcmp(c->reported, c->truth); }

/* Numbers groups by their first SMs. */
uint32_t court_renumber(uint32_t group[SMS_MAX], uint32_t sms)
{
  uint32_t before[SMS_MAX], count = 0;

  memcpy(before, group, sizeof(before));
  for (uint32_t sm = 0; sm < sms; sm++) {
    uint32_t first = 0;

    while (before[first] != before[sm])
      first++;
    group[sm] = first < sm ? group[first] : count++;
  }
  return count;
}

/* SMs that share a constant L1.5. 0: there is none. */
static uint32_t find_constant(const struct court *court, uint32_t group[SMS_MAX])
{
  const uint32_t sms = court->profile.facts.sms;

  if (court->profile.paths[GC_SPACE_CONSTANT].count < 4)
    return 0;
  for (uint32_t sm = 0; sm < sms; sm++) {
    group[sm] = 0;
    while (!gc_model_true_sharing_groups(court->model, GC_SPACE_CONSTANT, 1, group[sm], sm))
      group[sm]++;
  }
  return court_renumber(group, sms);
}

static uint32_t find_gpcs(const struct court *court, uint32_t group[SMS_MAX])
{
  const uint32_t sms = court->profile.facts.sms;

  if (!court->profile.gpcs.count)
    return find_constant(court, group);
  for (uint32_t sm = 0; sm < sms; sm++)
    group[sm] = court->profile.gpcs.of[sm];
  return court_renumber(group, sms);
}

void court_print_groups(const struct court *court, struct court_case *c,
                        const uint32_t group[SMS_MAX], uint32_t count)
{
  const uint32_t sms = court->profile.facts.sms;
  size_t length = 0;

  for (uint32_t g = 0; g < count; g++) {
    const char *between = g ? " " : "";

    for (uint32_t sm = 0; sm < sms && length + 16 < sizeof(c->truth); sm++)
      if (group[sm] == g) {
        length += (size_t)snprintf(c->truth + length, sizeof(c->truth) - length, "%s%u", between,
                                   gc_model_sm_id(court->model, sm));
        between = ",";
      }
  }
}

bool judge_gpcs(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX];
  const uint32_t count = find_gpcs(court, group);

  if (count)
    snprintf(c->truth, sizeof(c->truth), "%u", count);
  return same(c);
}

bool judge_gpc_sms(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX];
  const uint32_t count = find_gpcs(court, group);

  court_print_groups(court, c, group, count);
  return same(c);
}

bool judge_tpc_sms(const struct court *court, struct court_case *c)
{
  const uint32_t sms = court->profile.facts.sms, each = court->profile.gpcs.tpc_sms;
  uint32_t group[SMS_MAX];

  for (uint32_t sm = 0; sm < sms && each; sm++)
    group[sm] = sm / each;
  if (court->profile.facts.cluster_blocks)
    court_print_groups(court, c, group, (sms + each - 1) / each);
  return same(c);
}

/* Whether two SMs of one group of `fine` are always in one group of `coarse`. */
static bool divides(const uint32_t *fine, const uint32_t *coarse, uint32_t sms)
{
  for (uint32_t a = 0; a < sms; a++)
    for (uint32_t b = 0; b < a; b++)
      if (fine[a] == fine[b] && coarse[a] != coarse[b])
        return false;
  return true;
}

/* What shares a constant L1.5 or a TLB is a CPC if it lies between TPC and GPC. If these are
 * different groups, nothing is right. */
bool judge_cpc_sms(const struct court *court, struct court_case *c)
{
  const uint32_t sms = court->profile.facts.sms;
  uint32_t gpc[SMS_MAX], tpc[SMS_MAX], group[SMS_MAX], cpc[SMS_MAX];
  const uint32_t gpcs = find_gpcs(court, gpc);
  uint32_t tpcs, cpcs = 0;

  if (!court->profile.facts.cluster_blocks || !gpcs)
    return false;
  for (uint32_t sm = 0; sm < sms; sm++)
    tpc[sm] = sm / court->profile.gpcs.tpc_sms;
  tpcs = court_renumber(tpc, sms);
  for (unsigned shared = 0; shared < 1 + court->profile.tlb_count; shared++) {
    const uint32_t count = shared ? court_tlb_groups(court, shared - 1, group)
                                  : find_constant(court, group);

    if (count <= gpcs || count >= tpcs || !divides(group, gpc, sms) || !divides(tpc, group, sms))
      continue;
    if (cpcs && memcmp(cpc, group, sms * sizeof(*group)))
      return false;
    memcpy(cpc, group, sizeof(cpc));
    cpcs = count;
  }
  court_print_groups(court, c, cpc, cpcs);
  return same(c);
}

bool judge_cluster_sms(const struct court *court, struct court_case *c)
{
  const uint32_t size = court->profile.facts.cluster_blocks;
  bool reached[SMS_MAX] = {false};
  uint32_t sms[SMS_MAX], count = 0;

  for (uint32_t cluster = 0; size && cluster < CLUSTERS; cluster++)
    for (uint32_t i = 0;
         i < size && gc_model_sms_of_cluster(court->model, cluster, size, sms); i++)
      reached[sms[i]] = true;
  for (uint32_t sm = 0; sm < court->profile.facts.sms; sm++)
    count += reached[sm];
  if (count)
    snprintf(c->truth, sizeof(c->truth), "%u", count);
  return same(c);
}

/* Sides are numbered by their first SMs. */
bool judge_gpc_sides(const struct court *court, struct court_case *c)
{
  const struct gc_profile *profile = &court->profile;
  const uint32_t sms = profile->facts.sms;
  const struct gc_profile_cache *l2 =
    &profile->caches[profile->paths[GC_SPACE_CG].levels[0].cache];
  uint32_t gpc[SMS_MAX], side[SMS_MAX];
  const uint32_t count = find_gpcs(court, gpc);
  size_t length = 0;

  if (!count || l2->partitions < 2 || !l2->far_cycles || court->gpu->class == DRAWN_NOISE)
    return false;
  for (uint32_t sm = 0; sm < sms; sm++)
    side[sm] = gc_chip_near(profile, l2, sm);
  if (court_renumber(side, sms) < 2 || !divides(gpc, side, sms))
    return false;
  for (uint32_t g = 0; g < count; g++)
    for (uint32_t sm = 0; sm < sms; sm++)
      if (gpc[sm] == g) {
        length += (size_t)snprintf(c->truth + length, sizeof(c->truth) - length, "%s%u",
                                   g ? "," : "", side[sm]);
        break;
      }
  return same(c);
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The median of all pairs in the clusters that run at the same time. */
bool judge_remote(const struct court *court, struct court_case *c)
{
  const uint32_t size = court->profile.facts.cluster_blocks;
  struct court_case reach = {.element = c->element};
  uint32_t sms[SMS_MAX], clusters;
  double *pairs, truth;
  size_t n = 0;

  if (size < 2)
    return false;
  judge_cluster_sms(court, &reach);
  clusters = (uint32_t)atoi(reach.truth) / size;
  pairs = malloc(sizeof(*pairs) * clusters * size * size);
  for (uint32_t cluster = 0; pairs && cluster < clusters; cluster++) {
    gc_model_sms_of_cluster(court->model, cluster, size, sms);
    for (uint32_t i = 0; i < size; i++)
      for (uint32_t k = 0; k < size; k++)
        if (i != k)
          pairs[n++] = gc_model_true_remote(court->model, sms[i], sms[k]);
  }
  if (!n) {
    free(pairs);
    return false;
  }
  qsort(pairs, n, sizeof(*pairs), ascending);
  truth = pairs[n / 2];
  free(pairs);
  snprintf(c->truth, sizeof(c->truth), "%.0f", truth);
  return fabs(strtod(c->reported, NULL) - truth) <= REMOTE_SHARE * truth + court->gpu->drift;
}
