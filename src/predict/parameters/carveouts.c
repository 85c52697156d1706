/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/parameters/carveouts.h"

#include "util/number.h"

#include <stdbool.h>
#include <string.h>

/* One entry. Returns what follows it, or NULL if the text has another form. */
static const char *read_entry(const char *text, struct gc_carveout *entry)
{
  uint64_t percent;
  const char *end = gc_number_digits(text, &percent);

  if (!end || *end != ':' || percent > 100)
    return NULL;
  entry->percent = (unsigned)percent;
  end = gc_number_digits(end + 1, &entry->l1_bytes);
  return end && (!*end || *end == ',') ? end : NULL;
}

/* Entries must be in the order of percent, and L1 must not grow. */
static bool follows(const struct gc_carveouts *carveouts, const struct gc_carveout *entry)
{
  const struct gc_carveout *last;

  if (!carveouts->count)
    return true;
  last = &carveouts->array[carveouts->count - 1];
  return entry->percent > last->percent && entry->l1_bytes <= last->l1_bytes;
}

void gc_carveouts_read(struct gc_carveouts *carveouts, const char *table, uint64_t most_shared)
{
  uint64_t least_l1;

  carveouts->count = 0;
  carveouts->default_bytes = 0;
  while (table && *table >= '0' && *table <= '9') {
    struct gc_carveout entry = {0};

    table = read_entry(table, &entry);
    if (!table || carveouts->count == GC_CARVEOUTS || !follows(carveouts, &entry)) {
      carveouts->count = 0;
      return;
    }
    carveouts->array[carveouts->count++] = entry;
    table += *table == ',';
  }
  if (table && !strncmp(table, "default:", 8))
    gc_number_digits(table + 8, &carveouts->default_bytes);
  if (!carveouts->count)
    return;
  least_l1 = carveouts->array[carveouts->count - 1].l1_bytes;
  for (size_t i = 0; i < carveouts->count; i++) {
    const uint64_t gained = carveouts->array[i].l1_bytes - least_l1;

    carveouts->array[i].shared_bytes = gained < most_shared ? most_shared - gained : 0;
  }
}

const struct gc_carveout *gc_carveouts_at(const struct gc_carveouts *carveouts, unsigned percent)
{
  size_t i = 0;

  while (i + 1 < carveouts->count && carveouts->array[i + 1].percent <= percent)
    i++;
  return &carveouts->array[i];
}

const struct gc_carveout *gc_carveouts_for(const struct gc_carveouts *carveouts, uint64_t shared)
{
  size_t i = 0;

  while (i + 1 < carveouts->count && carveouts->array[i].shared_bytes < shared)
    i++;
  return &carveouts->array[i];
}
