/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the tables of the kernel driver.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/core/driver_tables.h"

uint64_t gc_table_u64(const struct gc_record *tables, enum gc_kind kind, const char *key)
{
  const struct gc_element *element = tables ? gc_record_find(tables, kind) : NULL;
  uint64_t value = 0;

  if (!element || gc_infos_get_u64(&element->infos, key, &value))
    return 0;
  return value;
}

void gc_complete_properties(struct gc_properties *properties, const struct gc_record *tables)
{
  const uint64_t count = gc_table_u64(tables, GC_L2, HWLOC_GPUCACHE_INSTANCES);
  const uint64_t l3_count = gc_table_u64(tables, GC_L3, HWLOC_GPUCACHE_INSTANCES);

  if (!properties->l2_bytes)
    properties->l2_bytes = gc_table_u64(tables, GC_L2, HWLOC_GPUCACHE_NOMINAL_BYTES);
  properties->l2_count = count && count <= properties->sms ? (uint32_t)count : 1;
  properties->l3_bytes =
      gc_table_u64(tables, GC_L3, HWLOC_GPUCACHE_NOMINAL_BYTES) * (l3_count ? l3_count : 1);
}
