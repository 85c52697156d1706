/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which CUs use a cache together.
 */
#ifndef GC_MEASURE_MATES_H
#define GC_MEASURE_MATES_H

#include "measure/bench.h"

/* Writes SharedByCUs and CUGroups. group[i]: which group the CU of index i (gc_sm_index) is in, a number
 * below `groups`; all CUs have one. */
int gc_put_cu_groups(struct gc_bench *bench, struct gc_element *element, const uint32_t *group,
                     uint32_t groups, double confidence);

#endif
