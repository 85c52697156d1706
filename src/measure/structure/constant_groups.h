/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a constant L1.5. doc/methods.md, "Groups of SMs".
 */
#ifndef GC_MEASURE_STRUCTURE_CONSTANT_GROUPS_H
#define GC_MEASURE_STRUCTURE_CONSTANT_GROUPS_H

#include "measure/walk/groups.h"

/* results->sm_number must be complete. */
int gc_constant_groups_find(struct gc_measurement *m, struct gc_found_groups *found);

#endif
