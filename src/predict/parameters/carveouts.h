/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How an SM divides its storage between L1 and shared memory: the CarveoutTable of a record, with
 * the shared memory that belongs to each capacity of L1.
 */
#ifndef GC_PREDICT_PARAMETERS_CARVEOUTS_H
#define GC_PREDICT_PARAMETERS_CARVEOUTS_H

#include "record/lists.h"

#include <stddef.h>
#include <stdint.h>

struct gc_carveout {
  unsigned percent; /* the least that a kernel must prefer to get this entry */
  uint64_t l1_bytes, shared_bytes;
};

struct gc_carveout_table {
  struct gc_carveout
      array[GC_CARVEOUTS]; /* in the order of percent; shared_bytes do not decrease */
  size_t count;            /* 0: the two do not share storage */
  uint64_t default_bytes;  /* L1 for a kernel that prefers nothing; 0: unknown */
};

/* Reads "0:222208,15:189440,default:222208". most_shared is the shared memory of the last entry:
 * what L1 loses from one
 * entry to the next, shared memory gains. A text of another form yields no entries. */
void gc_carveouts_read(struct gc_carveout_table *carveouts, const char *table,
                       uint64_t most_shared);

/* The entry that a kernel gets if it prefers this percentage: the last one that begins at or below
 * it, or the first. count must not be 0. */
const struct gc_carveout *gc_carveouts_at(const struct gc_carveout_table *carveouts,
                                          unsigned percent);

/* The first entry with at least this much shared memory; or the last. count must not be 0. */
const struct gc_carveout *gc_carveouts_for(const struct gc_carveout_table *carveouts,
                                           uint64_t shared);

#endif
