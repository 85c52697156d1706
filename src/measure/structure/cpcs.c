/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPCs: groups of SMs between TPC and GPC that share something. The constant L1.5 shows them on
 * some GPUs (sm_groups.c), a TLB on others.
 */
#include "measure/structure/cpcs.h"

#include "measure/structure/structure.h"

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

int gc_cpcs_put(struct gc_measurement *m, struct gc_measured *gpu, const struct gc_groups *groups,
                double confidence)
{
  struct gc_results *results = m->results;
  const uint32_t sms = results->sm_count;

  if (!gc_found(gpu, GC_GPC_SMS) || !gc_found(gpu, GC_TPC_SMS) ||
      groups->count <= results->gpc.count || groups->count >= results->tpc.count ||
      !gc_groups_divide(groups, &results->gpc, sms) ||
      !gc_groups_divide(&results->tpc, groups, sms))
    return 0;
  results->cpc = *groups;
  return gc_set_measured(gpu, GC_CPC_SMS, confidence * gpu->found[GC_GPC_SMS].confidence);
}

int gc_step_cpcs(struct gc_measurement *m, struct gc_measured *gpu)
{
  static const enum gc_kind tlbs[] = {GC_L1_TLB, GC_L2_TLB};

  if (m->bench.properties.amd || gpu->found[GC_CPC_SMS].origin != GC_UNKNOWN)
    return 0;
  if (!gc_found(gpu, GC_GPC_SMS))
    return gc_set_absent(gpu, GC_CPC_SMS, "the GPCs are not known");
  if (!gc_found(gpu, GC_TPC_SMS))
    return gc_set_absent(gpu, GC_CPC_SMS, "the TPCs are not known");
  for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs) && !gc_found(gpu, GC_CPC_SMS); i++) {
    const struct gc_measured *tlb = &m->results->element[tlbs[i]];

    if (gc_found(tlb, GC_SM_GROUPS))
      gc_cpcs_put(m, gpu, &tlb->cu_groups, tlb->found[GC_SM_GROUPS].confidence);
  }
  if (gc_found(gpu, GC_CPC_SMS))
    return 0;
  return gc_set_absent(gpu, GC_CPC_SMS,
                       "neither constant caches nor TLBs show groups between TPC and GPC");
}
