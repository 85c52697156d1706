/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/in_flight.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 128

struct gc_flight_chunk {
  struct gc_flight_chunk *next;
  struct gc_flight flights[CHUNK];
};

static void add_free(struct gc_in_flight *in_flight, struct gc_flight_chunk *chunk)
{
  for (size_t i = CHUNK; i-- > 0;) {
    chunk->flights[i].next = in_flight->free;
    in_flight->free = &chunk->flights[i];
  }
}

void gc_in_flight_clear(struct gc_in_flight *in_flight)
{
  memset(in_flight->buckets, 0, sizeof in_flight->buckets);
  in_flight->free = NULL;
  for (struct gc_flight_chunk *chunk = in_flight->chunks; chunk; chunk = chunk->next)
    add_free(in_flight, chunk);
}

void gc_in_flight_fini(struct gc_in_flight *in_flight)
{
  while (in_flight->chunks) {
    struct gc_flight_chunk *chunk = in_flight->chunks;

    in_flight->chunks = chunk->next;
    free(chunk);
  }
  memset(in_flight, 0, sizeof *in_flight);
}

struct gc_flight *gc_flight_add(struct gc_in_flight *in_flight, uint64_t line)
{
  struct gc_flight **bucket = gc_flight_bucket(in_flight, line), *flight;

  if (!in_flight->free) {
    struct gc_flight_chunk *chunk = malloc(sizeof *chunk);

    if (!chunk)
      return NULL;
    chunk->next = in_flight->chunks;
    in_flight->chunks = chunk;
    add_free(in_flight, chunk);
  }
  flight = in_flight->free;
  in_flight->free = flight->next;
  flight->line = line;
  flight->next = *bucket;
  *bucket = flight;
  return flight;
}

void gc_flight_remove(struct gc_in_flight *in_flight, struct gc_flight *flight)
{
  struct gc_flight **link = gc_flight_bucket(in_flight, flight->line);

  while (*link != flight)
    link = &(*link)->next;
  *link = flight->next;
  flight->next = in_flight->free;
  in_flight->free = flight;
}
