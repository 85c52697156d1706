/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/per_sm.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SOURCE(property) property HWLOC_GPUCACHE_SOURCE_SUFFIX

const char *gc_record_unit(const struct gc_record *record)
{
  const struct gc_infos *infos = &record->infos;
  /* The driver's tables name it; measure --only leaves them out. CUDA always reports a compute
   * capability beside the size of a warp. */
  const bool is_amd = gc_infos_get(infos, "GFX") || (gc_infos_get(infos, "WarpThreads") &&
                                                     !gc_infos_get(infos, "ComputeCapability"));

  return is_amd ? "CU" : "SM";
}

/* Writes the source. False: there is nothing to explain. */
static bool explain(const struct gc_record *record, const struct gc_element *element, char *source,
                    size_t size)
{
  const struct gc_infos *infos = &element->infos;
  const char *counted = gc_infos_get(infos, SOURCE(HWLOC_GPUCACHE_INSTANCES));
  uint64_t sms, instances;

  if (gc_infos_get(infos, HWLOC_GPUCACHE_PER_SM) ||
      gc_infos_get(infos, SOURCE(HWLOC_GPUCACHE_PER_SM)))
    return false;
  if (counted &&
      !strncmp(counted, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT))) {
    snprintf(source, size, "%s", counted);
    return true;
  }
  if (gc_infos_get_u64(infos, HWLOC_GPUCACHE_INSTANCES, &instances) ||
      gc_infos_get_u64(&record->infos, "SMs", &sms) ||
      (instances >= sms && gc_kinds[element->kind].on_sm))
    return false;
  if (instances >= sms)
    snprintf(source, size, HWLOC_GPUCACHE_SOURCE_ABSENT "it is outside of the %ss",
             gc_record_unit(record));
  else if (instances == 1)
    snprintf(source, size, HWLOC_GPUCACHE_SOURCE_ABSENT "%" PRIu64 " %ss share it", sms,
             gc_record_unit(record));
  else
    snprintf(source, size, HWLOC_GPUCACHE_SOURCE_ABSENT "%" PRIu64 " %ss share %" PRIu64 " of them",
             sms, gc_record_unit(record), instances);
  return true;
}

int gc_record_explain_per_sm(struct gc_record *record)
{
  char source[GC_RECORD_MAX_VALUE];

  for (size_t i = 0; i < record->count; i++)
    if (explain(record, &record->elements[i], source, sizeof(source)) &&
        gc_infos_set(&record->elements[i].infos, SOURCE(HWLOC_GPUCACHE_PER_SM), source))
      return -ENOMEM;
  return 0;
}
