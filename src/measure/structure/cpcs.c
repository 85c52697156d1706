/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPCs: groups of SMs between TPC and GPC that share something. The constant L1.5 shows them on
 * some GPUs (sm_groups.c), a TLB on others.
 */
#include "measure/structure/cpcs.h"

#include "measure/structure/structure.h"

#include <math.h>
#include <string.h>

bool gc_groups_divide(const struct gc_groups *fine, const struct gc_groups *coarse, uint32_t sms)
{
  uint16_t in[GC_SMS_MAX];
  bool known[GC_SMS_MAX] = {false};

  for (uint32_t sm = 0; sm < sms; sm++) {
    const uint16_t of = fine->of[sm];

    if (known[of] && in[of] != coarse->of[sm])
      return false;
    known[of] = true;
    in[of] = coarse->of[sm];
  }
  return true;
}

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

static bool same(const struct gc_groups *a, const struct gc_groups *b, uint32_t sms)
{
  return a->count == b->count && !memcmp(a->of, b->of, sms * sizeof(*a->of));
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
  if (same(cpc, groups, m->results->sm_count))
    return gc_set_measured(gpu, GC_CPC_SMS, fmax(most, gpu->found[GC_CPC_SMS].confidence));
  return gc_set_absent(gpu, GC_CPC_SMS,
                       "constant caches and TLBs show different groups between TPC and GPC");
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
