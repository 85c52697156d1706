/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/in_flight.h"

#define FLIGHTS_AT_FIRST 1024 /* what an SM has under way */

void gc_in_flight_clear(struct gc_in_flight *in_flight)
{
  if (in_flight->count) /* else all chains are empty */
    gc_hash_index_clear(&in_flight->index);
  in_flight->count = 0;
}

void gc_in_flight_fini(struct gc_in_flight *in_flight)
{
  gc_hash_index_fini(&in_flight->index);
  in_flight->count = 0;
}

bool gc_in_flight_grow(struct gc_in_flight *in_flight, uint32_t number)
{
  const struct gc_hash_index old = in_flight->index;
  uint32_t numbers = old.numbers ? old.numbers : FLIGHTS_AT_FIRST;
  struct gc_hash_index index = {0};

  while (numbers <= number)
    numbers *= 2;
  if (!gc_hash_index_init(&index, numbers))
    return false;
  for (uint32_t i = 0; old.first && i <= old.mask; i++)
    for (uint32_t entry = old.first[i]; entry; entry = old.next[gc_hash_number(&old, entry)])
      gc_hash_add(&index, (entry & ~old.number_mask) | (i & old.number_mask),
                  gc_hash_number(&old, entry));
  gc_hash_index_fini(&in_flight->index);
  in_flight->index = index;
  return true;
}
