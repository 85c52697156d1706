/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the facts of a GPU into a record.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/plan/facts.h"

/* A fact that is not the same in the interfaces of all vendors has a source. */
static int publish_sourced(const struct gc_properties *p, struct gc_infos *infos)
{
  int status = 0;

  if (p->constant_bytes) {
    status = gc_infos_set_u64(infos, "ConstantBytes", p->constant_bytes);
    if (!status)
      status = gc_infos_set(infos, "ConstantSource", "api");
  }
  if (!status && p->cores_per_sm)
    status = gc_infos_set_u64(infos, "CoresPerSM", p->cores_per_sm);
  if (!status)
    status = gc_infos_set(infos, "CoresPerSMSource",
                          p->cores_per_sm ? HWLOC_GPUCACHE_SOURCE_TABLE
                                          : "absent:this version does not know the architecture");
  if (!status)
    status = gc_infos_set(infos, "LocalLoadsInL1", p->local_l1 ? "yes" : "no");
  return status ? status
                : gc_infos_set(infos, "LocalLoadsInL1Source",
                               p->local_l1_from_table ? HWLOC_GPUCACHE_SOURCE_TABLE : "api");
}

int gc_facts_publish(const struct gc_properties *p, double mhz, struct gc_infos *infos)
{
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
      {"RegistersPerBlock", p->registers_per_block},
      {"SharedBytesPerBlock", p->shared_per_block},
      {"SharedReservedBytesPerBlock", p->shared_reserved},
  };
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
  if (!status)
    status = publish_sourced(p, infos);
  if (!status && mhz > 0)
    status = gc_infos_setf(infos, "MeasuredSMClockMHz", "%.0f", mhz);
  return status;
}

void gc_facts_explain_l3(struct gc_results *results)
{
  static const char why[] = "loads reach it through an L2, which asks it for lines of its own";
  struct gc_measured *l3 = &results->element[GC_L3];

  if (l3->tried) {
    gc_set_absent(l3, GC_LINE, why);
    gc_set_absent(l3, GC_FETCH, why);
  }
}

void gc_facts_explain_p95(struct gc_results *results)
{
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_measured *element = &results->element[kind];
    const struct gc_finding *latency = &element->found[GC_LATENCY];

    if (latency->origin == GC_ABSENT && element->found[GC_LATENCY_P95].origin == GC_UNKNOWN)
      element->found[GC_LATENCY_P95] = *latency;
  }
}

void gc_facts_explain_nominal(struct gc_results *results)
{
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_measured *element = &results->element[kind];

    if (element->tried && !gc_found(element, GC_NOMINAL) && kind != GC_L1_TLB &&
        kind != GC_L2_TLB)
      gc_set_absent(element, GC_NOMINAL, "the interface does not state it");
  }
}
