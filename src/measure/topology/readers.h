/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The experiment of the search for L2 partitions: one SM, the reader, reads lines that are in no
 * cache. Then every SM times some of them. doc/methods.md, "L2 partitions".
 */
#ifndef GC_MEASURE_TOPOLOGY_READERS_H
#define GC_MEASURE_TOPOLOGY_READERS_H

#include "measure/core/measurement.h"

#define GC_READERS_MAX 32

struct gc_readers {
  struct gc_measurement *m;
  uint32_t sms, loads;              /* loads timed by each SM after each reader */
  uint64_t slots, scatter;          /* lines of one reader, and the multiplier of their ring */
  uint32_t readers[GC_READERS_MAX]; /* SMs by index (sms.h) */
  size_t most, count;               /* readers for which there is space; readers so far */
  uint32_t *trace;                  /* [sms * loads], by block */
  uint64_t *starts;                 /* [sms] */
  double *seen;                     /* [most][sms][loads], cycles, by SM, ascending */
};

/* The bytes of the arena that `most` readers need. */
uint64_t gc_readers_needs(const struct gc_measurement *m, size_t most);

/* Lays the lines of `most` readers, and evicts them from L2. -ENOTSUP: this GPU is not suited for
 * the experiment, and *absent gives the reason. Call gc_readers_free in any case. */
int gc_readers_new(struct gc_measurement *m, struct gc_readers *r, size_t most,
                   const char **absent);
void gc_readers_free(struct gc_readers *r);

/* SM `reader` reads its lines, then every SM times its own part of them. *absent is set to the
 * reason if the results do not count. At most r->most calls. */
int gc_readers_observe(struct gc_readers *r, uint32_t reader, const char **absent);

/* The loads of an SM after a reader: `loads` values, ascending. */
static inline double *gc_readers_loads(const struct gc_readers *r, size_t reader, uint32_t sm)
{
  return r->seen + (reader * r->sms + sm) * r->loads;
}

#endif
