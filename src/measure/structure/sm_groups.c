/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The groups of SMs: TPCs, GPCs, and what lies between. Two methods give groups that belong
 * together: clusters of blocks run in one GPC (clusters.c), and SMs of a GPC share a constant L1.5
 * (constant_groups.c). On an H200 some TPCs take no clusters of more than two blocks; the
 * constant L1.5 shows to which GPC they belong. CPCs, between TPC and GPC, share something: a
 * constant L1.5 on some GPUs, a TLB on others. doc/methods.md, "Groups of SMs".
 */
#include "measure/core/placement.h"
#include "measure/structure/clusters.h"
#include "measure/structure/constant_groups.h"
#include "measure/structure/structure.h"
#include "measure/walk/groups.h"
#include "measure/walk/vote.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TPC_SMS 2 /* the most SMs of a TPC */

struct evidence {
  struct gc_measurement *m;
  struct gc_measured *gpu;
  uint32_t sms;
  const char *no_clusters; /* why there are none; NULL: `clusters` is valid */
  struct gc_clusters clusters;
  struct gc_found_groups constant;
};

static int put_absent(struct gc_measured *gpu, const char *why)
{
  return gc_set_all_absent(gpu, (union gc_property_set)GC_SM_GROUP_PROPERTIES, why);
}

static uint32_t largest(const struct gc_groups *groups, uint32_t sms)
{
  uint32_t size[GC_SMS_MAX] = {0}, most = 0;

  for (uint32_t sm = 0; sm < sms; sm++)
    if (++size[groups->of[sm]] > most)
      most = size[groups->of[sm]];
  return most;
}

/* --- TPCs and clusters --- */

static int put_clusters(struct evidence *e)
{
  const struct gc_clusters *c = &e->clusters;
  struct gc_groups *tpc = &e->m->results->tpc;

  if (e->no_clusters) {
    gc_set_absent(e->gpu, GC_MAX_CLUSTER_BLOCKS, e->no_clusters);
    gc_set_absent(e->gpu, GC_CLUSTER_SMS, e->no_clusters);
    return gc_set_absent(e->gpu, GC_TPC_SMS, e->no_clusters);
  }
  e->gpu->cluster_sms = c->reached;
  if (c->settled)
    gc_set_measured(e->gpu, GC_CLUSTER_SMS, gc_vote_confidence(c->agreeing, c->agreeing));
  else
    gc_set_absent(e->gpu, GC_CLUSTER_SMS, "more launches of clusters reach more SMs");
  tpc->count = 0;
  for (uint32_t sm = 0; sm < e->sms; sm++) {
    if (c->partners_vary || c->partner[sm] == UINT32_MAX)
      return gc_set_absent(e->gpu, GC_TPC_SMS,
                           "clusters of two blocks do not always have the same two SMs");
    tpc->of[sm] = c->partner[sm] < sm ? tpc->of[c->partner[sm]] : (uint16_t)tpc->count++;
  }
  return gc_set_measured(
      e->gpu, GC_TPC_SMS,
      gc_vote_confidence(GC_CLUSTER_PAIRS * tpc->count, GC_CLUSTER_PAIRS * tpc->count));
}

/* --- CPCs --- */

static bool lie_between(const struct gc_measurement *m, const struct gc_measured *gpu,
                        const struct gc_groups *groups)
{
  const struct gc_results *results = m->results;
  const uint32_t sms = results->sm_count;

  return gc_found(gpu, GC_GPC_SMS) && gc_found(gpu, GC_TPC_SMS) &&
         groups->count > results->gpc.count && groups->count < results->tpc.count &&
         gc_groups_divide(groups, &results->gpc, sms) &&
         gc_groups_divide(&results->tpc, groups, sms);
}

int gc_cpcs_put(struct gc_measurement *m, struct gc_measured *gpu, const struct gc_groups *groups,
                double confidence)
{
  struct gc_groups *cpc = &m->results->cpc;
  const double most = confidence * gpu->found[GC_GPC_SMS].confidence;

  if (!lie_between(m, gpu, groups) || gpu->found[GC_CPC_SMS].origin == GC_ABSENT)
    return 0;
  if (!gc_found(gpu, GC_CPC_SMS)) {
    *cpc = *groups;
    return gc_set_measured(gpu, GC_CPC_SMS, GC_ONE_WITNESS * most);
  }
  if (gc_groups_same(cpc, groups, m->results->sm_count))
    return gc_set_measured(gpu, GC_CPC_SMS, fmax(most, gpu->found[GC_CPC_SMS].confidence));
  return gc_set_absent(gpu, GC_CPC_SMS,
                       "constant caches and TLBs show different groups between TPC and GPC");
}

/* --- GPCs --- */

/* SMs that no cluster of more than two blocks has reached. Their GPC is not known from clusters. */
static uint32_t count_apart(const struct gc_clusters *c, uint32_t sms)
{
  uint32_t apart = 0;

  for (uint32_t sm = 0; sm < sms; sm++)
    apart += !c->joined[sm];
  return apart;
}

/* The most groups of larger clusters that lie in the same group of SMs with one constant L1.5. */
static uint32_t most_in_one(const struct evidence *e)
{
  const struct gc_clusters *c = &e->clusters;
  uint32_t in[GC_SMS_MAX] = {0}, most = 0;
  bool seen[GC_SMS_MAX] = {false};

  for (uint32_t sm = 0; sm < e->sms; sm++) {
    if (!c->joined[sm] || seen[c->groups.of[sm]])
      continue;
    seen[c->groups.of[sm]] = true;
    if (++in[e->constant.groups.of[sm]] > most)
      most = in[e->constant.groups.of[sm]];
  }
  return most;
}

/* Whether SMs that share a constant L1.5 are all apart. Then they may be a part of a GPC: none of
 * them is connected to the rest of it. */
static bool some_group_apart(const struct evidence *e)
{
  const struct gc_groups *constant = &e->constant.groups;
  bool joined[GC_SMS_MAX] = {false};

  for (uint32_t sm = 0; sm < e->sms; sm++)
    joined[constant->of[sm]] |= e->clusters.joined[sm];
  for (uint32_t group = 0; group < constant->count; group++)
    if (!joined[group])
      return true;
  return false;
}

static int put_no_gpcs(struct evidence *e, const char *why)
{
  gc_set_absent(e->gpu, GC_GPCS, why);
  return gc_set_absent(e->gpu, GC_GPC_SMS, why);
}

static int put_gpcs(struct evidence *e, const struct gc_groups *groups, double confidence)
{
  e->m->results->gpc = *groups;
  e->gpu->gpcs = groups->count;
  gc_set_measured(e->gpu, GC_GPCS, confidence);
  return gc_set_measured(e->gpu, GC_GPC_SMS, confidence);
}

/* The groups of clusters alone. */
static int put_cluster_groups(struct evidence *e)
{
  const struct gc_clusters *c = &e->clusters;
  const uint32_t apart = count_apart(c, e->sms);
  char why[240];

  snprintf(why, sizeof(why), "clusters of more than two blocks do not reach %u SMs, and %s", apart,
           e->constant.absent ? e->constant.absent : "the constant L1.5 does not show their GPCs");
  if (apart)
    return put_no_gpcs(e, why);
  return put_gpcs(e, &c->groups, gc_vote_confidence(c->agreeing, c->agreeing));
}

/* Without clusters. Groups that are no larger than a TPC may be TPCs, and one group may be the
 * chip. Nothing else shows that the SMs which share a constant L1.5 are all SMs of a GPC. */
static int put_constant_groups(struct evidence *e)
{
  const struct gc_groups *groups = &e->constant.groups;
  char why[200];

  snprintf(why, sizeof(why), "%s, and %s", e->no_clusters, e->constant.absent);
  if (e->constant.absent)
    return put_no_gpcs(e, why);
  snprintf(why, sizeof(why), "%s, and %s", e->no_clusters,
           groups->count == 1 ? "all SMs share one constant L1.5"
                              : "no more SMs than those of a TPC share a constant L1.5");
  if (groups->count == 1 || largest(groups, e->sms) <= TPC_SMS)
    return put_no_gpcs(e, why);
  return put_gpcs(e, groups, GC_ONE_WITNESS * e->constant.confidence);
}

/* Clusters connect SMs of one GPC, but not all of them. The constant L1.5 counts if it does not
 * contradict that. */
static int decide(struct evidence *e)
{
  const struct gc_groups *clusters = &e->clusters.groups, *constant = &e->constant.groups;

  if (e->no_clusters)
    return put_constant_groups(e);
  if (!e->clusters.settled)
    return put_no_gpcs(e, "more launches of clusters connect more SMs");
  if (e->constant.absent || largest(constant, e->sms) <= TPC_SMS)
    return put_cluster_groups(e);
  if (gc_groups_divide(clusters, constant, e->sms) && most_in_one(e) <= 1 && some_group_apart(e))
    return put_no_gpcs(e, "clusters of more than two blocks reach no SM of those that share one "
                          "constant L1.5, which may be a part of a GPC");
  if (gc_groups_divide(clusters, constant, e->sms))
    return most_in_one(e) <= 1 ? put_gpcs(e, constant, e->constant.confidence)
                               : put_cluster_groups(e);
  if (gc_groups_divide(constant, clusters, e->sms))
    return put_cluster_groups(e);
  return put_no_gpcs(e,
                     "blocks of one cluster ran on SMs with different constant L1.5, which other "
                     "clusters share");
}

/* The L2 partition that each GPC is near to. */
static int put_sides(struct evidence *e)
{
  struct gc_results *results = e->m->results;
  const struct gc_measured *l2 = &results->element[GC_L2];
  bool known[GC_SMS_MAX] = {false};

  if (!gc_found(e->gpu, GC_GPC_SMS))
    return gc_set_absent(e->gpu, GC_GPC_SIDES, "the GPCs are not known");
  if (!gc_found(l2, GC_PARTITIONS) || !results->l2_sides_known)
    return gc_set_absent(e->gpu, GC_GPC_SIDES, "the L2 partitions are not known");
  if (l2->partitions < 2)
    return gc_set_absent(e->gpu, GC_GPC_SIDES, "the L2 has one partition");
  for (uint32_t sm = 0; sm < e->sms; sm++) {
    const uint16_t gpc = results->gpc.of[sm];

    if (known[gpc] && results->gpc_side[gpc] != results->l2_side[sm])
      return gc_set_absent(e->gpu, GC_GPC_SIDES,
                           "SMs of one GPC are near to different L2 partitions");
    known[gpc] = true;
    results->gpc_side[gpc] = results->l2_side[sm];
  }
  return gc_set_measured(e->gpu, GC_GPC_SIDES,
                         e->gpu->found[GC_GPC_SMS].confidence *
                             l2->found[GC_PARTITIONS].confidence);
}

/* A row for each SM: its groups. */
static void log_groups(const struct evidence *e)
{
  const struct gc_results *results = e->m->results;

  for (uint32_t sm = 0; sm < e->sms; sm++) {
    const double row[] = {
        results->sm_number[sm],
        gc_found(e->gpu, GC_GPC_SMS) ? results->gpc.of[sm] : -1,
        gc_found(e->gpu, GC_TPC_SMS) ? results->tpc.of[sm] : -1,
        e->no_clusters ? -1 : e->clusters.groups.of[sm],
        e->no_clusters ? -1 : e->clusters.joined[sm],
        e->constant.absent ? -1 : e->constant.groups.of[sm],
    };

    gc_raw_row(e->m->bench.raw,
               "SM\tGPC\tTPC\tconnected by clusters\tin large clusters\tconstant L1.5", row);
  }
}

static int find(struct evidence *e)
{
  const uint32_t most = e->m->bench.properties.cluster_blocks;
  int status;

  if (most < 2)
    e->no_clusters = "this GPU has no clusters";
  else if ((status = gc_clusters_find(e->m, most, &e->clusters)))
    return status;
  if ((status = gc_constant_groups_find(e->m, &e->constant)))
    return status;
  if (most >= 2) {
    e->gpu->max_cluster_blocks = most;
    gc_set_stated(e->gpu, GC_MAX_CLUSTER_BLOCKS);
  }
  put_clusters(e);
  decide(e);
  if (!e->constant.absent)
    gc_cpcs_put(e->m, e->gpu, &e->constant.groups, e->constant.confidence);
  put_sides(e);
  log_groups(e);
  return 0;
}

int gc_step_sm_groups(struct gc_measurement *m, struct gc_measured *gpu)
{
  struct evidence e = {.m = m, .gpu = gpu};
  int status;

  if (!m->bench.properties.has_gpcs) /* the L2 has its CUs, and so has the scalar L1 */
    return 0;
  if ((status = gc_number_sms(m)))
    return status;
  e.sms = m->results->sm_count;
  if (e.sms < m->bench.properties.sms)
    return put_absent(gpu, "blocks did not reach all SMs");
  return find(&e);
}

int gc_step_cpcs(struct gc_measurement *m, struct gc_measured *gpu)
{
  static const enum gc_kind tlbs[] = {GC_L1_TLB, GC_L2_TLB};

  if (!m->bench.properties.has_gpcs || gpu->found[GC_CPC_SMS].origin == GC_ABSENT)
    return 0;
  if (!gc_found(gpu, GC_GPC_SMS))
    return gc_set_absent(gpu, GC_CPC_SMS, "the GPCs are not known");
  if (!gc_found(gpu, GC_TPC_SMS))
    return gc_set_absent(gpu, GC_CPC_SMS, "the TPCs are not known");
  for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs); i++) {
    const struct gc_measured *tlb = &m->results->element[tlbs[i]];

    if (gc_found(tlb, GC_SM_GROUPS))
      gc_cpcs_put(m, gpu, &tlb->cu_groups, tlb->found[GC_SM_GROUPS].confidence);
  }
  if (gpu->found[GC_CPC_SMS].origin != GC_UNKNOWN)
    return 0;
  return gc_set_absent(gpu, GC_CPC_SMS,
                       "neither constant caches nor TLBs show groups between TPC and GPC");
}
