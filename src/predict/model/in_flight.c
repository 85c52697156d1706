/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/in_flight.h"

#define FLIGHTS_AT_FIRST 1024 /* twice what an SM has under way: empty slots shorten searches */

void gc_in_flight_clear(struct gc_in_flight *in_flight)
{
  if (in_flight->count) /* else all slots are empty */
    gc_hash_index_clear(&in_flight->index);
  in_flight->count = 0;
}

void gc_in_flight_fini(struct gc_in_flight *in_flight)
{
  free(in_flight->index.slots);
  memset(in_flight, 0, sizeof *in_flight);
}

bool gc_in_flight_grow(struct gc_in_flight *in_flight)
{
  const struct gc_hash_index old = in_flight->index;
  struct gc_hash_index index = {NULL, 0};

  if (!gc_hash_index_init(&index, old.slots ? old.mask + UINT64_C(1) : FLIGHTS_AT_FIRST))
    return false;
  for (uint32_t i = 0; old.slots && i <= old.mask; i++)
    if (old.slots[i].number)
      gc_hash_add(&index, old.slots[i].hash, old.slots[i].number - 1);
  free(old.slots);
  in_flight->index = index;
  return true;
}
