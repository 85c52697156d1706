/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a TLB, and what a miss costs each of them.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_GROUPS_H
#define GC_MEASURE_STRUCTURE_TLB_GROUPS_H

#include "measure/structure/tlb_search.h"
#include "measure/walk/groups.h"

struct gc_tlb_groups {
  struct gc_found_groups found; /* if they are absent, there is no penalty either */
  /* The cycles that a miss adds. SMs differ, so this is their mean. */
  double penalty, penalty_confidence;
};

/* nearer: the nearer TLB, NULL: there is none. */
int gc_tlb_find_groups(struct gc_tlb_range *range, const struct gc_tlb_found *found,
                       const struct gc_measured *nearer, struct gc_tlb_groups *result);

#endif
