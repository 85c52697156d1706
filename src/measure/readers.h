/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The experiment behind partition.c: one SM reads lines that were in no cache, then every SM times
 * some of them.
 */
#ifndef GC_MEASURE_READERS_H
#define GC_MEASURE_READERS_H

#include "measure/bench.h"

#define GC_READERS_MAX 32

struct gc_readers {
  struct gc_bench *bench;
  uint32_t sms, loads;           /* loads timed by each SM after each reader */
  uint64_t slots, scatter;       /* lines of one reader, and the step of their ring */
  uint32_t readers[GC_READERS_MAX]; /* SMs by index: see gc_sm_index */
  size_t most, count;            /* readers to come, and so far */
  uint32_t *trace;               /* [sms * loads], by block */
  uint64_t *starts;
  double *seen;                  /* [most][sms][loads], cycles, by SM, ascending */
};

/* Lays the lines of `most` readers; nothing of them is in L2 then. -ENOTSUP: this GPU has no room for it,
 * *absent says why. Free it in any case. */
int gc_readers_new(struct gc_bench *bench, struct gc_readers *r, size_t most, const char **absent);
void gc_readers_free(struct gc_readers *r);

/* SM `reader` reads its lines; then every SM times its own part of them. *absent: why that is
 * worth nothing, if so. At most as often as there are to be readers. */
int gc_readers_observe(struct gc_readers *r, uint32_t reader, const char **absent);

/* What an SM saw after a reader: `loads` values, ascending. */
static inline double *gc_readers_loads(const struct gc_readers *r, size_t reader, uint32_t sm)
{
  return r->seen + (reader * r->sms + sm) * r->loads;
}

#endif
