/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two methods for one value must agree:
 * - L1, texture and read-only cache: if SharedWith states that they are one storage, their
 *   capacities are the same value, found three times. They must agree within half a percent.
 * - L2: no SM keeps more than the interface states. (Less is no contradiction: partitions copy
 *   lines, and other programs use L2 too.)
 * - Device memory cannot be filled for a measurement. The size of the device and the size that its
 *   allocator counts (cuDeviceTotalMem, cuMemGetInfo) must agree within a percent.
 *
 * Other files check shared memory, which is written and read (capacity/interface.c), and
 * bandwidths, which have limits (bandwidth/rate.h).
 */
#include "measure/check/agree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define STORAGE_SHARE 0.005
#define MEMORY_SHARE 0.01
/* A capacity may exceed the nominal size by this share, which is a step of the search. */
#define NOMINAL_SHARE 0.01

static const enum gc_kind storages[] = {GC_L1, GC_TEXTURE, GC_READ_ONLY};
#define STORAGES (sizeof(storages) / sizeof(*storages))

/* One storage with two capacities: both are withheld. */
static void compare_storage(struct gc_results *results, const uint64_t bytes[STORAGES], size_t a,
                            size_t b)
{
  const struct gc_measured *one = &results->element[storages[a]],
                           *other = &results->element[storages[b]];
  const bool shared = gc_found(one, GC_SHARED_WITH) && one->shared_with & 1u << storages[b];
  char why[160];

  if (!bytes[a] || !bytes[b] || !shared ||
      fabs((double)bytes[a] - (double)bytes[b]) <=
          STORAGE_SHARE * fmax((double)bytes[a], (double)bytes[b]))
    return;
  snprintf(why, sizeof(why),
           "%s and %s are one storage, but %" PRIu64 " and %" PRIu64 " bytes were found",
           gc_kinds[storages[a]].subtype, gc_kinds[storages[b]].subtype, bytes[a], bytes[b]);
  if (gc_capacity(one))
    gc_withhold(results, storages[a], GC_CAPACITY, why);
  if (gc_capacity(other))
    gc_withhold(results, storages[b], GC_CAPACITY, why);
}

static void compare_storages(struct gc_results *results)
{
  uint64_t bytes[STORAGES];

  for (size_t i = 0; i < STORAGES; i++)
    bytes[i] = gc_capacity(&results->element[storages[i]]);
  for (size_t a = 0; a < STORAGES; a++)
    for (size_t b = a + 1; b < STORAGES; b++)
      compare_storage(results, bytes, a, b);
}

static void compare_l2(struct gc_results *results, uint64_t nominal)
{
  struct gc_measured *l2 = &results->element[GC_L2];
  const uint64_t bytes = gc_capacity(l2);
  char why[160];

  if (nominal && (double)l2->capacity_at_least_bytes > (1 + NOMINAL_SHARE) * (double)nominal) {
    l2->capacity_at_least_bytes = 0;
    gc_withhold(results, GC_L2, GC_CAPACITY,
                "no miss was seen, even of arrays larger than the interface says that L2 is");
  }
  if (!nominal || (double)bytes <= (1 + NOMINAL_SHARE) * (double)nominal)
    return;
  snprintf(why, sizeof(why),
           "%" PRIu64 " bytes were found, but the interface says that there are %" PRIu64, bytes,
           nominal);
  gc_withhold(results, GC_L2, GC_CAPACITY, why);
}

static void compare_memory(struct gc_results *results, double counted)
{
  const uint64_t bytes = gc_capacity(&results->element[GC_DEVICE_MEMORY]);
  char why[160];

  if (!bytes || fabs((double)bytes - counted) <= MEMORY_SHARE * counted)
    return;
  snprintf(why, sizeof(why),
           "the interface says %" PRIu64 " bytes in one place, and %.0f in another", bytes,
           counted);
  gc_withhold(results, GC_DEVICE_MEMORY, GC_CAPACITY, why);
}

void gc_check_agreement(struct gc_measurement *m)
{
  compare_storages(m->results);
  compare_l2(m->results, m->bench.properties.l2_bytes);
  compare_memory(m->results, (double)m->bench.memory_bytes);
}
