/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes how much device memory measuring uses.
 */
#include "measure/core/footprint.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GRANULE MIB(2) /* drivers round an allocation up to this */
/* Size of a walk of device memory, in L2s. The counters of an H200 show how much of such a walk
 * hits in L2: with 8 L2s 0.02 % of the reads and 0.1 % of the writes, with 5.9 L2s 3 % and 2 %. */
#define WALK_L2S 8
#define WALK_L2S_MIN 7.5 /* the least size; interpolated: about 0.1 % hits */
#define WALK_L3S 3       /* size in L3s, if there is an L3, which replaces the oldest line */
#define WALK_MIN MIB(64)
/* Size of the arena in L2s if memory is scarce: each half of it evicts the other one from L2. */
#define SCARCE_L2S 2.25
#define IDLE_FREE_TENTHS 9 /* of the memory: free while no program uses the GPU */

static uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* The part of the memory of all buffers that is not for the scratch and for buffers of single
 * steps. */
static uint64_t without_rest(uint64_t bytes)
{
  const uint64_t rest = bytes / 4 < GC_DEVICE_BYTES_REST ? bytes / 4 : GC_DEVICE_BYTES_REST;

  return (bytes - rest) & ~(GRANULE - 1);
}

uint64_t gc_footprint_total(uint64_t bytes)
{
  const uint64_t rounded = (bytes + GRANULE - 1) & ~(GRANULE - 1);

  return rounded + (rounded / 3 < GC_DEVICE_BYTES_REST ? rounded / 3 : GC_DEVICE_BYTES_REST);
}

/* Size of the arena, whose rings are too large for every cache: at least twice the L2, or four
 * times the L3. */
static uint64_t size_of_arena(const struct gc_properties *properties)
{
  const uint64_t bytes =
      properties->l3_bytes ? 4 * properties->l3_bytes : 2 * gc_all_l2_bytes(properties) + MIB(32);

  return bytes < MIB(64) ? MIB(64) : bytes;
}

uint64_t gc_all_l2_bytes(const struct gc_properties *properties)
{
  return properties->l2_bytes * properties->l2_count;
}

static uint64_t walk_of(const struct gc_properties *properties, double l2s)
{
  const uint64_t l3 = properties->l3_bytes;

  return l3 ? WALK_L3S * l3 : (uint64_t)(l2s * (double)gc_all_l2_bytes(properties));
}

uint64_t gc_walk_enough(const struct gc_properties *properties)
{
  return walk_of(properties, WALK_L2S_MIN);
}

static uint64_t walk_within(const struct gc_properties *properties, uint64_t limit)
{
  const uint64_t walk = walk_of(properties, WALK_L2S), wanted = walk > WALK_MIN ? walk : WALK_MIN;
  const uint64_t bytes = wanted < limit ? wanted : limit;

  return bytes < gc_walk_enough(properties) ? 0 : bytes;
}

uint64_t gc_footprint_max(const struct gc_properties *properties)
{
  const uint64_t walk = gc_footprint_total(gc_walk_enough(properties));

  return most(GC_DEVICE_BYTES_MAX, least(walk, GC_WALK_BYTES_MAX));
}

static uint64_t share_of(const struct gc_properties *properties, uint64_t free_bytes,
                         unsigned share)
{
  return least(free_bytes / share, gc_footprint_max(properties));
}

uint64_t gc_footprint_most(const struct gc_properties *properties, uint64_t free_bytes)
{
  return share_of(properties, free_bytes, GC_FREE_SHARE);
}

uint64_t gc_footprint_usual(const struct gc_properties *properties, uint64_t free_bytes)
{
  return share_of(properties, free_bytes, GC_USUAL_SHARE);
}

bool gc_footprint_passes(const struct gc_properties *properties, uint64_t bytes,
                         uint64_t memory_bytes)
{
  return gc_footprint_total(bytes) <=
         gc_footprint_most(properties, memory_bytes / 10 * IDLE_FREE_TENTHS);
}

void gc_footprint_plan(const struct gc_properties *properties, uint64_t free_bytes,
                       struct gc_footprint *plan)
{
  const uint64_t usual = without_rest(gc_footprint_usual(properties, free_bytes));
  const uint64_t limit = without_rest(gc_footprint_most(properties, free_bytes));
  const uint64_t wanted = size_of_arena(properties), l3 = 4 * properties->l3_bytes;
  const uint64_t enough = l3 ? l3 : (uint64_t)(SCARCE_L2S * (double)gc_all_l2_bytes(properties));

  plan->arena = wanted <= usual ? wanted : most(usual, least(enough, limit));
  plan->walk = walk_within(properties, usual);
  if (!plan->walk)
    plan->walk = walk_within(properties, limit);
  plan->walk = most(plan->walk, plan->arena);
}
