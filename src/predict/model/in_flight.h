/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines that are under way to one L1: what its MSHRs hold.
 */
#ifndef GC_PREDICT_MODEL_IN_FLIGHT_H
#define GC_PREDICT_MODEL_IN_FLIGHT_H

#include "predict/model/random.h"
#include "predict/model/wheel.h"

#include <stdbool.h>
#include <stddef.h>

#define GC_FLIGHT_BUCKETS 512 /* about as many as an SM has lines under way */

struct gc_warp;

struct gc_flight {
  struct gc_event event;  /* its arrival; must be first */
  struct gc_flight *next; /* of the same bucket, or free */
  uint64_t line;
  uint32_t set, sectors;
  struct gc_warp *owner; /* the warp that requested it, if it takes an entry; else NULL: another
                            part of the line has the entry */
};

struct gc_in_flight {
  struct gc_flight *buckets[GC_FLIGHT_BUCKETS];
  struct gc_flight *free;
  struct gc_flight_chunk *chunks; /* all memory */
};

/* An in_flight of zero bytes is empty. */
void gc_in_flight_clear(struct gc_in_flight *in_flight);
void gc_in_flight_fini(struct gc_in_flight *in_flight);

static inline struct gc_flight **gc_flight_bucket(struct gc_in_flight *in_flight, uint64_t line)
{
  return &in_flight->buckets[gc_mix(line) % GC_FLIGHT_BUCKETS];
}

/* A new one, with this line; the caller fills the rest. NULL: no memory. */
struct gc_flight *gc_flight_add(struct gc_in_flight *in_flight, uint64_t line);
void gc_flight_remove(struct gc_in_flight *in_flight, struct gc_flight *flight);

/* Loads the bucket of a line into the caches of the host. */
static inline void gc_flight_prefetch(const struct gc_in_flight *in_flight, uint64_t line)
{
  __builtin_prefetch(&in_flight->buckets[gc_mix(line) % GC_FLIGHT_BUCKETS]);
}

#endif
