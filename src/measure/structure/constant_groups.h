/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share a constant L1.5. doc/methods.md, "Groups of SMs".
 */
#ifndef GC_MEASURE_STRUCTURE_CONSTANT_GROUPS_H
#define GC_MEASURE_STRUCTURE_CONSTANT_GROUPS_H

#include "measure/core/measurement.h"

struct gc_constant_groups {
  struct gc_groups groups; /* of SMs by index (walk/sms.h), numbered by their first SMs */
  double confidence;
  const char *absent; /* why there is no result; NULL: there is one */
};

/* results->sm_number must be complete. */
int gc_constant_groups_find(struct gc_measurement *m, struct gc_constant_groups *found);

#endif
