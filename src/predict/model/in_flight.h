/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines that are under way to one L1: what its MSHRs hold.
 */
#ifndef GC_PREDICT_MODEL_IN_FLIGHT_H
#define GC_PREDICT_MODEL_IN_FLIGHT_H

#include "predict/model/hash_index.h"
#include "predict/model/wheel.h"

#define GC_FLIGHT_CHUNK 128

struct gc_warp;

struct gc_flight {
  struct gc_event event; /* its arrival; must be first */
  uint64_t line, mix;    /* mix is gc_mix(line) */
  struct gc_warp *owner; /* the warp that requested it, if it takes an entry; else NULL: another
                            part of the line has the entry */
  uint32_t set, sectors;
  uint32_t number;
} __attribute__((aligned(64))); /* a cache line of the host */

struct gc_in_flight {
  struct gc_hash_index index; /* of the numbers of flights */
  uint32_t count;
  uint32_t chunk_count;
  struct gc_flight **chunks; /* all memory */
  struct gc_flight *free;    /* a list of events */
};

/* An in_flight of zero bytes is empty. */
void gc_in_flight_clear(struct gc_in_flight *in_flight);
void gc_in_flight_fini(struct gc_in_flight *in_flight);

/* One more chunk. false: no memory. */
bool gc_in_flight_grow(struct gc_in_flight *in_flight);

static inline void gc_flight_free(struct gc_in_flight *in_flight, struct gc_flight *flight)
{
  flight->event.next = in_flight->free ? &in_flight->free->event : NULL;
  in_flight->free = flight;
}

/* A new one, with this line, whose gc_mix is mix; the caller fills the rest. NULL: no memory. */
static inline struct gc_flight *gc_flight_add(struct gc_in_flight *in_flight, uint64_t line,
                                              uint64_t mix)
{
  struct gc_flight *flight;

  if (!in_flight->free && !gc_in_flight_grow(in_flight))
    return NULL;
  flight = in_flight->free;
  in_flight->free = (struct gc_flight *)flight->event.next;
  flight->line = line;
  flight->mix = mix;
  gc_hash_add(&in_flight->index, (uint32_t)mix, flight->number);
  in_flight->count++;
  return flight;
}

static inline void gc_flight_remove(struct gc_in_flight *in_flight, struct gc_flight *flight)
{
  gc_hash_remove(&in_flight->index, (uint32_t)flight->mix, flight->number);
  in_flight->count--;
  gc_flight_free(in_flight, flight);
}

/* The next flight of this line, or NULL. *from is the hash of the line at first. */
static inline struct gc_flight *gc_flight_next(const struct gc_in_flight *in_flight, uint64_t line,
                                               uint32_t hash, uint32_t *from)
{
  const struct gc_hash_slot *slot;

  if (!in_flight->count)
    return NULL;
  while ((slot = gc_hash_search(&in_flight->index, hash, *from))->number) {
    const uint32_t number = slot->number - 1;
    struct gc_flight *flight =
        &in_flight->chunks[number / GC_FLIGHT_CHUNK][number % GC_FLIGHT_CHUNK];

    *from = (uint32_t)(slot - in_flight->index.slots) + 1;
    if (flight->line == line)
      return flight;
  }
  return NULL;
}

/* Loads what a search will read into the caches of the host. */
static inline void gc_flight_prefetch(const struct gc_in_flight *in_flight, uint32_t hash)
{
  if (in_flight->count)
    gc_hash_prefetch(&in_flight->index, hash);
}

#endif
