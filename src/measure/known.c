/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "measure/layout.h"

#define L3_STRIDE 64 /* bytes: at most the line of any L3 */
#define L3_RING 8    /* a ring takes the arena divided by this where there is an L3 */
#define WALK_L2S 8   /* a walk of device memory, in L2s: by an H200's counters these have 0.02 % of what is read and
                        0.1 % of what is written of 8, and 3 and 2 % of 5.9; … */
#define WALK_L2S_MIN 7.5 /* … so that, as if it fell evenly, some 0.1 % is left of so many */
#define WALK_L3S 3       /* the same where there is an L3, which replaces the oldest line */
#define WALK_MIN ((uint64_t)64 << 20)

uint64_t gc_known_u64(const struct gc_record *known, enum gc_kind kind, const char *key)
{
  const struct gc_element *element = known ? gc_record_find(known, kind) : NULL;
  uint64_t value = 0;

  if (!element || gc_infos_get_u64(&element->infos, key, &value))
    return 0;
  return value;
}

void gc_complete_properties(struct gc_properties *properties, const struct gc_record *known)
{
  const uint64_t count = gc_known_u64(known, GC_L2, HWLOC_GPUCACHE_INSTANCES);
  const uint64_t l3_count = gc_known_u64(known, GC_L3, HWLOC_GPUCACHE_INSTANCES);

  if (!properties->l2_bytes)
    properties->l2_bytes = gc_known_u64(known, GC_L2, HWLOC_GPUCACHE_NOMINAL_BYTES);
  properties->l2_count = count && count <= properties->sms ? (uint32_t)count : 1;
  properties->l3_bytes = gc_known_u64(known, GC_L3, HWLOC_GPUCACHE_NOMINAL_BYTES) *
                         (l3_count ? l3_count : 1);
}

uint64_t gc_all_l2_bytes(const struct gc_bench *bench)
{
  return bench->properties.l2_bytes * bench->properties.l2_count;
}

int gc_fill_l2(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
               uint32_t passes)
{
  return gc_bench_read(bench, offset, bytes, stride, passes,
                       bench->properties.l2_count > 1 ? GPU_EACH_SM : GPU_ANY_SM);
}

uint64_t gc_cold_room(const struct gc_bench *bench)
{
  return bench->arena_bytes / (bench->properties.l3_bytes ? L3_RING : 2);
}

int gc_empty_caches(struct gc_bench *bench)
{
  const uint64_t room = gc_cold_room(bench), rest = bench->arena_bytes - room;
  int status;

  if (!bench->properties.l3_bytes)
    return gc_empty_l2(bench);
  status = gc_bench_read(bench, room, rest, L3_STRIDE, 1, GPU_ANY_SM);
  return status ? status : gc_fill_l2(bench, room, 2 * bench->properties.l2_bytes, L3_STRIDE, 1);
}

static uint64_t walk_of(const struct gc_bench *bench, double l2s)
{
  const uint64_t l3 = bench->properties.l3_bytes;

  return l3 ? WALK_L3S * l3 : (uint64_t)(l2s * (double)gc_all_l2_bytes(bench));
}

uint64_t gc_walk_enough(const struct gc_bench *bench)
{
  return walk_of(bench, WALK_L2S_MIN);
}

uint64_t gc_walk_bytes(const struct gc_bench *bench, uint64_t room)
{
  const uint64_t walk = walk_of(bench, WALK_L2S), wanted = walk > WALK_MIN ? walk : WALK_MIN;
  const uint64_t bytes = wanted < room ? wanted : room;

  return bytes < gc_walk_enough(bench) ? 0 : bytes;
}
