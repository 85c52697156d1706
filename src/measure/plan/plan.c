/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of steps. A new property is one row here and one file that finds it.
 */
#include "measure/plan/plan.h"

#include "measure/bandwidth/bandwidth.h"
#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/check/check.h"
#include "measure/core/step_memory.h"
#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "measure/structure/tlb_range.h"
#include "measure/structure/writes.h"
#include "measure/topology/topology.h"
#include "measure/walk/evict.h"

#include <stdio.h>

#define P GC_BIT
/* A step with this bit only writes curves for --raw. It reports no property and checks none. */
#define RAW_ONLY (1ull << 63)
/* A step with this bit uses no arena, but the range of addresses for TLBs, or no device memory. */
#define NO_ARENA (1ull << 62)

/* The steps that several elements have. */
#define SM_CACHE(kind, capacity, census, line)                                                     \
  {GC_##kind, "capacity", capacity, P(CAPACITY), NULL},                                            \
  {GC_##kind, "census", census, P(CENSUS), NULL},                                                  \
  {GC_##kind, "latency", gc_step_latency, P(LATENCY) | P(LATENCY_P95), NULL},                      \
  {GC_##kind, "fetch", gc_step_fetch, P(FETCH), NULL},                                             \
  {GC_##kind, "line", line, P(LINE), NULL},                                                        \
  {GC_##kind, "miss penalty", gc_step_miss_penalty, P(MISS_PENALTY), NULL},                        \
  {GC_##kind, "bandwidth", gc_step_bandwidth, P(READ), NULL}
#define SM_MEMORY(kind)                                                                            \
  {GC_##kind, "capacity", gc_step_interface, P(CAPACITY), NULL},                                   \
  {GC_##kind, "latency", gc_step_latency, P(LATENCY) | P(LATENCY_P95), NULL},                      \
  {GC_##kind, "bandwidth", gc_step_bandwidth, P(READ) | P(WRITE), NULL},                           \
  {GC_##kind, "banks", gc_step_banks, P(BANKS) | P(BANK) | P(CONFLICT), NULL},                     \
  {GC_##kind, "atomic latency", gc_step_atomic_latency, P(ATOMIC_LATENCY), NULL},                  \
  {GC_##kind, "atomics", gc_step_atomics, P(ATOMICS), NULL}
#define SHARING(kind) {GC_##kind, "sharing", gc_step_sharing, P(SHARED_WITH), NULL}
#define INSTANCES_OF(kind)                                                                         \
  {GC_##kind, "instances", gc_step_instances, P(PER_SM) | P(INSTANCES), NULL}
#define SETS(kind)                                                                                 \
  {GC_##kind, "sets", gc_step_sets, GC_SET_PROPERTIES, NULL},                                      \
  {GC_##kind, "excess misses", gc_step_excess_misses, P(EXCESS_MISSES), NULL}
#define SURVIVAL(kind) {GC_##kind, "survival", gc_step_survival, P(SURVIVAL_CURVE), NULL}

/* clang-format off: several elements in a line */
const struct gc_plan_step gc_plan[] = {
    {GC_DEVICE_MEMORY, "capacity", gc_step_interface, P(CAPACITY), NULL},
    {GC_DEVICE_MEMORY, "latency", gc_step_memory_latency, P(LATENCY) | P(LATENCY_P95),
     gc_needs_cold},
    {GC_DEVICE_MEMORY, "bandwidth", gc_step_memory_bandwidth, P(READ) | P(WRITE),
     gc_needs_memory_bandwidth},
    {GC_L2, "nominal capacity", gc_step_interface,
     P(NOMINAL) | P(FETCH_LIMIT) | P(PERSISTING_MAX) | P(COMPRESSION), NULL},
    {GC_L2, "latency", gc_step_l2_latency, P(LATENCY) | P(LATENCY_P95), NULL},
    {GC_L2, "partitions", gc_step_partitions, GC_PARTITION_PROPERTIES, gc_needs_partitions},
    {GC_L2, "capacity", gc_step_l2_capacity, P(CAPACITY), gc_needs_l2_capacity},
    {GC_L2, "census", gc_step_l2_census, P(CENSUS), gc_needs_l2_census},
    {GC_L2, "fetch", gc_step_fetch, P(FETCH), gc_needs_cold_l2},
    {GC_L2, "line", gc_step_l2_line, P(LINE), gc_needs_l2_line},
    {GC_L2, "miss penalty", gc_step_miss_penalty, P(MISS_PENALTY), gc_needs_cold_l2},
    {GC_L2, "bandwidth", gc_step_l2_bandwidth, P(READ) | P(WRITE), gc_needs_l2_bandwidth},
    {GC_L2, "atomic latency", gc_step_l2_atomic_latency,
     P(ATOMIC_LATENCY) | P(NEAR_ATOMIC_LATENCY) | P(FAR_ATOMIC_LATENCY), NULL},
    {GC_L2, "atomics", gc_step_atomics, P(ATOMICS), NULL},
    {GC_L2, "slices", gc_step_slices, GC_SLICE_PROPERTIES, gc_needs_slices},
    {GC_L3, "capacity", gc_step_l3_capacity, P(CAPACITY), gc_needs_l3_capacity},
    {GC_L3, "census", gc_step_l3_census, P(CENSUS), gc_needs_l3_census},
    {GC_L3, "latency", gc_step_l3_latency, P(LATENCY) | P(LATENCY_P95), gc_needs_l3_latency},
    {GC_L3, "miss penalty", gc_step_l3_penalty, P(MISS_PENALTY), NULL},
    {GC_L3, "bandwidth", gc_step_l3_bandwidth, P(READ) | P(WRITE), gc_needs_l3_bandwidth},
    SM_CACHE(L1, gc_step_capacity, gc_step_census, gc_step_line),
    {GC_L1, "outstanding lines of a warp", gc_step_outstanding_warp, P(OUTSTANDING_PER_WARP),
     gc_needs_cold},
    {GC_L1, "outstanding lines", gc_step_outstanding_sm, P(OUTSTANDING_PER_SM), gc_needs_cold},
    {GC_L1, "read against width", gc_step_width_curve, RAW_ONLY, NULL},
    {GC_L1, "carve-outs", gc_step_carveouts, P(CARVEOUT_TABLE), NULL},
    {GC_L1, "carve-outs of larger blocks", gc_step_carveouts_by_block,
     P(CARVEOUT_TABLE_4) | P(CARVEOUT_TABLE_32), NULL},
    /* paths into the same storage need only a confirmation of what L1 has */
    {GC_L1, "one storage", gc_step_storage, P(SHARED_WITH), NULL},
    SM_CACHE(TEXTURE, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(READ_ONLY, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(CONSTANT_L1, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(CONSTANT_L15, gc_step_constant15_capacity, gc_step_constant15_census,
             gc_step_constant15_line),
    {GC_INSTRUCTION_CACHE, "capacity", gc_step_instruction_capacity, P(CAPACITY), NULL},
    {GC_INSTRUCTION_CACHE, "miss penalty", gc_step_instruction_penalty, P(MISS_PENALTY), NULL},
    SM_MEMORY(SHARED_MEMORY),
    SM_CACHE(SCALAR_L1, gc_step_capacity, gc_step_census, gc_step_line),
    {GC_SCALAR_L1, "CUs that share it", gc_step_sharing_groups, GC_CU_GROUP_PROPERTIES, NULL},
    SM_MEMORY(LDS),
    {GC_L1, "stores", gc_step_writes, P(WRITE_POLICY) | P(WRITE_ALLOCATE), gc_needs_writes},
    {GC_L2, "stores", gc_step_writes, P(WRITE_POLICY) | P(WRITE_ALLOCATE), gc_needs_writes},
    /* these need capacities of several elements */
    SHARING(L1), SHARING(TEXTURE), SHARING(READ_ONLY), SHARING(CONSTANT_L1),
    {GC_CONSTANT_L15, "sharing", gc_step_code_sharing, P(SHARED_WITH), NULL},
    {GC_INSTRUCTION_CACHE, "sharing", gc_step_instruction_sharing, P(SHARED_WITH), NULL},
    {GC_INSTRUCTION_CACHE, "instances", gc_step_instruction_groups,
     P(INSTANCES) | P(PER_SM) | P(SM_GROUPS), NULL},
    SHARING(SCALAR_L1), SHARING(SHARED_MEMORY), SHARING(LDS),
    INSTANCES_OF(L1), INSTANCES_OF(TEXTURE), INSTANCES_OF(READ_ONLY),
    INSTANCES_OF(CONSTANT_L1), INSTANCES_OF(CONSTANT_L15),
    /* these need the constant L1.5 and the sides of L2 */
    SETS(L1), SURVIVAL(L1),
    SETS(TEXTURE), SURVIVAL(TEXTURE),
    SETS(READ_ONLY), SURVIVAL(READ_ONLY),
    SETS(CONSTANT_L1), SURVIVAL(CONSTANT_L1),
    SETS(CONSTANT_L15),
    SETS(SCALAR_L1), SURVIVAL(SCALAR_L1),
    {GC_L2, "survival", gc_step_l2_survival, P(SURVIVAL_CURVE), gc_needs_l2_survival},
    {GC_WHOLE_GPU, "groups of SMs", gc_step_sm_groups, GC_SM_GROUP_PROPERTIES, NULL},
    {GC_SHARED_MEMORY, "remote latency", gc_step_remote_latency, P(REMOTE_LATENCY), NULL},
    /* these withhold or lower values that rest on what does not hold */
    {GC_L2, "translation", gc_step_l2_translation, 0, NULL},
    {GC_L2, "other allocations", gc_step_l2_allocations, 0, NULL},
    {GC_L2, "total", gc_step_l2_total, P(TOTAL), gc_needs_l2_total},
    {GC_L3, "other allocations", gc_step_l3_allocations, 0, NULL},
    /* these use the memory of the arena in another way; TLBs show groups of SMs */
    {GC_L1_TLB, "entries", gc_step_tlb, GC_TLB_PROPERTIES | NO_ARENA, NULL},
    {GC_L2_TLB, "entries", gc_step_tlb, GC_TLB_PROPERTIES | NO_ARENA, NULL},
    {GC_L1, "address bits", gc_step_address_bits, P(SET_INDEX_MASKS) | NO_ARENA, NULL},
    {GC_WHOLE_GPU, "CPCs", gc_step_cpcs, P(CPC_SMS) | NO_ARENA, NULL},
    /* last, because the values of later steps would depend on --raw */
    {GC_L2, "read against size", gc_step_size_curve_gpu, RAW_ONLY, NULL},
    {GC_L1, "read against size", gc_step_size_curve_sm, RAW_ONLY, NULL},
    {GC_L1, "read against warps", gc_step_warps_curve, RAW_ONLY, NULL},
    {GC_L1_TLB, "latency patterns", gc_step_tlb_patterns, RAW_ONLY | NO_ARENA, NULL},
};
/* clang-format on */
const unsigned gc_plan_steps = sizeof(gc_plan) / sizeof(*gc_plan);

_Static_assert(GC_PROPERTY_COUNT <= 62, "a property has the bit of NO_ARENA");

bool gc_plan_lacks_memory(struct gc_measurement *m, const struct gc_plan_step *step)
{
  const uint64_t all = m->bench.walk_bytes;
  const uint64_t needs = step->needs ? step->needs(m, step->kind) : 0;
  struct gc_measured *element = &m->results->element[step->kind];

  if (step->reports & NO_ARENA || (step->reports & RAW_ONLY && !m->bench.raw))
    return false;
  gc_tlb_range_give_back(m);
  /* another program may have taken its memory */
  if (m->bench.arena && needs <= all)
    return false;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (step->reports & 1ull << property && element->found[property].origin == GC_UNKNOWN)
      gc_set_lacks_memory(m, element, (enum gc_property)property, needs > all ? needs : all);
  return true;
}

int gc_plan_run(struct gc_measurement *m, const struct gc_plan_step *step)
{
  struct gc_measured *element = &m->results->element[step->kind];
  int status;

  element->tried = true;
  if (gc_plan_lacks_memory(m, step))
    return 0;
  gc_raw_begin(m->bench.raw, step->kind, step->name);
  status = step->run(m, element);
  gc_step_free_all(&m->bench);
  if (status != GC_NO_VALUE)
    return status;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (step->reports & 1ull << property && element->found[property].origin == GC_UNKNOWN)
      gc_set_absent(element, (enum gc_property)property, m->bench.err->text);
  return 0;
}

void gc_plan_name(const struct gc_plan_step *step, char *name, size_t size)
{
  snprintf(name, size, "%s %s", gc_kind_name(step->kind), step->name);
}
