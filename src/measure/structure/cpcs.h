/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The level between TPC and GPC, which NVIDIA calls CPC. doc/methods.md, "Groups of SMs".
 */
#ifndef GC_MEASURE_STRUCTURE_CPCS_H
#define GC_MEASURE_STRUCTURE_CPCS_H

#include "measure/core/measurement.h"

/* Whether every group of `fine` lies in one group of `coarse`. */
bool gc_groups_divide(const struct gc_groups *fine, const struct gc_groups *coarse, uint32_t sms);

/* Confidence in groups of SMs that only one kind of evidence shows, at most. */
#define GC_ONE_WITNESS 0.94

/* Groups of SMs that share a cache or a TLB. If they consist of whole TPCs, and GPCs consist of
 * several of them, they are the CPCs. CPCs are absent if an earlier call had other such groups. The
 * confidence is at most GC_ONE_WITNESS unless two calls agree. Returns 0. */
int gc_cpcs_put(struct gc_measurement *m, struct gc_measured *gpu, const struct gc_groups *groups,
                double confidence);

#endif
