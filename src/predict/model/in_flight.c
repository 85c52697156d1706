/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/in_flight.h"

#define FLIGHTS_AT_FIRST 1024 /* twice what an SM has under way: empty slots shorten searches */

static void add_chunk(struct gc_in_flight *in_flight, uint32_t chunk)
{
  for (uint32_t i = GC_FLIGHT_CHUNK; i-- > 0;) {
    in_flight->chunks[chunk][i].number = chunk * GC_FLIGHT_CHUNK + i;
    gc_flight_free(in_flight, &in_flight->chunks[chunk][i]);
  }
}

void gc_in_flight_clear(struct gc_in_flight *in_flight)
{
  gc_hash_index_clear(&in_flight->index);
  in_flight->count = 0;
  in_flight->free = NULL;
  for (uint32_t i = in_flight->chunk_count; i-- > 0;)
    add_chunk(in_flight, i);
}

void gc_in_flight_fini(struct gc_in_flight *in_flight)
{
  for (uint32_t i = 0; i < in_flight->chunk_count; i++)
    free(in_flight->chunks[i]);
  free(in_flight->chunks);
  free(in_flight->index.slots);
  memset(in_flight, 0, sizeof *in_flight);
}

/* The index has slots for all flights twice. */
bool gc_in_flight_grow(struct gc_in_flight *in_flight)
{
  const uint32_t count = in_flight->chunk_count;
  struct gc_hash_index index = {NULL, 0};
  struct gc_flight **chunks = realloc(in_flight->chunks, (count + 1) * sizeof *chunks);

  if (!chunks)
    return false;
  in_flight->chunks = chunks;
  if (!in_flight->index.slots && !gc_hash_index_init(&in_flight->index, FLIGHTS_AT_FIRST))
    return false;
  if (2 * (count + 1) * GC_FLIGHT_CHUNK > in_flight->index.mask + 1) {
    if (!gc_hash_index_init(&index, in_flight->index.mask + 1))
      return false;
    for (uint32_t i = 0; i <= in_flight->index.mask; i++)
      if (in_flight->index.slots[i].number)
        gc_hash_add(&index, in_flight->index.slots[i].hash, in_flight->index.slots[i].number - 1);
    free(in_flight->index.slots);
    in_flight->index = index;
  }
  chunks[count] = gc_host_table(GC_FLIGHT_CHUNK * sizeof *chunks[count]);
  if (!chunks[count])
    return false;
  in_flight->chunk_count++;
  add_chunk(in_flight, count);
  return true;
}
