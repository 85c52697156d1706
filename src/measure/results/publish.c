/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes results as the attributes of a record.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/results/publish.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct gc_measured, member)

enum format {
  BYTES,  /* uint64_t, decimal */
  TENTHS, /* double, one decimal */
  RATE,   /* double, as many decimals as are significant */
};

/* The values of each property. A real number of 0 means that there is no value. */
static const struct row {
  enum gc_property property;
  enum format format;
  const char *key;
  size_t at;
} rows[] = {
    {GC_CAPACITY, BYTES, HWLOC_GPUCACHE_CAPACITY_BYTES, AT(capacity_bytes)},
    {GC_NOMINAL, BYTES, HWLOC_GPUCACHE_NOMINAL_BYTES, AT(nominal_bytes)},
    {GC_CENSUS, BYTES, HWLOC_GPUCACHE_CENSUS_BYTES, AT(census_bytes)},
    {GC_CENSUS, BYTES, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES, AT(census_error_bytes)},
    {GC_TOTAL, BYTES, HWLOC_GPUCACHE_TOTAL_BYTES, AT(total_bytes)},
    {GC_LATENCY, TENTHS, HWLOC_GPUCACHE_LATENCY_CYCLES, AT(latency.cycles)},
    {GC_LATENCY, TENTHS, HWLOC_GPUCACHE_LATENCY_NS, AT(latency.ns)},
    {GC_NEAR_LATENCY, TENTHS, HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES, AT(near_latency.cycles)},
    {GC_NEAR_LATENCY, TENTHS, HWLOC_GPUCACHE_NEAR_LATENCY_NS, AT(near_latency.ns)},
    {GC_FAR_LATENCY, TENTHS, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES, AT(far_latency.cycles)},
    {GC_FAR_LATENCY, TENTHS, HWLOC_GPUCACHE_FAR_LATENCY_NS, AT(far_latency.ns)},
    {GC_PARTITIONS, BYTES, HWLOC_GPUCACHE_PARTITIONS, AT(partitions)},
    {GC_INSTANCES, BYTES, HWLOC_GPUCACHE_INSTANCES, AT(instances)},
    {GC_PER_SM, BYTES, HWLOC_GPUCACHE_PER_SM, AT(per_sm)},
    {GC_ENTRIES, BYTES, HWLOC_GPUCACHE_ENTRIES, AT(entries)},
    {GC_ENTRY, BYTES, HWLOC_GPUCACHE_ENTRY_BYTES, AT(entry_bytes)},
    {GC_REACH, BYTES, HWLOC_GPUCACHE_REACH_BYTES, AT(reach_bytes)},
    {GC_FETCH, BYTES, HWLOC_GPUCACHE_FETCH_BYTES, AT(fetch_bytes)},
    {GC_LINE, BYTES, HWLOC_GPUCACHE_LINE_BYTES, AT(line_bytes)},
    {GC_SETS, BYTES, HWLOC_GPUCACHE_SETS, AT(structure.sets)},
    {GC_WAYS, BYTES, HWLOC_GPUCACHE_WAYS, AT(structure.ways)},
    {GC_EXCESS_MISSES, TENTHS, HWLOC_GPUCACHE_MISSES_PER_EXCESS_LINE, AT(structure.excess_misses)},
    {GC_MISS_PENALTY, TENTHS, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, AT(miss_penalty_cycles)},
    {GC_FETCH_LIMIT, BYTES, HWLOC_GPUCACHE_FETCH_LIMIT_BYTES, AT(fetch_limit_bytes)},
    {GC_PERSISTING_MAX, BYTES, HWLOC_GPUCACHE_PERSISTING_MAX_BYTES, AT(persisting_max_bytes)},
    {GC_LATENCY_P95, TENTHS, HWLOC_GPUCACHE_LATENCY_P95_CYCLES, AT(latency_p95_cycles)},
    {GC_READ, RATE, HWLOC_GPUCACHE_READ_GBPS, AT(read_gbps)},
    {GC_READ, RATE, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, AT(read_bytes_per_cycle)},
    {GC_REMOTE_LATENCY, TENTHS, HWLOC_GPUCACHE_REMOTE_LATENCY_CYCLES, AT(remote_latency_cycles)},
    {GC_GPCS, BYTES, "GPCs", AT(gpcs)},
    {GC_MAX_CLUSTER_BLOCKS, BYTES, "MaxClusterBlocks", AT(max_cluster_blocks)},
    {GC_CLUSTER_SMS, BYTES, "ClusterSMs", AT(cluster_sms)},
    {GC_WRITE, RATE, HWLOC_GPUCACHE_WRITE_GBPS, AT(write_gbps)},
    {GC_WRITE, RATE, HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, AT(write_bytes_per_cycle)},
    {GC_SLICES, BYTES, HWLOC_GPUCACHE_SLICES, AT(slices)},
    {GC_SIDE_GRANULE, BYTES, HWLOC_GPUCACHE_SIDE_GRANULE_BYTES, AT(side_granule_bytes)},
    {GC_SLICE_READ, RATE, HWLOC_GPUCACHE_SLICE_READ_BYTES_PER_CYCLE, AT(slice_read_per_cycle)},
    {GC_BANKS, BYTES, HWLOC_GPUCACHE_BANKS, AT(banks)},
    {GC_BANK, BYTES, HWLOC_GPUCACHE_BANK_BYTES, AT(bank_bytes)},
    {GC_CONFLICT, TENTHS, HWLOC_GPUCACHE_CONFLICT_CYCLES, AT(conflict_cycles)},
    {GC_ATOMIC_LATENCY, TENTHS, HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES, AT(atomic_latency_cycles)},
    {GC_NEAR_ATOMIC_LATENCY, TENTHS, HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY_CYCLES,
     AT(near_atomic_latency_cycles)},
    {GC_FAR_ATOMIC_LATENCY, TENTHS, HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY_CYCLES,
     AT(far_atomic_latency_cycles)},
    {GC_ATOMICS, RATE, HWLOC_GPUCACHE_ATOMICS_PER_CYCLE, AT(atomics_per_cycle)},
    {GC_OUTSTANDING_PER_SM, BYTES, HWLOC_GPUCACHE_OUTSTANDING_PER_SM, AT(outstanding_per_sm)},
    {GC_OUTSTANDING_PER_WARP, BYTES, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP, AT(outstanding_per_warp)},
};

static int put_number(const struct row *row, const struct gc_measured *from, struct gc_infos *infos)
{
  const void *at = (const char *)from + row->at;
  const double real = row->format == BYTES ? 0 : *(const double *)at;

  switch (row->format) {
  case BYTES:
    return gc_infos_set_u64(infos, row->key, *(const uint64_t *)at);
  case TENTHS:
    return real != 0 ? gc_infos_setf(infos, row->key, "%.1f", real) : 0;
  case RATE:
    return real != 0 ? gc_infos_setf(infos, row->key, "%.*f",
                                     real < 100    ? 2
                                     : real < 1000 ? 1
                                                   : 0,
                                     real)
                     : 0;
  }
  return 0;
}

/* "0:222208,12:189440,default:222208": the L1 from each percentage on, and without a preference. */
static int put_carveouts(const struct gc_carveouts *carveouts, const char *key,
                         struct gc_infos *infos)
{
  char text[32 * (GC_CARVEOUTS + 1)] = "";
  size_t length = 0;

  for (size_t i = 0; i < GC_CARVEOUTS; i++)
    if (i == 0 || carveouts->bytes[i] != carveouts->bytes[i - 1])
      length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%zu:%" PRIu64,
                                 i ? "," : "", i, carveouts->bytes[i]);
  snprintf(text + length, sizeof(text) - length, ",default:%" PRIu64, carveouts->by_default);
  return gc_infos_set(infos, key, text);
}

static int put_shared_with(uint32_t kinds, struct gc_infos *infos)
{
  char text[512] = "";
  size_t length = 0;

  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (kinds & 1u << kind)
      length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", length ? "," : "",
                                 gc_kinds[kind].subtype);
  return length ? gc_infos_set(infos, HWLOC_GPUCACHE_SHARED_WITH, text) : 0;
}

/* "60,72": the number of SMs of each partition. */
static int put_partition_sms(const struct gc_measured *from, struct gc_infos *infos)
{
  char text[16 * GC_PARTITIONS_MAX] = "";
  size_t length = 0;

  for (size_t i = 0; i < from->partitions && i < GC_PARTITIONS_MAX; i++)
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu32, i ? "," : "",
                               from->partition_sms[i]);
  return gc_infos_set(infos, HWLOC_GPUCACHE_PARTITION_SMS, text);
}

void gc_group_sizes_text(const struct gc_groups *groups, uint32_t sms, char *text, size_t size)
{
  uint32_t sizes[GC_SMS_MAX] = {0};
  size_t length = 0;

  for (uint32_t i = 0; i < sms; i++)
    sizes[groups->of[i]]++;
  *text = '\0';
  for (uint32_t of = sms; of > 0; of--) {
    uint32_t count = 0;

    for (uint32_t g = 0; g < groups->count; g++)
      count += sizes[g] == of;
    if (count && length + 24 < size)
      length += (size_t)snprintf(text + length, size - length, "%s%" PRIu32 "x%" PRIu32,
                                 length ? "," : "", count, of);
  }
}

static int put_group_sizes(const struct gc_results *results, const struct gc_groups *groups,
                           struct gc_infos *infos)
{
  char text[128];

  gc_group_sizes_text(groups, results->sm_count, text, sizeof(text));
  return gc_infos_set(infos, HWLOC_GPUCACHE_SHARED_BY_CUS, text);
}

/* "1,2 3,4,5": the numbers of the SMs in each group. Returns whether the text is short enough for a
 * record. */
static int put_group_members(const struct gc_results *results, const struct gc_groups *groups,
                             const char *key, struct gc_infos *infos, bool *fits)
{
  const uint32_t sms = results->sm_count;
  char *text = malloc(11u * sms + 1), *at = text;
  int status = text ? 0 : -ENOMEM;

  if (text)
    *text = '\0';
  for (uint32_t g = 0; g < groups->count && text; g++) {
    const char *between = g ? " " : "";

    for (uint32_t i = 0; i < sms; i++)
      if (groups->of[i] == g) {
        at += sprintf(at, "%s%" PRIu32, between, results->sm_number[i]);
        between = ",";
      }
  }
  *fits = text && strlen(text) < GC_RECORD_MAX_VALUE;
  if (*fits)
    status = gc_infos_set(infos, key, text);
  free(text);
  return status;
}

/* "0,1,0": the L2 partition of each GPC. */
static int put_sides(const struct gc_results *results, struct gc_infos *infos)
{
  char text[4 * GC_SMS_MAX] = "";
  size_t length = 0;

  for (uint32_t g = 0; g < results->gpc.count; g++)
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u", g ? "," : "",
                               results->gpc_side[g]);
  return gc_infos_set(infos, "GPCSides", text);
}

/* "0x2080,0x4100" */
static int put_masks(const struct gc_structure *structure, struct gc_infos *infos)
{
  char text[24 * GC_MASKS_MAX] = "";
  size_t length = 0;

  for (uint32_t i = 0; i < structure->mask_count; i++)
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s0x%" PRIx64, i ? "," : "",
                               structure->masks[i]);
  return gc_infos_set(infos, HWLOC_GPUCACHE_SET_INDEX_MASKS, text);
}

static int put_replacement(const struct gc_structure *structure, struct gc_infos *infos)
{
  static const char *const names[GC_REPLACES_COUNT] = {
      [GC_REPLACES_OTHER] = "other", [GC_REPLACES_LRU] = "lru",       [GC_REPLACES_FIFO] = "fifo",
      [GC_REPLACES_SLRU] = "slru",   [GC_REPLACES_PLRU] = "plru", [GC_REPLACES_RANDOM] = "random",
  };

  return gc_infos_set(infos, HWLOC_GPUCACHE_REPLACEMENT, names[structure->replaces]);
}

/* "0.167,0.500,0.167,0.167" */
static int put_shares(const struct gc_structure *structure, struct gc_infos *infos)
{
  char text[16 * GC_VICTIM_WAYS_MAX] = "";
  size_t length = 0;

  for (uint32_t i = 0; i < structure->shares; i++)
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.3f", i ? "," : "",
                               structure->victim_share[i]);
  return gc_infos_set(infos, HWLOC_GPUCACHE_VICTIM_SHARES, text);
}

/* "434:0.968,868:0.793" */
static int put_curve(const struct gc_structure *structure, struct gc_infos *infos)
{
  char text[40 * GC_CURVE_MAX] = "";
  size_t length = 0;

  for (uint32_t i = 0; i < structure->points; i++)
    length +=
        (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu64 ":%.3f", i ? "," : "",
                         structure->curve[i].fills, structure->curve[i].survives);
  return gc_infos_set(infos, HWLOC_GPUCACHE_SURVIVAL_CURVE, text);
}

static const char *const allocates[GC_ALLOCATES] = {
    [GC_ALLOCATE_UNKNOWN] = "",
    [GC_ALLOCATE_NONE] = "none",
    [GC_ALLOCATE_SECTOR] = "sector",
    [GC_ALLOCATE_LINE] = "line",
};

/* Values that are lists. *fits: false if the property must be left out of the record. */
static int put_lists(const struct gc_results *results, const struct gc_measured *from,
                     enum gc_property property, struct gc_infos *infos, bool *fits)
{
  switch (property) {
  case GC_CARVEOUT_TABLE:
    return put_carveouts(&from->carveouts, HWLOC_GPUCACHE_CARVEOUT_TABLE, infos);
  case GC_CARVEOUT_TABLE_4:
    return put_carveouts(&from->carveouts_4, HWLOC_GPUCACHE_CARVEOUT_TABLE_4_WARPS, infos);
  case GC_CARVEOUT_TABLE_32:
    return put_carveouts(&from->carveouts_32, HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS, infos);
  case GC_WRITE_POLICY:
    return gc_infos_set(infos, HWLOC_GPUCACHE_WRITE_POLICY, from->write_back ? "back" : "through");
  case GC_WRITE_ALLOCATE:
    return gc_infos_set(infos, HWLOC_GPUCACHE_WRITE_ALLOCATE, allocates[from->write_allocate]);
  case GC_COMPRESSION:
    return gc_infos_set(infos, HWLOC_GPUCACHE_COMPRESSION_SUPPORTED,
                        from->compression ? "yes" : "no");
  case GC_SIDE_MASK:
    return gc_infos_setf(infos, HWLOC_GPUCACHE_SIDE_MASK, "0x%" PRIx64, from->side_mask);
  case GC_SHARED_WITH:
    return put_shared_with(from->shared_with, infos);
  case GC_PARTITION_SMS:
    return put_partition_sms(from, infos);
  case GC_SHARED_BY_CUS:
    return put_group_sizes(results, &from->cu_groups, infos);
  case GC_CU_GROUPS:
    return put_group_members(results, &from->cu_groups, HWLOC_GPUCACHE_CU_GROUPS, infos, fits);
  case GC_GPC_SMS:
    return put_group_members(results, &results->gpc, "GPCSMs", infos, fits);
  case GC_TPC_SMS:
    return put_group_members(results, &results->tpc, "TPCSMs", infos, fits);
  case GC_CPC_SMS:
    return put_group_members(results, &results->cpc, "CPCSMs", infos, fits);
  case GC_GPC_SIDES:
    return put_sides(results, infos);
  case GC_SET_INDEX_MASKS:
    return put_masks(&from->structure, infos);
  case GC_SET_INDEX_ADDRESS:
    return gc_infos_set(infos, HWLOC_GPUCACHE_SET_INDEX_ADDRESS, "virtual");
  case GC_REPLACEMENT:
    return put_replacement(&from->structure, infos);
  case GC_VICTIM_SHARES:
    return put_shares(&from->structure, infos);
  case GC_SURVIVAL_CURVE:
    return put_curve(&from->structure, infos);
  case GC_SM_GROUPS:
    return put_group_members(results, &from->cu_groups, HWLOC_GPUCACHE_SM_GROUPS, infos, fits);
  default:
    return 0;
  }
}

static int put_source(const struct gc_finding *finding, enum gc_property property,
                      struct gc_infos *infos)
{
  char name[80];
  int status = 0;

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, gc_properties_names[property]);
  switch (finding->origin) {
  case GC_UNKNOWN:
    break;
  case GC_STATED:
    return gc_infos_set(infos, name, HWLOC_GPUCACHE_SOURCE_API);
  case GC_ABSENT:
    return gc_infos_setf(infos, name, HWLOC_GPUCACHE_SOURCE_ABSENT "%s", finding->why);
  case GC_MEASURED:
    status = gc_infos_set(infos, name, HWLOC_GPUCACHE_SOURCE_MEASURED);
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX,
             gc_properties_names[property]);
    if (!status)
      status = gc_infos_setf(infos, name, "%.4f", finding->confidence);
  }
  return status;
}

static int put_property(const struct gc_results *results, const struct gc_measured *from,
                        enum gc_property property, struct gc_infos *infos)
{
  bool fits = true;
  int status = 0;

  if (gc_found(from, property)) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !status; i++)
      if (rows[i].property == property)
        status = put_number(&rows[i], from, infos);
    if (!status)
      status = put_lists(results, from, property, infos, &fits);
  }
  return status || !fits ? status : put_source(&from->found[property], property, infos);
}

/* A lower bound of a value that is absent. */
static int put_at_least(const char *key, uint64_t at_least, struct gc_infos *infos)
{
  return at_least ? gc_infos_set_u64(infos, key, at_least) : 0;
}

static int put_element(const struct gc_results *results, const struct gc_measured *from,
                       struct gc_infos *infos)
{
  int status = 0;

  if (from->carveout_blocks)
    status = gc_infos_set_u64(infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT, 0) ||
                     gc_infos_set_u64(infos, HWLOC_GPUCACHE_CARVEOUT_BLOCKS, from->carveout_blocks)
                 ? -ENOMEM
                 : 0;
  if (!status)
    status =
        put_at_least(HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, from->capacity_at_least_bytes, infos);
  if (!status)
    status = put_at_least(HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST,
                          from->outstanding_per_sm_at_least, infos);
  if (!status)
    status = put_at_least(HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST,
                          from->outstanding_per_warp_at_least, infos);
  for (int property = 0; property < GC_PROPERTY_COUNT && !status; property++)
    status = put_property(results, from, (enum gc_property)property, infos);
  return status;
}

int gc_publish(const struct gc_results *results, struct gc_record *record)
{
  int status = 0;

  for (int kind = 0; kind < GC_KIND_COUNT && !status; kind++) {
    const struct gc_measured *from = &results->element[kind];
    struct gc_element *element;

    if (!from->tried)
      continue;
    if (!(element = gc_record_find(record, from->kind)))
      element = gc_record_add(record, from->kind);
    status = element ? put_element(results, from, &element->infos) : -ENOMEM;
  }
  return status ? status : put_element(results, &results->element[GC_WHOLE_GPU], &record->infos);
}
