/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines that are under way to one L1, which its MSHRs hold: an index of their arrivals, which
 * are events of a wheel.
 */
#ifndef GC_PREDICT_MODEL_IN_FLIGHT_H
#define GC_PREDICT_MODEL_IN_FLIGHT_H

#include "predict/model/hash_index.h"
#include "predict/model/wheel.h"

struct gc_in_flight {
  struct gc_hash_index index; /* of the numbers of events */
  uint32_t count;
};

/* An in_flight of zero bytes is empty. */
void gc_in_flight_clear(struct gc_in_flight *in_flight);
void gc_in_flight_fini(struct gc_in_flight *in_flight);

/* Room for this number. false: no memory. */
bool gc_in_flight_grow(struct gc_in_flight *in_flight, uint32_t number);

/* Adds the event with this number; mix is gc_mix of its line. false: no memory. */
static inline bool gc_flight_add(struct gc_in_flight *in_flight, uint32_t number, uint64_t mix)
{
  if (number >= in_flight->index.numbers && !gc_in_flight_grow(in_flight, number))
    return false;
  gc_hash_add(&in_flight->index, (uint32_t)mix, number);
  in_flight->count++;
  return true;
}

static inline void gc_flight_remove(struct gc_in_flight *in_flight, uint32_t number, uint64_t mix)
{
  gc_hash_remove(&in_flight->index, (uint32_t)mix, number);
  in_flight->count--;
}

/* An arrival of this line, or NULL. *entry is 0 at first; then it yields the next one. */
static inline const struct gc_event *gc_flight_next(const struct gc_in_flight *in_flight,
                                                    const struct gc_wheel *wheel, uint64_t line,
                                                    uint32_t hash, uint32_t *entry)
{
  const struct gc_hash_index *index = &in_flight->index;

  if (!in_flight->count)
    return NULL;
  *entry = *entry ? gc_hash_next(index, hash, *entry) : gc_hash_first(index, hash);
  for (; *entry; *entry = gc_hash_next(index, hash, *entry)) {
    const struct gc_event *event = &wheel->events[gc_hash_number(index, *entry)];

    if (event->line == line)
      return event;
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
