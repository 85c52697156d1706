/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The result of a census, and whether it agrees with the capacity. doc/methods.md, "Census".
 *
 * A census is the second way to the capacity of a cache. The first way is the search for the first
 * miss (capacity/search.h). A census reads 1.5 times the capacity and then probes some of it. A
 * full cache holds as many lines as it has. So the share that is found, times the bytes that were
 * read, is the capacity.
 *
 * The two ways are independent. The search for the first miss ends too early if noise, other misses
 * (a TLB, another program) or sets that fill up before the others look like misses; and too late if
 * lines stayed from before. A census has no edge to miss and needs no assumption about replacement,
 * and a few wrong probes change it only a little.
 */
#ifndef GC_MEASURE_CENSUS_VERDICT_H
#define GC_MEASURE_CENSUS_VERDICT_H

#include "measure/core/measurement.h"

#define GC_CENSUS_SPAN 1.5      /* capacities that a census reads; */
#define GC_CENSUS_SPAN_MIN 1.25 /* the least number of them, if there is not more to read */

struct gc_census {
  double bytes, error; /* error: one standard error */
  double read;         /* bytes that were read, which limits what can be found */
  double slack;        /* share of the capacity that a cache that overflows may keep more or less */
  unsigned rounds; /* the error comes from the differences between so many rounds; 0: it has another
                      source */
  bool all;        /* every probe hit: the cache holds `bytes` or more */
  char absent[160]; /* why there is no census; else empty */
};

/* Sets census->absent. */
void gc_census_fail(struct gc_census *census, const char *why);

/* The deviation that chance may cause, bytes. */
double gc_census_chance(const struct gc_census *census);

/* Reports the census of the element, and withholds a capacity that contradicts it. Returns 0. */
int gc_settle_census(struct gc_measurement *m, struct gc_measured *element,
                     const struct gc_census *census);

#endif
