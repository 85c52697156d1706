/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports groups of CUs.
 */
#include "measure/topology/cu_groups.h"

int gc_put_cu_groups(struct gc_measurement *m, struct gc_measured *element, const uint32_t *group,
                     uint32_t groups, double confidence)
{
  element->cu_groups.count = groups;
  for (uint32_t i = 0; i < m->bench.properties.sms; i++)
    element->cu_groups.of[i] = (uint16_t)group[i];
  gc_set_measured(element, GC_SHARED_BY_CUS, confidence);
  return gc_set_measured(element, GC_CU_GROUPS, confidence);
}
