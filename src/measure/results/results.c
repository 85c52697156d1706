/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets the sources, confidences and values of results.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/results/results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONFIDENCE_MAX 0.9999

const char *const gc_properties_names[GC_PROPERTY_COUNT] = {
    [GC_CAPACITY] = HWLOC_GPUCACHE_CAPACITY,
    [GC_NOMINAL] = HWLOC_GPUCACHE_NOMINAL,
    [GC_CENSUS] = HWLOC_GPUCACHE_CENSUS,
    [GC_TOTAL] = HWLOC_GPUCACHE_TOTAL,
    [GC_LATENCY] = HWLOC_GPUCACHE_LATENCY,
    [GC_NEAR_LATENCY] = HWLOC_GPUCACHE_NEAR_LATENCY,
    [GC_FAR_LATENCY] = HWLOC_GPUCACHE_FAR_LATENCY,
    [GC_PARTITIONS] = HWLOC_GPUCACHE_PARTITIONS,
    [GC_PARTITION_SMS] = HWLOC_GPUCACHE_PARTITION_SMS,
    [GC_INSTANCES] = HWLOC_GPUCACHE_INSTANCES,
    [GC_PER_SM] = HWLOC_GPUCACHE_PER_SM,
    [GC_SHARED_BY_CUS] = HWLOC_GPUCACHE_SHARED_BY_CUS,
    [GC_CU_GROUPS] = HWLOC_GPUCACHE_CU_GROUPS,
    [GC_FETCH] = HWLOC_GPUCACHE_FETCH,
    [GC_LINE] = HWLOC_GPUCACHE_LINE,
    [GC_MISS_PENALTY] = HWLOC_GPUCACHE_MISS_PENALTY,
    [GC_READ] = HWLOC_GPUCACHE_READ,
    [GC_WRITE] = HWLOC_GPUCACHE_WRITE,
    [GC_CARVEOUT_TABLE] = HWLOC_GPUCACHE_CARVEOUT_TABLE,
    [GC_CARVEOUT_TABLE_4] = HWLOC_GPUCACHE_CARVEOUT_TABLE_4_WARPS,
    [GC_CARVEOUT_TABLE_32] = HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS,
    [GC_SHARED_WITH] = HWLOC_GPUCACHE_SHARED_WITH,
    [GC_LATENCY_P95] = HWLOC_GPUCACHE_LATENCY_P95,
    [GC_SETS] = HWLOC_GPUCACHE_SETS,
    [GC_WAYS] = HWLOC_GPUCACHE_WAYS,
    [GC_SET_INDEX_MASKS] = HWLOC_GPUCACHE_SET_INDEX_MASKS,
    [GC_SET_INDEX_ADDRESS] = HWLOC_GPUCACHE_SET_INDEX_ADDRESS,
    [GC_SET_WAYS] = HWLOC_GPUCACHE_SET_WAYS,
    [GC_REPLACEMENT] = HWLOC_GPUCACHE_REPLACEMENT,
    [GC_SURVIVAL_CURVE] = HWLOC_GPUCACHE_SURVIVAL_CURVE,
    [GC_VICTIM_SHARES] = HWLOC_GPUCACHE_VICTIM_SHARES,
    [GC_EXCESS_MISSES] = HWLOC_GPUCACHE_MISSES_PER_EXCESS_LINE,
    [GC_WRITE_POLICY] = HWLOC_GPUCACHE_WRITE_POLICY,
    [GC_WRITE_ALLOCATE] = HWLOC_GPUCACHE_WRITE_ALLOCATE,
    [GC_OUTSTANDING_PER_SM] = HWLOC_GPUCACHE_OUTSTANDING_PER_SM,
    [GC_OUTSTANDING_PER_WARP] = HWLOC_GPUCACHE_OUTSTANDING_PER_WARP,
    [GC_FETCH_LIMIT] = HWLOC_GPUCACHE_FETCH_LIMIT,
    [GC_PERSISTING_MAX] = HWLOC_GPUCACHE_PERSISTING_MAX,
    [GC_COMPRESSION] = HWLOC_GPUCACHE_COMPRESSION_SUPPORTED,
    [GC_ATOMIC_LATENCY] = HWLOC_GPUCACHE_ATOMIC_LATENCY,
    [GC_NEAR_ATOMIC_LATENCY] = HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY,
    [GC_FAR_ATOMIC_LATENCY] = HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY,
    [GC_ATOMICS] = HWLOC_GPUCACHE_ATOMICS,
    [GC_BANKS] = HWLOC_GPUCACHE_BANKS,
    [GC_BANK] = HWLOC_GPUCACHE_BANK,
    [GC_CONFLICT] = HWLOC_GPUCACHE_CONFLICT,
    [GC_REMOTE_LATENCY] = HWLOC_GPUCACHE_REMOTE_LATENCY,
    [GC_ENTRIES] = HWLOC_GPUCACHE_ENTRIES,
    [GC_ENTRY] = HWLOC_GPUCACHE_ENTRY,
    [GC_REACH] = HWLOC_GPUCACHE_REACH,
    [GC_SM_GROUPS] = HWLOC_GPUCACHE_SM_GROUPS,
    [GC_GPCS] = "GPCs",
    [GC_GPC_SMS] = "GPCSMs",
    [GC_MAX_CLUSTER_BLOCKS] = "MaxClusterBlocks",
    [GC_CLUSTER_SMS] = "ClusterSMs",
    [GC_TPC_SMS] = "TPCSMs",
    [GC_CPC_SMS] = "CPCSMs",
    [GC_GPC_SIDES] = "GPCSides",
    [GC_SLICES] = HWLOC_GPUCACHE_SLICES,
    [GC_SIDE_MASK] = HWLOC_GPUCACHE_SIDE_MASK,
    [GC_SIDE_GRANULE] = HWLOC_GPUCACHE_SIDE_GRANULE,
    [GC_SLICE_READ] = HWLOC_GPUCACHE_SLICE_READ,
};

void gc_results_clear(struct gc_results *results)
{
  memset(results, 0, sizeof(*results));
  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++)
    results->element[kind].kind = (enum gc_kind)kind;
}

void gc_results_copy(struct gc_results *to, const struct gc_results *from)
{
  const size_t found = offsetof(struct gc_measured, found), rest = offsetof(struct gc_results, mhz);
  const size_t values = found + sizeof(to->element->found);

  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++) {
    struct gc_measured *t = &to->element[kind];
    const struct gc_measured *f = &from->element[kind];

    memcpy(t, f, found);
    memcpy((char *)t + values, (const char *)f + values, sizeof(*t) - values);
    for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
      memcpy(&t->found[property], &f->found[property], offsetof(struct gc_finding, why));
      strcpy(t->found[property].why, f->found[property].why);
    }
  }
  memcpy((char *)to + rest, (const char *)from + rest, sizeof(*to) - rest);
}

/* Rounds as printf does, which goes by the exact value: 32.15 is stored as 32.149…, so it is 32.1.
 * But 32.15 * 10 is 321.5, so the part that the product has lost decides there. Exact halves go to
 * even. */
static double rounded(double value, double units)
{
  const double product = value * units, lost = fma(value, units, -product);

  if (product - floor(product) == 0.5 && lost != 0)
    return (lost > 0 ? ceil(product) : floor(product)) / units;
  return rint(product) / units;
}

int gc_set_measured(struct gc_measured *element, enum gc_property property, double confidence)
{
  /* rounding must not turn "almost sure" into "sure" */
  const double most = confidence > CONFIDENCE_MAX ? CONFIDENCE_MAX : confidence;

  element->found[property] =
      (struct gc_finding){.origin = GC_MEASURED, .confidence = rounded(most, 1e4)};
  return 0;
}

int gc_set_stated(struct gc_measured *element, enum gc_property property)
{
  element->found[property] = (struct gc_finding){.origin = GC_STATED};
  return 0;
}

int gc_set_absent(struct gc_measured *element, enum gc_property property, const char *why)
{
  struct gc_finding *finding = &element->found[property];

  *finding = (struct gc_finding){.origin = GC_ABSENT, .passing = finding->passing};
  snprintf(finding->why, sizeof(finding->why), "%s", why);
  return 0;
}

int gc_mark_passing(struct gc_measured *element, enum gc_property property, enum gc_passing passing)
{
  element->found[property].passing = passing;
  return 0;
}

int gc_set_absent_for_now(struct gc_measured *element, enum gc_property property,
                          enum gc_passing passing, const char *why)
{
  gc_mark_passing(element, property, passing);
  return gc_set_absent(element, property, why);
}

int gc_set_latency(struct gc_measured *element, enum gc_property property,
                   const struct gc_latency *latency, double mhz)
{
  struct gc_time *time = property == GC_NEAR_LATENCY  ? &element->near_latency
                         : property == GC_FAR_LATENCY ? &element->far_latency
                                                      : &element->latency;

  if (latency->confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, property, "repetitions disagree");
  time->cycles = rounded(latency->cycles, 10);
  time->ns = mhz > 0 ? rounded(latency->cycles * 1e3 / mhz, 10) : 0;
  return gc_set_measured(element, property, latency->confidence);
}

int gc_set_latency_p95(struct gc_measured *element, const struct gc_latency *p95)
{
  if (p95->confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_LATENCY_P95, "repetitions disagree");
  element->latency_p95_cycles = rounded(p95->cycles, 10);
  return gc_set_measured(element, GC_LATENCY_P95, p95->confidence);
}

int gc_set_miss_penalty(struct gc_measured *element, double cycles, double confidence)
{
  if (confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_MISS_PENALTY, "repetitions disagree");
  element->miss_penalty_cycles = rounded(cycles, 10);
  return gc_set_measured(element, GC_MISS_PENALTY, confidence);
}

int gc_withhold(struct gc_results *results, enum gc_kind kind, enum gc_property property,
                const char *why)
{
  gc_set_absent(&results->element[kind], property, why);
  gc_warn(results, "%s of %s is withheld: %s", gc_properties_names[property], gc_kind_name(kind),
          why);
  return 0;
}

void gc_warn(struct gc_results *results, const char *format, ...)
{
  const size_t used = strlen(results->warnings), space = sizeof(results->warnings) - used;
  va_list args;
  int length;

  va_start(args, format);
  length = vsnprintf(results->warnings + used, space, format, args);
  va_end(args);
  if (length < 0 || (size_t)length + 1 >= space)
    results->warnings[used] = '\0';
  else
    strcat(results->warnings, "\n");
}
