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
#include "measure/host/host.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "measure/structure/tlb_range.h"
#include "measure/structure/writes.h"
#include "measure/topology/topology.h"
#include "measure/walk/evict.h"

#include <stdio.h>

#define S GC_SET_OF
#define P GC_IN
#define NOTHING S(0)

/* clang-format off: several elements in a line */
/* The steps that several elements have. */
#define SM_CACHE(kind, capacity, census, line)                                                     \
  {GC_##kind, "capacity", capacity, S(P(CAPACITY)), NULL, 0},                                      \
  {GC_##kind, "census", census, S(P(CENSUS)), NULL, 0},                                            \
  {GC_##kind, "latency", gc_step_latency, S(P(LATENCY), P(LATENCY_P95)), NULL, 0},                 \
  {GC_##kind, "fetch", gc_step_fetch, S(P(FETCH)), NULL, 0},                                       \
  {GC_##kind, "line", line, S(P(LINE)), NULL, 0},                                                  \
  {GC_##kind, "miss penalty", gc_step_miss_penalty, S(P(MISS_PENALTY)), NULL, 0},                  \
  {GC_##kind, "bandwidth", gc_step_bandwidth, S(P(READ)), NULL, 0}
#define SM_MEMORY(kind)                                                                            \
  {GC_##kind, "capacity", gc_step_interface, S(P(CAPACITY)), NULL, 0},                             \
  {GC_##kind, "latency", gc_step_latency, S(P(LATENCY), P(LATENCY_P95)), NULL, 0},                 \
  {GC_##kind, "bandwidth", gc_step_bandwidth, S(P(READ), P(WRITE)), NULL, 0},                      \
  {GC_##kind, "banks", gc_step_banks, S(P(BANKS), P(BANK), P(CONFLICT)), NULL, 0},                 \
  {GC_##kind, "atomic latency", gc_step_atomic_latency, S(P(ATOMIC_LATENCY)), NULL, 0},            \
  {GC_##kind, "atomics", gc_step_atomics, S(P(ATOMICS)), NULL, 0}
#define SHARING(kind) {GC_##kind, "sharing", gc_step_sharing, S(P(SHARED_WITH)), NULL, 0}
#define INSTANCES_OF(kind)                                                                         \
  {GC_##kind, "instances", gc_step_instances, S(P(PER_SM), P(INSTANCES)), NULL, 0}
#define SETS(kind)                                                                                 \
  {GC_##kind, "sets", gc_step_sets, GC_SET_PROPERTIES, NULL, 0},                                   \
  {GC_##kind, "excess misses", gc_step_excess_misses, S(P(EXCESS_MISSES)), NULL, 0}
#define SURVIVAL(kind) {GC_##kind, "survival", gc_step_survival, S(P(SURVIVAL_CURVE)), NULL, 0}

const struct gc_plan_step gc_plan[] = {
    {GC_DEVICE_MEMORY, "capacity", gc_step_interface, S(P(CAPACITY)), NULL, 0},
    {GC_DEVICE_MEMORY, "latency", gc_step_memory_latency, S(P(LATENCY), P(LATENCY_P95)),
     gc_needs_cold, 0},
    {GC_DEVICE_MEMORY, "bandwidth", gc_step_memory_bandwidth, S(P(READ), P(WRITE)),
     gc_needs_memory_bandwidth, 0},
    {GC_L2, "nominal capacity", gc_step_interface,
     S(P(NOMINAL), P(FETCH_LIMIT), P(PERSISTING_MAX), P(COMPRESSION)), NULL, 0},
    {GC_L2, "latency", gc_step_l2_latency, S(P(LATENCY), P(LATENCY_P95)), NULL, 0},
    {GC_L2, "partitions", gc_step_partitions, GC_PARTITION_PROPERTIES, gc_needs_partitions, 0},
    {GC_L2, "capacity", gc_step_l2_capacity, S(P(CAPACITY)), gc_needs_l2_capacity, 0},
    {GC_L2, "census", gc_step_l2_census, S(P(CENSUS)), gc_needs_l2_census, 0},
    {GC_L2, "fetch", gc_step_fetch, S(P(FETCH)), gc_needs_cold_l2, 0},
    {GC_L2, "line", gc_step_l2_line, S(P(LINE)), gc_needs_l2_line, 0},
    {GC_L2, "miss penalty", gc_step_miss_penalty, S(P(MISS_PENALTY)), gc_needs_cold_l2, 0},
    {GC_L2, "bandwidth", gc_step_l2_bandwidth, S(P(READ), P(WRITE)), gc_needs_l2_bandwidth, 0},
    {GC_L2, "atomic latency", gc_step_l2_atomic_latency,
     S(P(ATOMIC_LATENCY), P(NEAR_ATOMIC_LATENCY), P(FAR_ATOMIC_LATENCY)), NULL, 0},
    {GC_L2, "atomics", gc_step_atomics, S(P(ATOMICS)), NULL, 0},
    {GC_L2, "slices", gc_step_slices, GC_SLICE_PROPERTIES, gc_needs_slices, 0},
    {GC_L3, "capacity", gc_step_l3_capacity, S(P(CAPACITY)), gc_needs_l3_capacity, 0},
    {GC_L3, "census", gc_step_l3_census, S(P(CENSUS)), gc_needs_l3_census, 0},
    {GC_L3, "latency", gc_step_l3_latency, S(P(LATENCY), P(LATENCY_P95)), gc_needs_l3_latency, 0},
    {GC_L3, "miss penalty", gc_step_l3_penalty, S(P(MISS_PENALTY)), NULL, 0},
    {GC_L3, "bandwidth", gc_step_l3_bandwidth, S(P(READ), P(WRITE)), gc_needs_l3_bandwidth, 0},
    SM_CACHE(L1, gc_step_capacity, gc_step_census, gc_step_line),
    {GC_L1, "outstanding lines of a warp", gc_step_outstanding_warp, S(P(OUTSTANDING_PER_WARP)),
     gc_needs_cold, 0},
    {GC_L1, "outstanding lines", gc_step_outstanding_sm, S(P(OUTSTANDING_PER_SM)), gc_needs_cold,
     0},
    {GC_L1, "read against width", gc_step_width_curve, NOTHING, NULL, GC_STEP_RAW_ONLY},
    {GC_L1, "carve-outs", gc_step_carveouts, S(P(CARVEOUT_TABLE)), NULL, 0},
    {GC_L1, "carve-outs of larger blocks", gc_step_carveouts_by_block,
     S(P(CARVEOUT_TABLE_4), P(CARVEOUT_TABLE_32)), NULL, 0},
    /* paths into the same storage need only a confirmation of what L1 has */
    {GC_L1, "one storage", gc_step_storage, S(P(SHARED_WITH)), NULL, 0},
    SM_CACHE(TEXTURE, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(READ_ONLY, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(CONSTANT_L1, gc_step_capacity, gc_step_census, gc_step_line),
    SM_CACHE(CONSTANT_L15, gc_step_constant15_capacity, gc_step_constant15_census,
             gc_step_constant15_line),
    {GC_INSTRUCTION_CACHE, "capacity", gc_step_instruction_capacity, S(P(CAPACITY)), NULL, 0},
    {GC_INSTRUCTION_CACHE, "miss penalty", gc_step_instruction_penalty, S(P(MISS_PENALTY)), NULL,
     0},
    SM_MEMORY(SHARED_MEMORY),
    {GC_TENSOR_MEMORY, "capacity", gc_step_interface, S(P(CAPACITY), P(PER_SM), P(INSTANCES)), NULL,
     0},
    SM_CACHE(SCALAR_L1, gc_step_capacity, gc_step_census, gc_step_line),
    {GC_SCALAR_L1, "CUs that share it", gc_step_sharing_groups, GC_CU_GROUP_PROPERTIES, NULL, 0},
    SM_MEMORY(LDS),
    {GC_L1, "stores", gc_step_writes, S(P(WRITE_POLICY), P(WRITE_ALLOCATE)), gc_needs_writes, 0},
    {GC_L2, "stores", gc_step_writes, S(P(WRITE_POLICY), P(WRITE_ALLOCATE)), gc_needs_writes, 0},
    /* these need capacities of several elements */
    SHARING(L1),
    SHARING(TEXTURE),
    SHARING(READ_ONLY),
    SHARING(CONSTANT_L1),
    {GC_CONSTANT_L15, "sharing", gc_step_code_sharing, S(P(SHARED_WITH)), NULL, 0},
    {GC_INSTRUCTION_CACHE, "sharing", gc_step_instruction_sharing, S(P(SHARED_WITH)), NULL, 0},
    {GC_INSTRUCTION_CACHE, "instances", gc_step_instruction_groups,
     S(P(INSTANCES), P(PER_SM), P(SM_GROUPS)), NULL, 0},
    SHARING(SCALAR_L1),
    SHARING(SHARED_MEMORY),
    SHARING(LDS),
    INSTANCES_OF(L1),
    INSTANCES_OF(TEXTURE),
    INSTANCES_OF(READ_ONLY),
    INSTANCES_OF(CONSTANT_L1),
    INSTANCES_OF(CONSTANT_L15),
    /* these need the constant L1.5 and the sides of L2 */
    SETS(L1),
    SURVIVAL(L1),
    SETS(TEXTURE),
    SURVIVAL(TEXTURE),
    SETS(READ_ONLY),
    SURVIVAL(READ_ONLY),
    SETS(CONSTANT_L1),
    SURVIVAL(CONSTANT_L1),
    SETS(CONSTANT_L15),
    SETS(SCALAR_L1),
    SURVIVAL(SCALAR_L1),
    {GC_L2, "survival", gc_step_l2_survival, S(P(SURVIVAL_CURVE)), gc_needs_l2_survival, 0},
    {GC_WHOLE_GPU, "groups of SMs", gc_step_sm_groups, GC_SM_GROUP_PROPERTIES, NULL, 0},
    {GC_SHARED_MEMORY, "remote latency", gc_step_remote_latency, S(P(REMOTE_LATENCY)), NULL, 0},
    /* these withhold or lower values that rest on what does not hold */
    {GC_L2, "translation", gc_step_l2_translation, NOTHING, NULL, GC_STEP_CHECKS},
    {GC_L2, "other allocations", gc_step_l2_allocations, NOTHING, NULL, GC_STEP_CHECKS},
    {GC_L2, "total", gc_step_l2_total, S(P(TOTAL)), gc_needs_l2_total, 0},
    {GC_L3, "other allocations", gc_step_l3_allocations, NOTHING, NULL, GC_STEP_CHECKS},
    /* these need bandwidths and latencies that no check has withheld */
    {GC_DEVICE_MEMORY, "under load", gc_step_under_load, S(P(LATENCY_UNDER_LOAD)),
     gc_needs_under_load, 0},
    {GC_L2, "under load", gc_step_under_load, S(P(LATENCY_UNDER_LOAD)), gc_needs_under_load, 0},
    {GC_DEVICE_MEMORY, "latency again", gc_step_memory_again, NOTHING, gc_needs_cold, 0},
    {GC_WHOLE_GPU, "flush", gc_step_flush, S(P(FLUSH)), gc_needs_flush, 0},
    {GC_DEVICE_MEMORY, "departure delay", gc_step_departure,
     S(P(DEPARTURE_DELAY), P(UNCOALESCED_DEPARTURE_DELAY)), gc_needs_departure, 0},
    {GC_SHARED_MEMORY, "bulk copies", gc_step_bulk, S(P(BULK_LATENCY), P(BULK_RATE)), NULL, 0},
    /* these use the memory of the arena in another way, and giving it back takes long; TLBs show
     * groups of SMs */
    {GC_L1_TLB, "entries", gc_step_tlb, GC_TLB_PROPERTIES, NULL, GC_STEP_NO_ARENA},
    {GC_L2_TLB, "entries", gc_step_tlb, GC_TLB_PROPERTIES, NULL, GC_STEP_NO_ARENA},
    {GC_L1, "address bits", gc_step_address_bits, S(P(SET_INDEX_MASKS)), NULL, GC_STEP_NO_ARENA},
    {GC_WHOLE_GPU, "CPCs", gc_step_cpcs, S(P(CPC_SMS)), NULL, GC_STEP_NO_ARENA},
    {GC_DEVICE_MEMORY, "host memory", gc_step_host_memory, GC_HOST_PROPERTIES, NULL, GC_STEP_HOST},
    {GC_DEVICE_MEMORY, "other GPUs", gc_step_peers, GC_PEER_PROPERTIES, NULL, GC_STEP_PEERS},
    {GC_WHOLE_GPU, "order of warps", gc_step_warp_order, S(P(WARP_ORDER)), NULL, GC_STEP_NO_ARENA},
    /* last, because the values of later steps would depend on --raw */
    {GC_L2, "read against size", gc_step_size_curve_gpu, NOTHING, NULL, GC_STEP_RAW_ONLY},
    {GC_L1, "read against size", gc_step_size_curve_sm, NOTHING, NULL, GC_STEP_RAW_ONLY},
    {GC_L1, "read against warps", gc_step_warps_curve, NOTHING, NULL, GC_STEP_RAW_ONLY},
    {GC_L1_TLB, "latency patterns", gc_step_tlb_patterns, NOTHING, NULL, GC_STEP_RAW_ONLY_NO_ARENA},
};
/* clang-format on */
const unsigned gc_plan_steps = sizeof(gc_plan) / sizeof(*gc_plan);

bool gc_plan_lacks_memory(struct gc_measurement *m, const struct gc_plan_step *step)
{
  const uint64_t all = m->bench.walk_bytes;
  const uint64_t needs = step->needs ? step->needs(m, step->kind) : 0;
  struct gc_measured *element = &m->results->element[step->kind];

  if (step->use == GC_STEP_NO_ARENA || step->use == GC_STEP_HOST ||
      step->use == GC_STEP_RAW_ONLY_NO_ARENA ||
      (step->use == GC_STEP_RAW_ONLY && !m->bench.raw))
    return false;
  gc_tlb_range_give_back(m);
  /* another program may have taken its memory */
  if (m->bench.arena && needs <= all)
    return false;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (step->reports.has[property] && element->found[property].origin == GC_UNKNOWN)
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
    if (step->reports.has[property] && element->found[property].origin == GC_UNKNOWN)
      gc_set_absent(element, (enum gc_property)property, m->bench.err->text);
  return 0;
}

void gc_plan_name(const struct gc_plan_step *step, char *name, size_t size)
{
  snprintf(name, size, "%s %s", gc_kind_name(step->kind), step->name);
}
