/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the looks of a census saw (census.c, constant15census.c), and what follows from it.
 */
#ifndef GC_MEASURE_LOOKS_H
#define GC_MEASURE_LOOKS_H

#include "measure/agree.h"

struct gc_looks {
  double bytes;    /* that were read before each round of looks */
  uint32_t limit;  /* raw cycles: what took longer was not found */
  size_t n;        /* looks: one at each of as many parts of the bytes, in the order in which they were read */
  char *seen;      /* [n] 0: what was seen there does not count; else: */
  uint32_t rounds;
  /* [rounds] how many were found the first time, and the second, when they are sure to be there */
  double *found, *sure;
};

enum { GC_LOOK_MISSED = 1, GC_LOOK_FOUND };

/* bytes, limit, n and rounds are set. 0 or -ENOMEM. */
int gc_looks_open(struct gc_looks *looks, struct gc_error *err);
void gc_looks_close(struct gc_looks *looks); /* a zeroed one is fine */

/* The look at a part: its first load hit, and so did its second. */
static inline void gc_looks_add(struct gc_looks *looks, size_t part, uint32_t round, bool first, bool second)
{
  looks->seen[part] = first ? GC_LOOK_FOUND : GC_LOOK_MISSED;
  looks->found[round] += first;
  looks->sure[round] += second;
}

/* What they say together; for the eye, how much was found when so much had been read since. */
void gc_looks_conclude(const struct gc_looks *looks, struct gc_raw *raw, struct gc_census *census);

/* The same of single lines of so many bytes, spread evenly over them: of these loads so many were slow. */
void gc_sample_conclude(double bytes, double loads, double slow, struct gc_census *census);

#endif
