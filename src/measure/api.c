/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the vendor's interface says, taken as it is: source "api".
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"

#include <errno.h>

static int put(struct gc_bench *bench, struct gc_element *element, const char *key,
               const char *property, uint64_t value)
{
  if (!value)
    return 0;
  if (gc_infos_set_u64(&element->infos, key, value) || gc_put_source(element, property, "api"))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

int gc_step_api(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  int status = 0;

  switch (element->kind) {
  case GC_DEVICE_MEMORY:
    /* nothing smaller than all of it can be usable, so the interface is the measure */
    if (!(status = put(bench, element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY,
                       p->memory_bytes)))
      status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL, p->memory_bytes);
    break;
  case GC_L2:
    status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL, p->l2_bytes);
    break;
  case GC_SHARED_MEMORY:
    if (!(status = put(bench, element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY,
                       p->shared_per_sm)) &&
        !(status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL,
                       p->shared_per_sm)) &&
        !(status = put(bench, element, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, 1)))
      status = put(bench, element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, p->sms);
    break;
  default:
    break;
  }
  return status;
}

int gc_record_facts(struct gc_bench *bench)
{
  const struct gc_properties *p = &bench->properties;
  const struct {
    const char *name;
    uint64_t value;
  } facts[] = {
    {"SMs", p->sms},
    {"SMClockKHz", p->clock_khz},
    {"MemoryClockKHz", p->memory_clock_khz},
    {"MemoryBusBits", p->memory_bus_bits},
    {"WarpThreads", p->warp},
    {"ThreadsPerSM", p->threads_per_sm},
    {"ThreadsPerBlock", p->threads_per_block},
    {"BlocksPerSM", p->blocks_per_sm},
    {"RegistersPerSM", p->registers_per_sm},
    {"SharedBytesPerBlock", p->shared_per_block},
    {"SharedReservedBytesPerBlock", p->shared_reserved},
  };
  struct gc_infos *infos = &bench->record->infos;
  int status = 0;

  for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && !status; i++)
    if (facts[i].value)
      status = gc_infos_set_u64(infos, facts[i].name, facts[i].value);
  if (!status && p->compute_major)
    status = gc_infos_setf(infos, "ComputeCapability", "%u.%u", p->compute_major, p->compute_minor);
  if (!status)
    status = gc_infos_set(infos, "ECC", p->ecc ? "on" : "off");
  if (!status)
    status = gc_infos_set(infos, "GlobalLoadsInL1", p->global_l1 ? "yes" : "no");
  if (!status && bench->mhz > 0)
    status = gc_infos_setf(infos, "MeasuredSMClockMHz", "%.0f", bench->mhz);
  return status ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}
