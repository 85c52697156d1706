/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/parameters/carveouts.h"

#include <stdbool.h>

/* Entries must be in the order of percent, so there are at most GC_CARVEOUTS, and L1 must not grow.
 */
static bool follows(const struct gc_carveout_table *carveouts,
                    const struct gc_carveout_entry *entry)
{
  const struct gc_carveout *last;

  if (!carveouts->count)
    return true;
  last = &carveouts->array[carveouts->count - 1];
  return entry->percent > last->percent && entry->bytes <= last->l1_bytes;
}

void gc_carveouts_read(struct gc_carveout_table *carveouts, const char *table, uint64_t most_shared)
{
  struct gc_carveout_entry entry;
  uint64_t least_l1;

  carveouts->count = 0;
  carveouts->default_bytes = 0;
  while (gc_carveout_next(&table, &entry)) {
    if (entry.is_default) {
      carveouts->default_bytes = entry.bytes;
      continue;
    }
    if (!follows(carveouts, &entry)) {
      *carveouts = (struct gc_carveout_table){.count = 0};
      return;
    }
    carveouts->array[carveouts->count++] =
        (struct gc_carveout){.percent = entry.percent, .l1_bytes = entry.bytes};
  }
  if (table && *table) /* of another form */
    *carveouts = (struct gc_carveout_table){.count = 0};
  if (!carveouts->count)
    return;
  least_l1 = carveouts->array[carveouts->count - 1].l1_bytes;
  for (size_t i = 0; i < carveouts->count; i++) {
    const uint64_t gained = carveouts->array[i].l1_bytes - least_l1;

    carveouts->array[i].shared_bytes = gained < most_shared ? most_shared - gained : 0;
  }
}

const struct gc_carveout *gc_carveouts_at(const struct gc_carveout_table *carveouts,
                                          unsigned percent)
{
  size_t i = 0;

  while (i + 1 < carveouts->count && carveouts->array[i + 1].percent <= percent)
    i++;
  return &carveouts->array[i];
}

const struct gc_carveout *gc_carveouts_for(const struct gc_carveout_table *carveouts,
                                           uint64_t shared)
{
  size_t i = 0;

  while (i + 1 < carveouts->count && carveouts->array[i].shared_bytes < shared)
    i++;
  return &carveouts->array[i];
}
