/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs of an AMD GPU use the same cache. doc/methods.md, "CUs that share a cache".
 */
#ifndef GC_MEASURE_TOPOLOGY_CU_GROUPS_H
#define GC_MEASURE_TOPOLOGY_CU_GROUPS_H

#include "measure/core/measurement.h"

/* Reports GC_SHARED_BY_CUS and GC_CU_GROUPS. group[i]: the group of the CU with index i
 * (walk/sms.h), a number below `groups`. Every CU must have a number (gc_number_sms) and a
 * group. */
int gc_put_cu_groups(struct gc_measurement *m, struct gc_measured *element, const uint32_t *group,
                     uint32_t groups, double confidence);

#endif
