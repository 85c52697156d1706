/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs share a scalar L1, in an order that sys-sage can use: it gives the first groups to the
 * first L2, and so on.
 */
#ifndef GC_TOOL_EXPORT_CU_GROUPS_H
#define GC_TOOL_EXPORT_CU_GROUPS_H

#include "record/record.h"

struct gc_cu_groups {
  unsigned *cus; /* numbers of CUs, group by group */
  size_t *ends;  /* ends[i]: number of CUs in the groups 0 to i */
  size_t count;  /* of groups */
};

/* The groups of the scalar L1. count is 0 if they are unknown, if they are not all CUs of the GPU,
 * or if the L2 caches do not have equal numbers of groups. 0 or -ENOMEM; the caller calls
 * gc_cu_groups_free also after a failure. */
int gc_cu_groups_of_scalar_l1(const struct gc_record *record, struct gc_cu_groups *groups);
void gc_cu_groups_free(struct gc_cu_groups *groups);

#endif
