/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a TLB.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_GROUPS_H
#define GC_MEASURE_STRUCTURE_TLB_GROUPS_H

#include "measure/structure/tlb_search.h"

/* Groups of SMs (results->sm_number) and their confidence. *absent: why there are none, or NULL.
 * nearer: the nearer TLB, NULL: there is none. */
int gc_tlb_find_groups(struct gc_tlb_range *range, const struct gc_tlb_found *found,
                       const struct gc_measured *nearer, struct gc_groups *groups,
                       double *confidence, const char **absent);

#endif
